import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishFiles } from '../ingest/index.ts'
import { type EndedPublication, openWorkspace, type Workspace } from '../ingest/publish/index.ts'
import { literal } from '../src/engine/index.ts'
import { clock, folderOf, SIZES, type Size, tradingDays } from './data.ts'
import { cloned } from './drop.ts'
import { type Line, median } from './table.ts'

const HISTORY_DAYS = 600
const DAYS = tradingDays('2026-06-30', HISTORY_DAYS + 3)
const [HISTORY, APPENDED] = [DAYS.slice(0, HISTORY_DAYS), DAYS.slice(HISTORY_DAYS)]
const QUOTES = 'daily-prices'

/** Measures publications that recompute all datasets which depend on prices. */
export async function measureComputed(size: Exclude<Size, 'grown'>, say: (text: string) => void): Promise<readonly Line[]> {
  const folder = folderOf('computed')
  const made = join(folder, `made-${size}`)
  if (!existsSync(made)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    say('publishing prices and all datasets computed from them')
    await withWorkspace(folder, async workspace => {
      await publishSelected(workspace, 'ex-rights', DIVIDENDS)
      await publishSelected(workspace, 'capital-changes', REDUCTION)
      await publishSelected(workspace, 'foreign-holding', holdingsOf(size, HISTORY.slice(-20)))
      await publishSelected(workspace, QUOTES, quotesOf(size, HISTORY))
    })
    writeFileSync(made, '')
  }
  const copy = cloned('computed')
  const [totals, quotes, computed]: [number[], number[], Map<string, number[]>] = [[], [], new Map()]
  let ended: EndedPublication[] = []
  await withWorkspace(
    copy,
    async workspace => {
      for (const day of APPENDED) {
        ended = []
        totals.push(await publishSelected(workspace, QUOTES, quotesOf(size, [day])))
        for (const { dataset, ms } of ended)
          if (dataset === QUOTES) quotes.push(ms)
          else computed.set(dataset, [...(computed.get(dataset) ?? []), ms])
      }
    },
    publication => ended.push(publication),
  )
  rmSync(copy, { recursive: true, force: true })
  return [
    {
      name: 'append a day of prices, until all computed datasets are served',
      measured: median(totals),
      unit: 'ms',
      goal: { atMost: 3_000 },
    },
    { name: '  slowest of the days', measured: Math.max(...totals), unit: 'ms' },
    { name: '  of which publishing the prices', measured: median(quotes), unit: 'ms' },
    ...[...computed].map(([slug, times]) => ({ name: `  publishing ${slug}, up to two at a time`, measured: median(times), unit: 'ms' })),
  ]
}

export async function withWorkspace(
  folder: string,
  work: (workspace: Workspace) => Promise<void>,
  published?: Workspace['published'],
): Promise<void> {
  const workspace = await openWorkspace(folder, clock, undefined, undefined, published)
  try {
    await work(workspace)
  } finally {
    workspace.close()
  }
}

export async function publishSelected(workspace: Workspace, slug: string, select: string): Promise<number> {
  const file = join(workspace.scratch, 'rows.parquet')
  await workspace.session.run(`COPY (${select}) TO ${literal(file)} (FORMAT parquet)`)
  const began = performance.now()
  const { status, faults, followUps } = await publishFiles(workspace, workspace.catalog.get(slug)!, [file], {
    accept: ['row_count_drift', 'same_body'],
    synthetic: true,
  })
  const ms = performance.now() - began
  const refused = [...faults, ...followUps.flatMap(({ outcome }) => outcome.faults)]
  if (status !== 'published' || refused.length > 0) throw new Error(`${slug} was ${status}: ${JSON.stringify(refused)}`)
  return ms
}

const DIVIDENDS = `
  SELECT ticker, market, DATE '2003-05-05' AS ex_date, '範例' AS name, 'dividend' AS kind, 20.0::DOUBLE AS close_before,
    19.0::DOUBLE AS reference_price, 1.0::DOUBLE AS value
  FROM (VALUES ('9999', 'TWSE'), ('9998', 'TPEX')) AS t(ticker, market)`

const REDUCTION = `
  SELECT '9999' AS ticker, 'TWSE' AS market, DATE '2010-05-05' AS resume_date, '範例' AS name, 'capital_reduction' AS change_type,
    '彌補虧損' AS reason, 20.0::DOUBLE AS close_before, 40.0::DOUBLE AS reference_price`

const holdingsOf = (size: Size, days: readonly string[]): string => `
  SELECT (1000 + t)::VARCHAR AS ticker, CASE WHEN t % 2 = 0 THEN 'TWSE' ELSE 'TPEX' END AS market, day AS trade_date, '範例' AS name,
    1000000::BIGINT AS issued_shares, 1000000::BIGINT AS available_shares, 0::BIGINT AS held_shares,
    100.0::DOUBLE AS available_pct, 0.0::DOUBLE AS held_pct, 100.0::DOUBLE AS foreign_limit_pct
  FROM range(${SIZES[size]}) AS r(t), (SELECT unnest([${days.map(literal).join(', ')}])::DATE AS day)`

const quotesOf = (size: Size, days: readonly string[]): string => `
  SELECT (1000 + t)::VARCHAR AS ticker, CASE WHEN t % 2 = 0 THEN 'TWSE' ELSE 'TPEX' END AS market, day AS trade_date, '範例' AS name,
    close AS open, round(close * 1.02, 2) AS high, round(close * 0.98, 2) AS low, close,
    (hash(t, day) % 10000000)::BIGINT AS volume, 1000::BIGINT AS turnover, 10::BIGINT AS trades
  FROM (
    SELECT t, day, round(50 + 20 * sin(epoch(day) / 2.6e6 + t) + 10 * sin(epoch(day) / 6e5 + 2 * t) + (hash(day, t) % 1000) / 200.0, 2) AS close
    FROM range(${SIZES[size]}) AS r(t), (SELECT unnest([${days.map(literal).join(', ')}])::DATE AS day)
  )`
