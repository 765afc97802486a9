import { afterAll, beforeAll, expect, it } from 'vitest'
import { DIFFERENCES, type DifferenceKind, diffReleases } from '../../../ingest/history/index.ts'
import { trade } from '../../fixtures/publish/rows.ts'
import { releaseIds } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'

const SLUG = 'institutional-positioning'
let s: Publisher
let ids: readonly string[]
beforeAll(async () => {
  s = await publisher()
  await s.publish(SLUG, [trade('1101', '2026-06-29', 5), trade('2330', '2026-06-29', 1), trade('2454', '2026-06-29', 3)])
  await s.publish(SLUG, [trade('1101', '2026-06-29', 5), trade('2330', '2026-06-29', -2), trade('3008', '2026-06-29', 9)])
  ids = releaseIds(s.workspace.releases, SLUG)
})
afterAll(() => s.close())

async function diff(from: string, newer: string, kinds: readonly DifferenceKind[] = DIFFERENCES) {
  const { summary, pages } = await diffReleases(s.workspace, s.dataset(SLUG), from, newer)
  const rows: unknown[] = []
  for await (const page of pages(kinds))
    for (const { kind, grain, cells } of page)
      rows.push([kind, grain['ticker'], cells.map(({ column, old, new: current }) => [column, Number(old), Number(current)])])
  return { summary, rows }
}

it('a diff lists added and removed rows, and the old and new cells of changed rows', async () => {
  const { summary, rows } = await diff(ids[0]!, ids[1]!)
  expect(summary.rows).toEqual({
    added: 1,
    changed: 1,
    removed: 1,
    confirmed: 0,
    unchanged: 1,
    by_column: { buy_streak: 1, foreign_net_buy: 1, institutional_net_buy_total: 1, sell_streak: 1 },
  })
  const changed = [
    ['foreign_net_buy', 1, -2],
    ['institutional_net_buy_total', 1, -2],
    ['buy_streak', 1, 0],
    ['sell_streak', 0, 1],
  ]
  expect(rows).toEqual([
    ['changed', '2330', changed],
    ['removed', '2454', []],
    ['added', '3008', []],
  ])
})

it('a diff lists only the requested kinds, and compares backwards', async () => {
  const { rows } = await diff(ids[1]!, ids[0]!, ['added'])
  expect(rows).toEqual([['added', '2454', []]])
})

it('a diff of a release with itself is empty and reads no part', async () => {
  const { summary, rows } = await diff(ids[1]!, ids[1]!)
  expect([rows, summary.rows.unchanged, summary.parts.compared]).toEqual([[], 3, 0])
})

it('if the date of a dataset is not part of its grain, a diff lists rows in the order of the grain', async () => {
  const names = (day: string, ...tickers: readonly string[]) =>
    tickers.map(ticker => ({ ...s.dataset('company-names').example[0], ticker, as_of_date: day }))
  await s.publish('company-names', names('2026-06-29', '1101', '2330'))
  await s.publish('company-names', names('2026-06-30', '9910', '2330', '1102'))
  const [from, newer] = releaseIds(s.workspace.releases, 'company-names')
  const { summary, pages } = await diffReleases(s.workspace, s.dataset('company-names'), from!, newer!)
  const rows: unknown[] = []
  for await (const page of pages(DIFFERENCES)) rows.push(...page.map(({ kind, grain }) => [kind, grain['ticker']]))
  expect(summary.rows).toMatchObject({ added: 2, changed: 1 })
  expect(rows).toEqual([
    ['added', '1102'],
    ['changed', '2330'],
    ['added', '9910'],
  ])
})
