import { expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { compact, isAmount } from '../../portal/parts/figures.ts'

it('compact() writes large figures in the units of the language', () => {
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

it('compact() keeps zeros at the end for figures of a column, but not for whole numbers', () => {
  expect([8_100_000, 2_910_000, 940_400, 5_400].map(value => compact(value, 'en', true))).toEqual(['8.10M', '2.91M', '940.4K', '5,400'])
})

it('shares per 1,000 shares and prices are no amounts, but share counts and sums of money are', async () => {
  const columns = [...(await loadCatalog()).values()].flatMap(dataset =>
    Object.entries(dataset.columns).map(([name, { unit = null, doc }]) => ({ name, unit, doc })),
  )
  const rates = columns.filter(({ unit, doc }) => unit === 'shares' && /(per|of) 1,000 shares/.test(doc))
  expect(rates.length).toBeGreaterThan(4)
  expect(rates.filter(isAmount)).toEqual([])
  const units = new Set(columns.filter(isAmount).map(({ unit }) => unit))
  expect([...units].toSorted()).toEqual(['TWD', 'TWD thousand', 'shares'])
  expect(columns.find(({ name }) => name === 'turnover')).toSatisfy(isAmount)
})
