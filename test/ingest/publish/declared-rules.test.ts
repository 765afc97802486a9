import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dataset, defineDataset, type Row, type RowRule } from '../../../catalog/index.ts'
import { checkFiles, publishFiles } from '../../../ingest/index.ts'
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
  coverage: { markets: [], delisted: false },
  example: [],
})

let folder: Awaited<ReturnType<typeof dataFolder>>
let workspace: Workspace
beforeAll(async () => {
  folder = await dataFolder()
  workspace = await openTestWorkspace(folder.dir)
  // Without a served calendar, `checkFiles` builds a whole calendar each time.
  const closed = { market: 'TWSE', date: '2025-01-01', is_open: false, reason: '元旦' }
  await publishRows(workspace, folder.dir, workspace.catalog.get('trading-calendar')!, [closed])
})
afterAll(async () => {
  workspace.close()
  await folder.remove()
})

let datasets = 0
/** The dataset under a new name, without a release. */
const flows = (change: Partial<Dataset>): Dataset => ({ ...FLOWS, slug: `flows-${datasets++}`, ...change })
const ruled = (rule: RowRule): Dataset => flows({ rules: [rule] })
const row = (change: Row = {}): Row => ({ market: 'TWSE', code: '2330', day: '2026-06-30', ...change })
const publishing = (dataset: Dataset, rows: readonly Row[], accept: readonly string[] = []) =>
  publishRows(workspace, folder.dir, dataset, rows, { accept })
/** Checks rows like a publication, without publishing. */
const checking = (dataset: Dataset, rows: readonly Row[]) => {
  const file = join(folder.dir, 'checked.ndjson')
  writeFileSync(file, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  return checkFiles(workspace, dataset, [file], { accept: [] })
}

describe('row rules', () => {
  const sum = { name: 'adds_up', doc: 'Both make the total.', docZh: '說明。', column: 'total', sum: ['a', 'b'] } as const
  const net = { name: 'nets', doc: 'The total is what is left.', docZh: '說明。', column: 'total', sum: ['a'], less: ['b'] } as const
  const cases: readonly (readonly [string, RowRule, Row, Row])[] = [
    ['at least', { name: 'r', doc: 'D.', docZh: '說明。', column: 'a', min: 0 }, { a: 0 }, { a: -0.1 }],
    ['more than', { name: 'r', doc: 'D.', docZh: '說明。', column: 'a', above: 0 }, { a: 0.1 }, { a: 0 }],
    ['at most', { name: 'r', doc: 'D.', docZh: '說明。', column: 'a', max: 9 }, { a: 9 }, { a: 9.1 }],
    ['less than', { name: 'r', doc: 'D.', docZh: '說明。', column: 'a', below: 9 }, { a: 8.9 }, { a: 9 }],
    ['bounds of several columns', { name: 'r', doc: 'D.', docZh: '說明。', column: ['a', 'b'], min: 0 }, { a: 1, b: 1 }, { a: 1, b: -1 }],
    [
      'bounds of a column next to an absent one',
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

  it.each(cases)('a rule declared as %s refuses only the rows that break it', async (_, rule, good, bad) => {
    const absent = Object.fromEntries(['kind', 'a', 'b', 'total'].map(name => [name, null]))
    const rows = [row({ ...good, code: '1101' }), row(bad), row({ ...absent, code: '1102' })]
    const { status, faults, notices } = await checking(ruled(rule), rows)
    expect([status, faults.map(({ rule: name, count }) => [name, count]), notices]).toEqual(['refused', [[rule.name, 1]], []])
    expect(faults[0]!.samples).toMatchObject([{ row: 2, code: '2330', day: row(bad)['day'] }])
    expect(faults[0]!.message).toContain(rule.doc)
    expect(faults[0]!.message_zh).toMatch(/^[^A-Z]*：說明。請修正資料列或將其移除。$/)
  })

  it('the fault of a broken rule shows the columns that the rule names and the row number in the file', async () => {
    const { faults } = await checking(ruled(sum), [row({ code: '1', a: 1, b: 1, total: 2 }), row({ a: 1, b: 1, total: 3 })])
    expect(faults[0]).toMatchObject({
      column: 'total',
      samples: [{ row: 2, market: 'TWSE', code: '2330', day: '2026-06-30', total: '3.0', a: '1.0', b: '1.0' }],
    })
  })

  it('row numbers of faults start at the first row of each file', async () => {
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

describe('severity', () => {
  const rule = { name: 'positive', doc: 'Nothing is negative.', docZh: '說明。', column: 'a', min: 0 } as const
  const rows = [row({ a: -1 })]

  it('a broken rule of severity error refuses the batch, and no option accepts the rule', async () => {
    const { status, faults } = await checking(ruled({ ...rule, severity: 'error' }), rows)
    expect([status, faults]).toMatchObject(['refused', [{ rule: 'positive', severity: 'error', accept: null }]])
  })

  it('a broken rule of severity acceptable refuses the batch until its name is accepted', async () => {
    const dataset = ruled({ ...rule, severity: 'acceptable' })
    const refused = await publishing(dataset, rows)
    expect([refused.status, refused.faults[0]!.message]).toEqual(['refused', expect.stringContaining('--accept positive')])
    expect(await publishing(dataset, rows, ['positive'])).toMatchObject({ status: 'published', faults: [], notices: [] })
  })

  it('a broken rule of severity warning publishes with a notice, and the manifest counts its rows', async () => {
    const dataset = ruled({ ...rule, severity: 'warning' })
    const { status, faults, notices } = await publishing(dataset, rows)
    expect([status, faults, notices.map(({ rule: name, count }) => [name, count])]).toEqual(['published', [], [['positive', 1]]])
    const { checks } = stored(workspace.releases, dataset.slug).manifest
    expect(checks.find(({ rule: name }) => name === 'positive')!.measured).toMatchObject({ broken: 1, let_pass: false })
  })
})

describe('references', () => {
  const refer = (change: object = {}): Dataset =>
    ruled({ name: 'known_code', doc: 'Codes are in the list.', docZh: '說明。', dataset: listed.slug, on: { code: 'code' }, ...change })
  const listed = flows({ slug: 'listed', publish: { mode: 'replace' } })

  it('a reference to another dataset is not checked before that dataset has a release', async () => {
    expect(await checking(refer(), [row({ code: '9999' })])).toMatchObject({ status: 'publishable' })
  })

  it('a reference to another dataset refuses values that are missing in the served list of that dataset', async () => {
    await publishing(listed, [row()])
    const { faults } = await checking(refer(), [row(), row({ code: '9999' })])
    expect(faults).toMatchObject([{ rule: 'known_code', count: 1, samples: [{ row: 2, code: '9999' }] }])
    expect(faults[0]!.message).toContain('code is not in listed')
  })

  it('a reference with `since` skips days before the served list', async () => {
    await publishing(listed, [row()])
    const { faults } = await checking(refer({ since: 'day' }), [row({ code: '9999', day: '2026-06-29' }), row({ code: '9998' })])
    expect(faults).toMatchObject([{ rule: 'known_code', count: 1, samples: [{ code: '9998' }] }])
  })
})

it('if a security is missing from the list of a day, its trades of that day are published with a warning', async () => {
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

describe('completeness', () => {
  const day = (date: string, a = 1): readonly Row[] => ['1', '2'].map(code => row({ day: date, code, a: a + Number(date.slice(-2)) }))
  const days = weekdays('2026-06-01', 5)

  it('missing_days names trading days that have no rows and are adjacent to the published days', async () => {
    const dataset = flows({ completeness: { severity: 'warning' } })
    const { notices } = await publishing(dataset, [...day(days[0]!), ...day(days[3]!)])
    expect(notices).toMatchObject([{ rule: 'missing_days', count: 2, samples: [`TWSE ${days[1]}`, `TWSE ${days[2]}`] }])
    expect((await checking(dataset, day(days[4]!))).notices).toEqual([])
    expect((await checking(dataset, day(days[1]!))).notices).toMatchObject([{ samples: [`TWSE ${days[2]}`] }])
    expect((await checking(dataset, day(days[2]!))).notices).toMatchObject([{ samples: [`TWSE ${days[1]}`] }])
  })

  it('missing_days does not count a weekend', async () => {
    const dataset = flows({ completeness: { severity: 'warning' } })
    expect((await checking(dataset, [...day('2026-06-05'), ...day('2026-06-08')])).notices).toEqual([])
  })

  it('missing_days of severity acceptable refuses the batch until it is accepted', async () => {
    const dataset = flows({ completeness: { severity: 'acceptable' } })
    const rows = [...day(days[0]!), ...day(days[2]!)]
    const { status, faults } = await publishing(dataset, rows)
    expect([status, faults.map(({ rule }) => rule)]).toEqual(['refused', ['missing_days']])
    expect(await publishing(dataset, rows, ['missing_days'])).toMatchObject({ status: 'published' })
  })
})

describe('drift of row counts', () => {
  const rows = (date: string, count: number): readonly Row[] =>
    Array.from({ length: count }, (_, index) => row({ day: date, code: String(index), a: index + Number(date.slice(-2)) }))
  const days = weekdays('2026-06-01', 6)

  it("a day's row count is limited by the declared drift", async () => {
    const plain = flows({})
    await publishing(
      plain,
      days.slice(0, 5).flatMap(date => rows(date, 10)),
    )
    for (const [drift, count, status] of [
      [{ least: 0.5 }, 7, 'publishable'],
      [{ least: 0.5 }, 4, 'refused'],
      [{ most: 2 }, 16, 'publishable'],
      ['any', 2, 'publishable'],
    ] as const) {
      const checked = await checking({ ...plain, drift }, rows(days[5]!, count))
      const faults = status === 'refused' ? ['row_count_drift'] : []
      expect
        .soft([checked.status, checked.faults.map(({ rule }) => rule)], `drift ${JSON.stringify(drift)}, ${count} rows`)
        .toEqual([status, faults])
    }
  })

  it("a list's row count is limited by the declared drift", async () => {
    const plain = flows({ publish: { mode: 'replace' } })
    await publishing(plain, rows(days[0]!, 10))
    for (const [drift, status] of [
      [undefined, 'refused'],
      [{ kept: 0.5 }, 'publishable'],
      ['any', 'publishable'],
    ] as const) {
      const checked = await checking(drift === undefined ? plain : { ...plain, drift }, rows(days[0]!, 8))
      expect.soft(checked.status, `drift ${JSON.stringify(drift)}`).toBe(status)
    }
  })
})
