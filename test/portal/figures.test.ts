import { expect, it } from 'vitest'
import { compact } from '../../portal/parts/figures.ts'

it('compact writes large figures in the units of the language', () => {
  expect([272_719_056_000, 68_904_540, -11_501_007, 5_400, 0].map(value => compact(value, 'en'))).toEqual([
    '272.7B',
    '68.9M',
    '-11.5M',
    '5,400',
    '0',
  ])
  expect([272_719_056_000, 68_904_540, -11_501_007, 5_400, 2_120_000_000_000].map(value => compact(value, 'zh'))).toEqual([
    '2,727億',
    '6,890萬',
    '-1,150萬',
    '5,400',
    '2.12兆',
  ])
})
