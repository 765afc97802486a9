import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Dataset, Row } from '../../../catalog/index.ts'
import { publishFiles } from '../../../ingest/index.ts'
import { day } from '../../fixtures/publish/rows.ts'
import { damagedParts, sha256, stored, storedRows } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'institutional-positioning'
/** sha256 over names, types and nullability of the dataset's columns, as in its releases. */
const GOLDEN_HASH = 'c2a2bdc134e6859cc952c0e02fbd118a6e5016e5e9c02dee16ac51d52d9a57d4'
let s: Publisher
beforeAll(async () => {
  s = await publisher()
  await s.publish(SLUG, [...day('2026-06-24', 1), ...day('2026-06-25', 2)])
})
afterAll(() => s.close())

function partitionFile(name: string, rows: readonly Row[]): string {
  const file = join(s.dir, name)
  writeFileSync(file, rows.map(row => JSON.stringify(row)).join('\n'))
  return file
}

it('a manifest states the rows, keys, dates and spans of its parts', async () => {
  await s.publish(SLUG, [...day('2026-06-26', 3, ['2330', '2454', '3008'])])
  const { manifest, spans, spansSha256 } = stored(s.workspace.releases, SLUG)
  const [whole] = await storedRows(
    s.workspace.session,
    s.workspace.releases,
    SLUG,
    'count(*)::INTEGER AS rows, count(DISTINCT ticker)::INTEGER AS keys, min(trade_date)::VARCHAR AS first_date, max(trade_date)::VARCHAR AS last_date',
  )
  expect(manifest.statistics).toEqual({ ...whole, distinct: {}, completeness: null, spans: spansSha256 })
  expect(whole).toMatchObject({ rows: 9, keys: 4, first_date: '2026-06-24', last_date: '2026-06-26' })
  expect([manifest.data_as_of, manifest.key, manifest.synthetic, manifest.schema_hash]).toEqual([
    '2026-06-26',
    'ticker',
    false,
    GOLDEN_HASH,
  ])
  expect(spans.base).toEqual(Object.fromEntries(['1101', '2330', '2454'].map(ticker => [ticker, ['2026-06-24', '2026-06-25', 2]])))
  expect(spans.delta).toEqual(Object.fromEntries(['2330', '2454', '3008'].map(ticker => [ticker, ['2026-06-26', '2026-06-26', 1]])))
  expect(Object.entries(spans.slices).map(([name, [rows]]) => [name, rows])).toEqual(
    ['2026-06-24', '2026-06-25', '2026-06-26'].map(date => [`TWSE ${date}`, 3]),
  )
})

it('a manifest states the bytes, rows, keys and dates of each part, and names each part by its sha256', async () => {
  const { manifest, paths } = stored(s.workspace.releases, SLUG)
  expect(manifest.parts).toHaveLength(2)
  for (const { sha256: name, bytes, role: _role, bucket: _bucket, ...stated } of manifest.parts) {
    expect([sha256(readFileSync(paths.part(name))), statSync(paths.part(name)).size]).toEqual([name, bytes])
    const [facts] = await s.workspace.session.rows(
      `SELECT count(*)::INTEGER AS rows, min(ticker) AS first_key, max(ticker) AS last_key, min(trade_date)::VARCHAR AS first_date,
         max(trade_date)::VARCHAR AS last_date FROM read_parquet('${paths.part(name)}')`,
    )
    expect(stated).toEqual(facts)
  }
  expect(damagedParts(s.workspace.releases, SLUG)).toEqual([])
})

it('a manifest lists its source files with sha256 and rows, and the checks they passed', async () => {
  const files = [partitionFile('29.ndjson', day('2026-06-29', 4)), partitionFile('30.ndjson', day('2026-06-30', 5, ['2330']))]
  await publishFiles(s.workspace, s.dataset(SLUG), files, { accept: ['row_count_drift'], synthetic: false })
  const { sources, checks } = stored(s.workspace.releases, SLUG).manifest
  expect(sources).toEqual(
    files.map((file, index) => ({
      name: ['29.ndjson', '30.ndjson'][index],
      sha256: sha256(readFileSync(file)),
      bytes: statSync(file).size,
      rows: [3, 1][index],
      read_as: 'ndjson',
      url: null,
    })),
  )
  const rules = [
    'columns',
    'types',
    'nulls',
    'grain',
    'dates',
    'same_body',
    'row_count_drift',
    'missing_days',
    'legs_add_up',
    'known_market',
    'known_security',
    'read_back',
  ]
  expect(checks.map(({ rule }) => rule)).toEqual(rules)
  expect(checks.filter(({ measured }) => measured['let_pass']).map(({ rule }) => rule)).toEqual(['row_count_drift'])
})

it('the manifest of a snapshot counts distinct keys over the whole release', async () => {
  await s.publish('broker-branch-reference', s.dataset('broker-branch-reference').example)
  const { statistics } = stored(s.workspace.releases, 'broker-branch-reference').manifest
  expect(statistics.distinct).toEqual({ parent_broker_code: 1, branch_code: 2 })
})

const EVENTS = 'company-risk-events'
const event = ([event_date, symbol, description = 'a']: readonly string[]) => ({
  ...s.dataset(EVENTS).example[0],
  event_date,
  symbol,
  description,
})

it('a manifest records the kind, counts and dates of its change', async () => {
  await s.publish(EVENTS, [event(['2026-06-24', '2330']), event(['2026-06-25', '2330'])])
  const steps: readonly (readonly [what: string, rows: readonly (readonly string[])[], changes: object])[] = [
    ['a new day', [['2026-06-26', '1101']], change('new_rows', { added: ['2026-06-26', '2026-06-26'] })],
    ['a day before the newest', [['2026-06-23', '1101']], change('backfill', { added: ['2026-06-23', '2026-06-23'] })],
    ['a changed row', [['2026-06-24', '2330', 'b']], change('revision', { changed: ['2026-06-24', '2026-06-24'] })],
    [
      'a changed row and an added one of an earlier day',
      [
        ['2026-06-25', '2330', 'b'],
        ['2026-06-24', '1101'],
      ],
      change('revision', { added: ['2026-06-24', '2026-06-24'], changed: ['2026-06-25', '2026-06-25'] }),
    ],
    [
      'a new day and a changed row',
      [
        ['2026-06-27', '2330'],
        ['2026-06-24', '2330', 'c'],
      ],
      change('new_rows', { added: ['2026-06-27', '2026-06-27'], changed: ['2026-06-24', '2026-06-24'] }),
    ],
    [
      'a changed row and an added one of the newest day',
      [
        ['2026-06-24', '2330', 'd'],
        ['2026-06-27', '1101'],
      ],
      change('revision', { added: ['2026-06-27', '2026-06-27'], changed: ['2026-06-24', '2026-06-24'] }),
    ],
  ]
  for (const [what, rows, expected] of steps) {
    const before = stored(s.workspace.releases, EVENTS).release
    const { changes } = await s.publish(EVENTS, rows.map(event))
    const { manifest } = stored(s.workspace.releases, EVENTS)
    expect.soft(changes, what).toEqual(expected)
    expect.soft([manifest.changes, manifest.parent], what).toEqual([changes, before])
  }
})

type Days = readonly [from: string, to: string]
/** A change with one row for each given span of days. */
function change(kind: string, { added = null, changed = null }: { readonly added?: Days | null; readonly changed?: Days | null }) {
  const days = [added, changed].flatMap(span => span ?? []).sort()
  return {
    kind,
    rows_added: added ? 1 : 0,
    rows_changed: changed ? 1 : 0,
    rows_removed: 0,
    date_from: days[0],
    date_to: days.at(-1),
    reach: { added, changed, removed: null },
  }
}

it('old rows have null in a new nullable column; a new required column is refused, because it would drop old rows', async () => {
  const fresh = await publisher()
  const wide = fresh.dataset(EVENTS)
  const { description, ...columns } = wide.columns
  const nullable = { ...wide, columns: { ...wide.columns, description: { ...description!, nullable: true as const } } }
  /**
   * Schema hash of `nullable`. A different hash means that stored parts no longer match the
   * catalog.
   */
  const NULLABLE_HASH = '192cc0841f8b8c1a4aa03bf7ccbd805785f3bfce8a60c9590f6f4b53355b2c21'
  const old = wide.example.map(({ description: _, ...row }) => row)
  const added = { ...wide.example[0], event_date: '2026-07-01', description: 'new' }
  const publish = (dataset: Dataset, rows: readonly Row[]) =>
    publishFiles(fresh.workspace, dataset, [fresh.partition(rows)], { accept: [], synthetic: false })
  await fresh.publishSomeCalendar()
  await publish({ ...wide, columns }, old)

  expect((await publish(wide, [added])).faults).toMatchObject([{ rule: 'schema_change', samples: [{ rows: 3 }] }])
  expect(await fresh.check(EVENTS, [added], ['schema_change'])).toMatchObject({ status: 'publishable' })

  const narrow = stored(fresh.workspace.releases, EVENTS).release
  expect(await publish(nullable, old)).toMatchObject({ status: 'published', changes: { kind: 'schema_change' } })
  const { schema_hash, statistics, parent } = stored(fresh.workspace.releases, EVENTS).manifest
  expect([schema_hash, statistics.rows, parent]).toEqual([NULLABLE_HASH, 3, narrow])
  await publish(nullable, [added])
  const rows = await fresh.rows(EVENTS, 'description', 'ORDER BY event_date')
  expect(rows.map(row => row['description'])).toEqual([null, null, null, 'new'])
  await fresh.close()
})
