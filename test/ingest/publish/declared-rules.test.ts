import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dataset, defineDataset, type Row, type RowRule } from '../../../catalog/index.ts'
import { publishFiles } from '../../../ingest/index.ts'
import type { Workspace } from '../../../ingest/publish/index.ts'
import { trade, weekdays } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { dataFolder, openTestWorkspace, publishRows } from '../../support.ts'

const FLOWS = defineDataset({
  slug: 'flows',
  id: 'flows',
  title: 'Flows',
  titleZh: '流量',
  family: 'internal',
  description: 'Flows by code and day.',
  descriptionZh: '測試用。',
  status: 'reference',
  version: '1.0.0',
  columns: {
    market: { type: 'text', zh: '市場', doc: 'Market.', docZh: '市場。' },
    code: { type: 'text', zh: '代號', doc: 'Code.', docZh: '代號。' },
    day: { type: 'date', zh: '日期', doc: 'Day.', docZh: '日期。' },
    kind: { type: 'text', nullable: true, zh: '種類', doc: 'Kind.', docZh: '種類。' },
    a: { type: 'number', nullable: true, zh: '甲', doc: 'One part.', docZh: '甲。' },
    b: { type: 'number', nullable: true, zh: '乙', doc: 'Another part.', docZh: '乙。' },
    total: { type: 'number', nullable: true, zh: '合計', doc: 'Both parts.', docZh: '合計。' },
  },
  grain: ['market', 'code', 'day'],
  key: 'code',
  date: 'day',
  publish: { mode: 'merge', slice: ['market', 'day'] },
  filters: {},
  order: [['day', 'desc']],
  sortable: ['day'],
  envelope: { kind: 'A-bare' },
  lineage: {
    families: [],
    semantics: 's',
    role: 'canonical',
    selected: 's',
    fallbacks: [],
    notes: [],
    url: 'u',
    attribution: 'a',
    attributionZh: '甲',
  },
  knownGaps: {},
  warnings: [],
  cadence: { every: 'on_change' },
  pointInTime: 'none',
  coverage: { markets: [], delisted: false },
  example: [],
})

let folder: Awaited<ReturnType<typeof dataFolder>>
let workspace: Workspace
beforeAll(async () => {
  folder = await dataFolder()
  workspace = await openTestWorkspace(folder.dir)
})
afterAll(async () => {
  workspace.close()
  await folder.remove()
})

let datasets = 0
/** The dataset under a name of its own, so that nothing of it is served yet. */
const flows = (change: Partial<Dataset>): Dataset => ({ ...FLOWS, slug: `flows-${datasets++}`, ...change })
const ruled = (rule: RowRule): Dataset => flows({ rules: [rule] })
const row = (change: Row = {}): Row => ({ market: 'TWSE', code: '2330', day: '2026-06-30', ...change })
const publishing = (dataset: Dataset, rows: readonly Row[], accept: readonly string[] = []) =>
  publishRows(workspace, folder.dir, dataset, rows, { accept })

describe('a rule refuses the rows that break it and no others', () => {
  const sum = { name: 'adds_up', doc: 'Both make the total.', docZh: '說明。', column: 'total', sum: ['a', 'b'] } as const
  const net = { name: 'nets', doc: 'The total is what is left.', docZh: '說明。', column: 'total', sum: ['a'], less: ['b'] } as const
  const cases: readonly (readonly [string, RowRule, Row, Row])[] = [
    ['at least', { name: 'r', doc: 'D.', docZh: '說明。', column: 'a', min: 0 }, { a: 0 }, { a: -0.1 }],
    ['more than', { name: 'r', doc: 'D.', docZh: '說明。', column: 'a', above: 0 }, { a: 0.1 }, { a: 0 }],
    ['at most', { name: 'r', doc: 'D.', docZh: '說明。', column: 'a', max: 9 }, { a: 9 }, { a: 9.1 }],
    ['less than', { name: 'r', doc: 'D.', docZh: '說明。', column: 'a', below: 9 }, { a: 8.9 }, { a: 9 }],
    ['bounds of several columns', { name: 'r', doc: 'D.', docZh: '說明。', column: ['a', 'b'], min: 0 }, { a: 1, b: 1 }, { a: 1, b: -1 }],
    [
      'bounds of a column beside an absent one',
      { name: 'r', doc: 'D.', docZh: '說明。', column: ['a', 'b'], min: 0 },
      { a: null, b: 1 },
      { a: null, b: -1 },
    ],
    ['a first day', { name: 'r', doc: 'D.', docZh: '說明。', column: 'day', min: '2026-06-30' }, {}, { day: '2026-06-29' }],
    ['one of the values', { name: 'r', doc: 'D.', docZh: '說明。', column: 'kind', values: ['x', "y'"] }, { kind: "y'" }, { kind: 'z' }],
    ['numbers listed', { name: 'r', doc: 'D.', docZh: '說明。', column: 'a', values: [1, 2] }, { a: 2 }, { a: 3 }],
    ['a whole pattern', { name: 'r', doc: 'D.', docZh: '說明。', column: 'kind', pattern: '[a-z]{2}' }, { kind: 'ab' }, { kind: 'abc' }],
    ['a sum of decimals that floating point misses', sum, { a: 0.1, b: 0.2, total: 0.3 }, { a: 0.1, b: 0.2, total: 0.300001 }],
    ['a sum of large whole numbers', sum, { a: 9e15, b: 1, total: 9000000000000001 }, { a: 9e15, b: 1, total: 9000000000000002 }],
    ['a difference', net, { a: 9.98, b: 9.97, total: 0.01 }, { a: 9.98, b: 9.97, total: 0.02 }],
    ['a sum within its tolerance', { ...sum, tolerance: 0.5 }, { a: 1, b: 1, total: 2.5 }, { a: 1, b: 1, total: 2.6 }],
    [
      'a formula within its tolerance',
      { name: 'r', doc: 'D.', docZh: '說明。', column: 'total', equals: 'a / b', tolerance: 0.005 },
      { a: 1, b: 3, total: 0.33 },
      { a: 1, b: 3, total: 0.34 },
    ],
    ['a condition', { name: 'r', doc: 'D.', docZh: '說明。', holds: 'a <= b' }, { a: 1, b: 2 }, { a: 2, b: 1 }],
  ]

  it.each(cases)('%s', async (_, rule, good, bad) => {
    const dataset = ruled(rule)
    const absent = Object.fromEntries(['kind', 'a', 'b', 'total'].map(name => [name, null]))
    expect(await publishing(dataset, [row(good), row({ ...absent, code: '1101' })])).toMatchObject({ status: 'published', notices: [] })
    const { status, faults } = await publishing(dataset, [row({ ...good, code: '1101' }), row(bad)])
    expect([status, faults.map(({ rule: name, count }) => [name, count])]).toEqual(['refused', [[rule.name, 1]]])
    expect(faults[0]!.samples).toMatchObject([{ row: 2, code: '2330', day: row(bad)['day'] }])
    expect(faults[0]!.message).toContain(rule.doc)
    expect(faults[0]!.message_zh).toMatch(/^[^A-Z]*：說明。請修正資料列或將其移除。$/)
  })

  it('and shows the columns it is about, with the place of the row in its file', async () => {
    const { faults } = await publishing(ruled(sum), [row({ code: '1', a: 1, b: 1, total: 2 }), row({ a: 1, b: 1, total: 3 })])
    expect(faults[0]).toMatchObject({
      column: 'total',
      samples: [{ row: 2, market: 'TWSE', code: '2330', day: '2026-06-30', total: '3.0', a: '1.0', b: '1.0' }],
    })
  })

  it('and counts the rows of each file from its own first', async () => {
    const files = ['one', 'two'].map(name => join(folder.dir, `${name}.csv`))
    const lines = (codes: readonly string[]) => codes.map(code => `TWSE,${code},2026-06-30,${code.length - 2}\n`)
    writeFileSync(files[0]!, ['market,code,day,a\n', ...lines(['aa', 'a'])].join(''))
    writeFileSync(files[1]!, ['market,code,day,a\n', ...lines(['bb', 'bbb', 'b'])].join(''))
    const dataset = ruled({ name: 'r', doc: 'D.', docZh: '說明。', column: 'a', min: 0 })
    const { faults } = await publishFiles(workspace, dataset, files, { accept: [], synthetic: false })
    expect(faults.map(({ source, samples }) => [source, samples])).toEqual([
      [0, [expect.objectContaining({ row: 2, code: 'a' })]],
      [1, [expect.objectContaining({ row: 3, code: 'b' })]],
    ])
  })
})

describe('the severity of a rule', () => {
  const rule = { name: 'positive', doc: 'Nothing is negative.', docZh: '說明。', column: 'a', min: 0 } as const
  const rows = [row({ a: -1 })]

  it('error refuses, whatever is accepted', async () => {
    const { status } = await publishing(ruled({ ...rule, severity: 'error' }), rows)
    expect(status).toBe('refused')
  })

  it('acceptable refuses until it is let pass by its name', async () => {
    const dataset = ruled({ ...rule, severity: 'acceptable' })
    const refused = await publishing(dataset, rows)
    expect([refused.status, refused.faults[0]!.message]).toEqual(['refused', expect.stringContaining('--accept positive')])
    expect(await publishing(dataset, rows, ['positive'])).toMatchObject({ status: 'published', faults: [], notices: [] })
  })

  it('warning publishes and says so, and the manifest counts the rows', async () => {
    const dataset = ruled({ ...rule, severity: 'warning' })
    const { status, faults, notices } = await publishing(dataset, rows)
    expect([status, faults, notices.map(({ rule: name, count }) => [name, count])]).toEqual(['published', [], [['positive', 1]]])
    const { checks } = stored(workspace.releases, dataset.slug).manifest
    expect(checks.find(({ rule: name }) => name === 'positive')!.measured).toMatchObject({ broken: 1, let_pass: false })
  })
})

describe('a reference to another dataset', () => {
  const refer = (change: object = {}): Dataset =>
    ruled({ name: 'known_code', doc: 'Codes are in the list.', docZh: '說明。', dataset: listed.slug, on: { code: 'code' }, ...change })
  const listed = flows({ slug: 'listed', publish: { mode: 'replace' } })

  it('is not compared before that dataset has a release', async () => {
    expect(await publishing(refer(), [row({ code: '9999' })])).toMatchObject({ status: 'published' })
  })

  it('refuses what that does not list, and takes what it does', async () => {
    await publishing(listed, [row()])
    expect(await publishing(refer(), [row()])).toMatchObject({ status: 'published' })
    const { faults } = await publishing(refer(), [row(), row({ code: '9999' })])
    expect(faults).toMatchObject([{ rule: 'known_code', count: 1, samples: [{ row: 2, code: '9999' }] }])
    expect(faults[0]!.message).toContain('code is not in listed')
  })

  it('leaves out days before that list was taken, where it says so', async () => {
    await publishing(listed, [row()])
    const dataset = refer({ since: 'day' })
    expect(await publishing(dataset, [row({ code: '9999', day: '2026-06-29' })])).toMatchObject({ status: 'published' })
    expect((await publishing(dataset, [row({ code: '9999' })])).faults).toMatchObject([{ rule: 'known_code' }])
  })
})

it('trades of a security that the list of that day lacks are published with a warning', async () => {
  const [trades, securities] = ['institutional-positioning', 'securities'].map(slug => workspace.catalog.get(slug)!)
  await publishing(securities!, securities!.example)
  const { status, notices } = await publishing(trades!, [
    trade('2330', '2026-06-30', 1),
    trade('9999', '2026-06-30', 1),
    trade('8888', '2026-06-29', 1),
  ])
  expect([status, notices]).toMatchObject([
    'published',
    [{ rule: 'known_security', severity: 'warning', count: 1, samples: [{ ticker: '9999' }] }],
  ])
})

describe('completeness against the trading calendar', () => {
  const day = (date: string, a = 1): readonly Row[] => ['1', '2'].map(code => row({ day: date, code, a: a + Number(date.slice(-2)) }))
  const days = weekdays('2026-06-01', 5)

  it('names trading days without rows between days that have some, where the batch borders on them', async () => {
    const dataset = flows({ completeness: { severity: 'warning' } })
    const { notices } = await publishing(dataset, [...day(days[0]!), ...day(days[3]!)])
    expect(notices).toMatchObject([{ rule: 'missing_days', count: 2, samples: [`TWSE ${days[1]}`, `TWSE ${days[2]}`] }])
    expect((await publishing(dataset, day(days[4]!))).notices).toEqual([])
    expect((await publishing(dataset, day(days[1]!))).notices).toMatchObject([{ samples: [`TWSE ${days[2]}`] }])
    expect((await publishing(dataset, day(days[2]!))).notices).toEqual([])
  })

  it('takes a weekend for no gap', async () => {
    const dataset = flows({ completeness: { severity: 'warning' } })
    expect((await publishing(dataset, [...day('2026-06-05'), ...day('2026-06-08')])).notices).toEqual([])
  })

  it('refuses, where the dataset says so, until it is let pass', async () => {
    const dataset = flows({ completeness: { severity: 'acceptable' } })
    const rows = [...day(days[0]!), ...day(days[2]!)]
    const { status, faults } = await publishing(dataset, rows)
    expect([status, faults.map(({ rule }) => rule)]).toEqual(['refused', ['missing_days']])
    expect(await publishing(dataset, rows, ['missing_days'])).toMatchObject({ status: 'published' })
  })
})

describe('drift of the number of rows', () => {
  const rows = (date: string, count: number): readonly Row[] =>
    Array.from({ length: count }, (_, index) => row({ day: date, code: String(index), a: index + Number(date.slice(-2)) }))
  const days = weekdays('2026-06-01', 6)
  const history = days.slice(0, 5).flatMap(date => rows(date, 10))

  it.each([
    ['is held to three quarters of the days around it where nothing is declared', undefined, 7, 'refused'],
    ['is held to what is declared', { least: 0.5 }, 7, 'published'],
    ['is held to what is declared, below it too', { least: 0.5 }, 4, 'refused'],
    ['may grow by half where nothing is declared', undefined, 16, 'refused'],
    ['may grow as declared', { most: 2 }, 16, 'published'],
    ['is not looked at where the number says nothing', 'any', 2, 'published'],
  ] as const)('%s', async (_, drift, count, status) => {
    const dataset = flows(drift === undefined ? {} : { drift })
    expect(await publishing(dataset, history)).toMatchObject({ status: 'published' })
    const outcome = await publishing(dataset, rows(days[5]!, count))
    expect([outcome.status, outcome.faults.map(({ rule }) => rule)]).toEqual([status, status === 'refused' ? ['row_count_drift'] : []])
  })

  it('of a list is held to what is declared', async () => {
    const list = (drift?: Dataset['drift']): Dataset => flows({ publish: { mode: 'replace' }, ...(drift && { drift }) })
    for (const [dataset, status] of [
      [list(), 'refused'],
      [list({ kept: 0.5 }), 'published'],
      [list('any'), 'published'],
    ] as const) {
      await publishing(dataset, rows(days[0]!, 10))
      expect((await publishing(dataset, rows(days[0]!, 8))).status).toBe(status)
    }
  })
})
