import { afterAll, it } from 'vitest'
import { service } from '../../support.ts'
import { patternsOf } from './patterns.ts'

const TIMEOUT_MS = 600_000
const s = await service()
const patterns = await patternsOf(s, { isWhole: true, rounds: 25 })
afterAll(() => s.close())

it('the service accepts 25 random texts that match the pattern, for every parameter', () => patterns.acceptsMatches(), TIMEOUT_MS)

it('the service refuses 25 random texts that do not match the pattern, for every parameter', () => patterns.refusesOthers(), TIMEOUT_MS)
