import { expect, it } from 'vitest'
import { writeInteger } from '../../src/formats/number.ts'
import { firstWrong, writtenBy, wrongDoubles } from './number-checks.ts'

it('doubles of every kind are written as JSON.stringify writes them', () => {
  expect(wrongDoubles(4_000)).toEqual([])
})

it('zero and negative zero are written without a sign', () => {
  expect(firstWrong([0])).toBeUndefined()
})

it('integers of every length are written as JSON.stringify writes them', () => {
  for (let ten = 1; ten < 2 ** 53; ten *= 10) {
    for (const number of [ten - 1, ten, ten + 1, -ten, 1 - ten, 7 * ten]) {
      if (!Number.isSafeInteger(number)) continue
      const low = number >>> 0
      expect(writtenBy(({ view }) => writeInteger(view, 0, (number - low) / 2 ** 32, low | 0))).toBe(JSON.stringify(number))
    }
  }
})
