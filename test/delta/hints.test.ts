import fc from 'fast-check'
import { expect, it } from 'vitest'
import { boundsOfHints, UNBOUNDED } from '../../src/delta/index.ts'

const COLUMNS = { key: 'symbol', date: 'trade_date' }
const ofSql = (...sql: readonly string[]) => boundsOfHints({ sql, json: null }, COLUMNS)
const ofJson = (tree: unknown) => boundsOfHints({ sql: [], json: JSON.stringify(tree) }, COLUMNS)
const keys = (...named: readonly string[]) => ({ ...UNBOUNDED, keys: new Set(named) })

it.each([
  ["symbol = '2330'", keys('2330')],
  ["'2330' = symbol", keys('2330')],
  ["SYMBOL='2330'", keys('2330')],
  ["`symbol` = '2330'", keys('2330')],
  ["symbol IN ('2330', '2317')", keys('2330', '2317')],
  ["symbol = 'O''Neil'", keys("O'Neil")],
  ["trade_date >= '2026-06-01'", { keys: null, from: '2026-06-01', to: null }],
  ["DATE '2026-06-01' <= trade_date", { keys: null, from: '2026-06-01', to: null }],
  ["trade_date < '2026-06-01'", { keys: null, from: null, to: '2026-06-01' }],
  ["trade_date = '2026-06-01'", { keys: null, from: '2026-06-01', to: '2026-06-01' }],
  ["trade_date BETWEEN '2026-06-01' AND '2026-06-30'", { keys: null, from: '2026-06-01', to: '2026-06-30' }],
  ["((symbol IS NOT NULL AND trade_date > '2026-06-01') AND (symbol = '2330'))", { keys: new Set(['2330']), from: '2026-06-01', to: null }],
  ["net > 5 AND symbol = '2330'", UNBOUNDED],
])('the SQL hint %s sets bounds for keys or days', (hint, bounds) => expect(ofSql(hint)).toEqual(bounds))

it.each([
  "symbol = '2330' OR symbol = '2317'",
  "NOT symbol = '2330'",
  "symbol NOT IN ('2330')",
  "symbol <> '2330'",
  "lower(symbol) = '2330'",
  'symbol = 2330',
  "other = '2330'",
  "trade_date >= '2026-06-01T00:00:00Z'",
  "trade_date >= '2026-06-01' + 1",
  "symbol = '2330' '2317'",
  "symbol = '2330' AND",
  'symbol =',
  "symbol IN ('2330',)",
  "symbol = '\\u0032330'",
  "symbol = '2330",
  '',
  ';DROP TABLE x',
])('the SQL hint "%s" sets no bounds', hint => expect(ofSql(hint)).toEqual(UNBOUNDED))

it('several SQL hints are combined with AND', () => {
  expect(ofSql("symbol IN ('2330', '2317')", "symbol = '2317'", 'nonsense')).toEqual(keys('2317'))
  expect(ofSql("symbol = '2330'", "symbol = '2317'")).toEqual(keys())
})

const column = (name: string, valueType = 'string') => ({ op: 'column', name, valueType })
const literal = (value: string, valueType = 'string') => ({ op: 'literal', value, valueType })
const node = (op: string, ...children: readonly unknown[]) => ({ op, children })
const isKey = (value: string) => node('equal', column('symbol'), literal(value))
const since = (value: string) => node('greaterThanOrEqual', column('trade_date', 'date'), literal(value, 'date'))

it.each([
  [isKey('2330'), keys('2330')],
  [node('or', isKey('2330'), isKey('2317')), keys('2330', '2317')],
  [node('or', isKey('2330'), since('2026-06-01')), UNBOUNDED],
  [node('and', isKey('2330'), since('2026-06-01')), { keys: new Set(['2330']), from: '2026-06-01', to: null }],
  [node('not', since('2026-06-01')), { keys: null, from: null, to: '2026-06-01' }],
  [node('not', node('or', since('2026-06-01'), isKey('2330'))), { keys: null, from: null, to: '2026-06-01' }],
  [node('not', isKey('2330')), UNBOUNDED],
  [node('in', column('symbol'), literal('2330'), literal('2317')), keys('2330', '2317')],
  [node('not', node('in', column('symbol'), literal('2330'), literal('2317'))), UNBOUNDED],
  [node('lessThan', literal('2026-06-01', 'date'), column('trade_date', 'date')), { keys: null, from: '2026-06-01', to: null }],
  [node('equal', column('symbol', 'int'), literal('2330', 'int')), UNBOUNDED],
  [node('and', isKey('2330'), node('like', column('symbol'), literal('2%'))), keys('2330')],
  [node('or'), UNBOUNDED],
  [null, UNBOUNDED],
  [[isKey('2330')], UNBOUNDED],
  [{ op: 'and', children: 'all' }, UNBOUNDED],
  [{ op: '__proto__', children: [column('symbol'), literal('2330')] }, UNBOUNDED],
])('the JSON hint %j sets the expected bounds', (tree, bounds) => expect(ofJson(tree)).toEqual(bounds))

it('a JSON hint that is malformed or nested too deeply sets no bounds', () => {
  const nested = `${'{"op":"not","children":['.repeat(5_000)}1${']}'.repeat(5_000)}`
  for (const json of ['{', nested, '[['.repeat(30_000)]) expect(boundsOfHints({ sql: [], json }, COLUMNS)).toEqual(UNBOUNDED)
})

it('the bounds of random JSON hints contain every row that satisfies them', () => {
  const value = fc.constantFrom('2317', '2330', '2454')
  const day = fc.constantFrom('2026-06-01', '2026-06-15', '2026-06-30')
  type Row = { readonly symbol: string; readonly trade_date: string }
  type Tree = { readonly tree: unknown; readonly holds: (row: Row) => boolean }
  const COMPARE: Readonly<Record<string, (a: string, b: string) => boolean>> = {
    equal: (a, b) => a === b,
    lessThan: (a, b) => a < b,
    lessThanOrEqual: (a, b) => a <= b,
    greaterThan: (a, b) => a > b,
    greaterThanOrEqual: (a, b) => a >= b,
  }
  const leaf: fc.Arbitrary<Tree> = fc
    .tuple(fc.constantFrom(...Object.keys(COMPARE)), fc.boolean(), fc.boolean(), value, day)
    .map(([op, byKey, mirrored, key, date]) => {
      const [name, text] = byKey ? (['symbol', key] as const) : (['trade_date', date] as const)
      const sides = [column(name), literal(text)]
      const compare = COMPARE[op]!
      return mirrored
        ? { tree: node(op, ...sides.toReversed()), holds: (row: Row) => compare(text, row[name]) }
        : { tree: node(op, ...sides), holds: (row: Row) => compare(row[name], text) }
    })
  const { tree } = fc.letrec<{ tree: Tree }>(tie => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map(all => ({
        tree: node('and', ...all.map(one => one.tree)),
        holds: (row: Row) => all.every(one => one.holds(row)),
      })),
      fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map(all => ({
        tree: node('or', ...all.map(one => one.tree)),
        holds: (row: Row) => all.some(one => one.holds(row)),
      })),
      tie('tree').map(one => ({ tree: node('not', one.tree), holds: (row: Row) => !one.holds(row) })),
    ),
  }))
  fc.assert(
    fc.property(tree, value, day, (hint, symbol, trade_date) => {
      fc.pre(hint.holds({ symbol, trade_date }))
      const bounds = ofJson(hint.tree)
      expect([bounds.keys?.has(symbol) ?? true, (bounds.from ?? '') <= trade_date, trade_date <= (bounds.to ?? '9')]).toEqual([
        true,
        true,
        true,
      ])
    }),
    { numRuns: 2_000 },
  )
})
