import { it } from 'vitest'
import { checkRandomReads } from './random-reads.ts'

it('random reads from rows in memory return the bytes of the engine', () =>
  checkRandomReads({ examples: false, cacheBytes: 2 ** 26 }, 100, { state: 'whole', least: 1, engineShare: 0.1 }))
