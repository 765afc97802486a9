import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadCatalog, type Row } from '../../../catalog/index.ts'
import { diffReleases } from '../../../ingest/history/index.ts'
import { publishFiles } from '../../../ingest/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { testWorkspaces } from '../../fixtures/ingest/workspace.ts'
import { trade } from '../../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { publishRows } from '../../support.ts'

const SLUG = 'institutional-positioning'
const dataset = (await loadCatalog()).get(SLUG)!
const { dir, now: workspace } = testWorkspaces()

const now = () => stored(workspace().releases, SLUG)
const publish = (rows: readonly Row[]) => publishRows(workspace(), dir(), dataset, rows, { accept: ['row_count_drift', 'same_body'] })
const COLUMNS = Object.keys(dataset.columns).join(', ')
/**
 * Rows of one release that are missing or different in another, by grain. Reads all parts of both.
 */
async function rowsOnlyIn(first: readonly string[], other: readonly string[]): Promise<ReadonlyMap<string, Row>> {
  const all = (files: readonly string[]) => `SELECT ${COLUMNS} FROM read_parquet([${files.map(file => `'${file}'`).join(', ')}])`
  const rows = await workspace().session.rows(`${all(first)} EXCEPT ${all(other)}`)
  return new Map(rows.map(row => [`${row['ticker']} ${row['trade_date']}`, row]))
}

/** The differences between two sets of rows, row by row. */
function compare(before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row>) {
  const found: Record<string, unknown> = {}
  for (const [name, row] of after) {
    const former = before.get(name)
    if (!former) found[name] = 'added'
    else {
      const cells = Object.keys(row).filter(column => row[column] !== former[column])
      if (cells.length > 0) found[name] = cells.map(column => [column, former[column], row[column]])
    }
  }
  for (const name of before.keys()) if (!after.has(name)) found[name] = 'removed'
  return found
}

async function differencesBetween(from: string, newer: string) {
  const { summary, pages } = await diffReleases(workspace(), dataset, from, newer)
  const found: Record<string, unknown> = {}
  const number = (value: unknown) => (typeof value === 'number' && Number.isInteger(value) ? String(value) : value)
  // The client sends 64-bit integers as text.
  const textual = new Set(Object.entries(dataset.columns).flatMap(([name, { type }]) => (type === 'integer' ? [name] : [])))
  for await (const page of pages(['added', 'changed', 'removed', 'confirmed']))
    for (const { kind, grain, cells } of page) {
      const value = (column: string, cell: unknown) => (textual.has(column) ? number(cell) : cell)
      found[`${grain['ticker']} ${grain['trade_date']}`] =
        kind === 'changed' ? cells.map(cell => [cell.column, value(cell.column, cell.old), value(cell.column, cell.new)]) : kind
    }
  return { summary, found }
}

/** Days of two months, so that appended days are merged into their buckets. */
const DAYS = ['2026-05-27', '2026-05-28', '2026-05-29', '2026-06-01', '2026-06-02', '2026-06-03']

it('a diff equals a row-by-row comparison after appends, revisions, merges into buckets and bucket splits', async () => {
  // 30,000 rows fill two buckets; with a second market they fill four.
  const bulk = (market: string, first: number, foreign = 'd') =>
    `SELECT printf('%04d', ${first} + t) AS ticker, '${market}' AS market, DATE '2026-02-02' + (d // 5 * 7 + d % 5)::INTEGER AS trade_date,
       10 * t + ${foreign} AS foreign_net_buy, d AS investment_trust_net_buy, t AS dealer_net_buy FROM range(750) AS a(t), range(40) AS b(d)`
  const publishBulk = async (query: string) => {
    const file = join(dir(), 'bulk.parquet')
    await workspace().session.run(`COPY (${query}) TO '${file}' (FORMAT parquet)`)
    expect(await publishFiles(workspace(), dataset, [file], { accept: [], synthetic: false })).toMatchObject({ status: 'published' })
  }
  const made: { readonly id: string; readonly files: readonly string[]; readonly rows: number }[] = []
  const remember = () => {
    const { release, files, manifest } = now()
    if (made.at(-1)?.id !== release) made.push({ id: release, files, rows: manifest.statistics.rows })
  }
  await publishBulk(bulk('TWSE', 1000))
  remember()
  let seed = 7
  const chance = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (const day of DAYS) {
    const tickers = Array.from({ length: 40 }, () => String(1000 + chance(760)))
    await publish([...new Set(tickers)].map(ticker => trade(ticker, day, chance(1_000) - 500)))
    remember()
    if (chance(3) > 0) continue
    const revised = DAYS[chance(DAYS.indexOf(day) + 1)]!
    const remaining = tickers.filter(() => chance(4) > 0)
    await publish([...new Set(remaining)].map(ticker => trade(ticker, revised, chance(1_000) - 500)))
    remember()
  }
  expect(now().manifest.buckets).toBe(2)
  await publishBulk(bulk('TPEX', 4000))
  remember()
  await publishBulk(`${bulk('TWSE', 1000, 'd + (t = 3 AND d = 17)::INTEGER')} WHERE d = 17`)
  remember()
  expect(made.length).toBeGreaterThan(8)
  const pairs = made.flatMap((from, at) => [made[at + 1], made[at + 3]].flatMap(to => (to ? [[from, to] as const] : [])))
  const shared = new Set<number>()
  for (const [from, newer] of [...pairs, ...pairs.slice(-2).map(([from, to]) => [to, from] as const)]) {
    const { summary, found } = await differencesBetween(from.id, newer.id)
    const expected = compare(await rowsOnlyIn(from.files, newer.files), await rowsOnlyIn(newer.files, from.files))
    expect(found).toEqual(expected)
    const count = (kind: string) => Object.values(expected).filter(one => (Array.isArray(one) ? 'changed' : one) === kind).length
    const counts = { added: count('added'), changed: count('changed'), removed: count('removed'), confirmed: 0 }
    expect(summary.rows).toMatchObject({ ...counts, unchanged: newer.rows - counts.added - counts.changed })
    shared.add(summary.parts.shared)
  }
  expect([...shared].sort()).toEqual(expect.arrayContaining([0, 2]))
}, 120_000)

describe('twmd releases diff', () => {
  let ids: readonly string[]
  beforeEach(async () => {
    await publish([trade('1101', '2026-06-29', 5), trade('2330', '2026-06-29', 1), trade('2454', '2026-06-29', 3)])
    await publish([trade('1101', '2026-06-29', 5), trade('2330', '2026-06-29', -2), trade('3008', '2026-06-29', 9)])
    ids = releaseIds(workspace().releases, SLUG)
  })

  const diff = (...args: string[]) => twmd(dir(), 'releases', 'diff', SLUG, ...args)

  it('twmd releases diff prints the rows added, changed and removed since the parent of the served release', async () => {
    expect(await diff()).toEqual({
      code: 0,
      stderr: '',
      stdout: `${ids[0]} → ${ids[1]}
1 added, 1 changed, 1 removed, 1 unchanged
changed cells: buy_streak (1), foreign_net_buy (1), institutional_net_buy_total (1), sell_streak (1)
~ 2330 2026-06-29
    foreign_net_buy: 1 → -2
    institutional_net_buy_total: 1 → -2
    buy_streak: 1 → 0
    sell_streak: 0 → 1
- 2454 2026-06-29
+ 3008 2026-06-29
`,
    })
  })

  it('twmd releases diff --format json honours --only and --limit, and compares backwards', async () => {
    const json = async (...args: string[]) => JSON.parse((await diff(...args, '--format', 'json')).stdout)
    expect(await json(ids[0]!, 'served', '--only', 'changed')).toEqual({
      dataset: SLUG,
      from: ids[0],
      to: ids[1],
      grain: ['ticker', 'trade_date'],
      rows: {
        added: 1,
        changed: 1,
        removed: 1,
        confirmed: 0,
        unchanged: 1,
        by_column: { buy_streak: 1, foreign_net_buy: 1, institutional_net_buy_total: 1, sell_streak: 1 },
      },
      columns_added: [],
      columns_removed: [],
      parts: { compared: 3, shared: 0 },
      differences: [
        {
          kind: 'changed',
          grain: { ticker: '2330', trade_date: '2026-06-29' },
          cells: [
            { column: 'foreign_net_buy', old: 1, new: -2 },
            { column: 'institutional_net_buy_total', old: 1, new: -2 },
            { column: 'buy_streak', old: 1, new: 0 },
            { column: 'sell_streak', old: 0, new: 1 },
          ],
        },
      ],
    })
    const backwards = await json('served', 'parent', '--limit', '2')
    expect(backwards.differences.map((row: { kind: string; grain: object }) => [row.kind, ...Object.values(row.grain)])).toEqual([
      ['changed', '2330', '2026-06-29'],
      ['added', '2454', '2026-06-29'],
    ])
    expect(await json('served', 'served')).toMatchObject({ rows: { unchanged: 3 }, differences: [] })
  })

  it('twmd releases diff --format csv prints one line per changed cell', async () => {
    const { stdout } = await diff('--format', 'csv')
    expect(stdout.split('\n')).toEqual([
      'kind,ticker,trade_date,column,old,new',
      'changed,2330,2026-06-29,foreign_net_buy,1,-2',
      'changed,2330,2026-06-29,institutional_net_buy_total,1,-2',
      'changed,2330,2026-06-29,buy_streak,1,0',
      'changed,2330,2026-06-29,sell_streak,0,1',
      'removed,2454,2026-06-29,,,',
      'added,3008,2026-06-29,,,',
      '',
    ])
    expect((await diff('--format', 'csv', '--only', 'added', '--limit', '0')).stdout).toBe('kind,ticker,trade_date,column,old,new\n')
  })

  it('twmd releases diff --limit states how many rows it left out', async () => {
    const { stdout } = await diff('--limit', '1')
    expect(stdout).toContain('… and 2 more; use --limit or --format csv.\n')
  })

  it('twmd releases diff refuses an unknown release, a damaged release and invalid options', async () => {
    expect(await diff('20200101T000000000Z')).toMatchObject({
      code: 1,
      stderr: `There is no release 20200101T000000000Z of ${SLUG}. Nearest: ${ids[0]}. twmd releases list ${SLUG} shows all.\n`,
    })
    expect(await diff('--format', 'xml')).toMatchObject({ code: 2 })
    expect(await diff('--limit', '-3')).toMatchObject({ code: 2 })
    const [part] = now().files
    await workspace().session.run(`COPY (SELECT 1 AS a) TO '${part}' (FORMAT parquet)`)
    expect(await diff()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^Release ${ids[1]} of ${SLUG} is damaged: part `)),
    })
  })
})
