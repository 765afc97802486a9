import { expect, it } from 'vitest'
import { type RowRule, ruleStatement, ruleStatementZh } from '../../catalog/index.ts'

const named = { name: 'r', doc: 'D.', docZh: '說明。' }

it.each<[RowRule, string, string]>([
  [{ ...named, column: ['a', 'b'], min: 0, below: 9 }, 'a, b: at least 0 and less than 9', 'a、b：不小於 0 且小於 9'],
  [{ ...named, column: 'a', above: 0, max: 9 }, 'a: more than 0 and at most 9', 'a：大於 0 且不大於 9'],
  [{ ...named, column: 'a', values: ['x', 'y'] }, 'a: one of x, y', 'a：x、y 之一'],
  [{ ...named, column: 'a', pattern: '\\d+' }, 'a: matches \\d+', 'a：符合 \\d+'],
  [{ ...named, column: 'a', sum: ['b', 'c'], less: ['d'] }, 'a = b + c - d', 'a = b + c - d'],
  [{ ...named, column: 'a', sum: ['b', 'c'], tolerance: 0.5 }, 'a = b + c (within 0.5)', 'a = b + c（容許差異 0.5）'],
  [{ ...named, column: 'a', equals: 'b / c', tolerance: 0.01 }, 'a = b / c (within 0.01)', 'a = b / c（容許差異 0.01）'],
  [{ ...named, dataset: 'list', on: { code: 'a' } }, 'a in list (code)', 'a 見於 list（code）'],
  [
    { ...named, dataset: 'list', on: { code: 'a' }, since: 'day' },
    'a in list (code), for rows with day on or after the date of that dataset',
    'a 見於 list（code），僅適用於 day 不早於該資料集日期的資料列',
  ],
  [{ ...named, holds: 'a <= b' }, 'a <= b', 'a <= b'],
])('the rule %j is stated as "%s"', (rule, en, zh) => {
  expect(ruleStatement(rule)).toBe(en)
  expect(ruleStatementZh(rule)).toBe(zh)
})
