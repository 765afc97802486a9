import { expect, it } from 'vitest'
import { wrongDoubles } from './number-checks.ts'

it('250,000 random doubles of each kind are written as JSON.stringify writes them', () => {
  expect(wrongDoubles(250_000)).toEqual([])
})
