import { it } from 'vitest'
import { checkRandomReads } from './random-reads.ts'

it('random reads that are answered from memory return the same bytes as the engine', () =>
  checkRandomReads({ examples: false, cacheBytes: 2 ** 26 }, 100, { state: 'whole', least: 1, engineShare: 0.1 }))
