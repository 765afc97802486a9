import { afterAll, it } from 'vitest'
import { service } from '../../support.ts'
import { patternsOf } from './patterns.ts'

const TIMEOUT_MS = 600_000
const s = await service()
const patterns = await patternsOf(s, { isWhole: true, rounds: 25 })
afterAll(() => s.close())

it('for every parameter, the service accepts 25 random texts that match its pattern', () => patterns.acceptsMatches(), TIMEOUT_MS)

it('for every parameter, the service refuses 25 random texts that do not match its pattern', () => patterns.refusesOthers(), TIMEOUT_MS)
