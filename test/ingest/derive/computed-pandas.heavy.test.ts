import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import type { Workspace } from '../../../ingest/publish/index.ts'
import { addDays } from '../../../src/core/index.ts'
import { real, realFilesThere } from '../../behaviour/real-files/files.ts'
import { hasModules } from '../../delta/engines.ts'
import { twmd } from '../../fixtures/cli/in-process.ts'
import { change, exDay } from '../../fixtures/ingest/events.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { dataFolder, openTestWorkspace, publishRows } from '../../support.ts'
import { LONG_AGO } from './adjusted.ts'

const PYTHON = process.env['PYTHON'] ?? '.venv/bin/python'
const MODULES = 'pandas,pyarrow,ta'
const isThere = hasModules(PYTHON, MODULES)
if (!isThere) console.warn(`Skipped: ${PYTHON} lacks ${MODULES}; set PYTHON to a Python that has them.`)

/** Rows of a dataset by stage: a history, one appended day or month, and revised old rows. */
interface Stages {
  readonly history: readonly Row[]
  readonly appended: readonly Row[]
  readonly revised: readonly Row[]
}

/** The last day or month is appended. Old rows of some securities are revised. */
function stagesOf(rows: readonly Row[], date: string, revise: (row: Row) => Row): Stages {
  const days = [...new Set(rows.map(row => row[date] as string))].sort()
  const [last, old] = [days.at(-1)!, days[Math.floor(days.length / 3)]!]
  const ofDay = rows.filter(row => row[date] === old)
  return {
    history: rows.filter(row => row[date] !== last),
    appended: rows.filter(row => row[date] === last),
    revised: ofDay.map((row, n) => (n % 4 === 0 ? revise(row) : row)),
  }
}

const cents = (value: number): number => Math.round(value * 100) / 100

/** Numbers from 0 to 1, the same in each run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

function weekdays(last: string, count: number): readonly string[] {
  const days: string[] = []
  for (let day = last; days.length < count; day = addDays(day, -1))
    if (![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())) days.unshift(day)
  return days
}

const TICKERS = Array.from({ length: 20 }, (_, n) => String(1101 + n))
const DAYS = weekdays('2026-06-30', 640)
const marketOf = (ticker: string): string => (Number(ticker) % 3 === 0 ? 'TPEX' : 'TWSE')
const quote = (ticker: string, trade_date: string, high: number | null, low: number | null, close: number | null): Row => ({
  ticker,
  market: marketOf(ticker),
  trade_date,
  name: '範例',
  open: close,
  high,
  low,
  close,
  volume: close === null ? 0 : 1_000 + Math.round(close * 7),
  turnover: 0,
  trades: 1,
})

/** Moves of up to 10 % a day, days without trades, a new security and a suspended one. */
function syntheticQuotes(): readonly Row[] {
  return TICKERS.flatMap((ticker, index) => {
    const next = random(index + 1)
    let close = 20 + 60 * next()
    return DAYS.flatMap((day, n) => {
      const reference = close
      close = cents(Math.max(5, close * (0.9 + 0.2 * next())))
      const [isIdle, isAbsent] = [next() < 0.02, (index === 1 && n < 560) || (index === 2 && n > 200 && n < 610)]
      if (isAbsent) return []
      if (isIdle) return [quote(ticker, day, null, null, null)]
      return [quote(ticker, day, cents(Math.max(close, reference) + next()), cents(Math.min(close, reference) - next()), close)]
    })
  })
}

const DIVIDENDS = TICKERS.slice(0, 8).map((ticker, n) => ({
  ...exDay(ticker, DAYS[150 + 50 * n]!, 40, 38, marketOf(ticker)),
  opening_reference: 38,
}))

/** Example rows of a dataset with other values, without derived columns. */
function examplesOf({ catalog }: Workspace, slug: string, values: readonly Row[]): readonly Row[] {
  const { columns, example } = catalog.get(slug)!
  const isStored = (name: string): boolean => columns[name]!.derived === undefined && columns[name]!.virtual === undefined
  return values.map(row => Object.fromEntries(Object.entries({ ...(example[0] as Row), ...row }).filter(([name]) => isStored(name))))
}

/** Rows of the other inputs, each with the date column and a change of a row. */
function otherInputs(workspace: Workspace): ReadonlyMap<string, Stages> {
  const next = random(99)
  const below = (most: number): number => Math.floor(next() * most)
  const recent = DAYS.slice(-100)
  const rowsOn = (dates: readonly string[], row: (ticker: string, day: string) => Row): readonly Row[] =>
    TICKERS.flatMap(ticker => dates.map(day => ({ ticker, market: marketOf(ticker), ...row(ticker, day) })))
  const holdings = rowsOn(recent, (_, trade_date) => ({
    trade_date,
    issued_shares: 1_000_000 + below(1_000_000),
    held_shares: 0,
    available_shares: 0,
    held_pct: 0,
    available_pct: 0,
  }))
  const lent = (sold: number, trade_date: string): Row => ({
    trade_date,
    previous_balance: 5_000,
    sold,
    returned: 0,
    adjusted: 0,
    balance: 5_000 + sold,
    next_day_limit: below(10) === 0 ? null : 1_000 + below(9_000),
    margin_short_previous_balance: 500,
    margin_short_sold: 0,
    margin_short_bought: 0,
    margin_short_returned: 0,
    margin_short_balance: 500,
    margin_short_limit: below(5) === 0 ? 0 : 10_000,
  })
  const ratios = rowsOn(DAYS.slice(-300), (_, trade_date) => ({
    trade_date,
    pe_ratio: below(8) === 0 ? null : 1 + below(3_000) / 100,
    pb_ratio: 1 + below(300) / 100,
    dividend_yield: below(800) / 100,
  }))
  const months = Array.from({ length: 70 }, (_, n) =>
    addDays(`${2020 + Math.floor((n + 9) / 12)}-${String(((n + 9) % 12) + 1).padStart(2, '0')}-01`, -1),
  )
  const revenues = rowsOn(months, (_, period_end) => ({
    period_end,
    month: period_end.slice(0, 7),
    revenue: 1_000 * (10 + below(90)),
    report_date: addDays(period_end, 10),
  }))
  const weeks = Array.from({ length: 8 }, (_, n) => addDays('2026-05-01', 7 * n))
  const levels = TICKERS.flatMap(ticker =>
    weeks.flatMap(week_date => {
      const own = [11, 12, 13, 14, 15].map(level => ({
        ticker,
        week_date,
        level,
        holders: 1 + below(50),
        shares: 1_000 + below(100_000),
        percent: 0,
      }))
      const total = (name: 'holders' | 'shares'): number => own.reduce((sum, row) => sum + row[name], 0)
      return [...own, { ticker, week_date, level: 17, holders: total('holders'), shares: total('shares'), percent: 0 }]
    }),
  )
  const lending = rowsOn(recent, (_, day) => lent(below(2_000), day))
  return new Map([
    [
      'foreign-holding',
      stagesOf(examplesOf(workspace, 'foreign-holding', holdings), 'trade_date', row => ({ ...row, issued_shares: 777_777 })),
    ],
    [
      'securities-lending',
      stagesOf(examplesOf(workspace, 'securities-lending', lending), 'trade_date', row => ({ ...row, next_day_limit: 9 })),
    ],
    ['valuation', stagesOf(examplesOf(workspace, 'valuation', ratios), 'trade_date', row => ({ ...row, pe_ratio: 1.01 }))],
    [
      'monthly-revenue',
      stagesOf(examplesOf(workspace, 'monthly-revenue', revenues), 'period_end', row => ({ ...row, revenue: 99_999_000 })),
    ],
    ['shareholder-distribution', stagesOf(levels, 'week_date', row => (row['level'] === 11 ? { ...row, shares: 1 } : row))],
  ])
}

/** 20 securities with real closes on every day of the file, and the index as one more security. */
function realQuotes(): readonly Row[] {
  const [, ...lines] = gunzipSync(readFileSync(real('t86/foreign_net_with_volume_2026.csv.gz')))
    .toString()
    .trim()
    .split('\n')
  const rows = lines.map(line => line.split(','))
  const days = new Set(rows.map(([day]) => day))
  const byCode = Map.groupBy(rows, row => row[1]!)
  const complete = [...byCode].filter(
    ([code, own]) => /^[1-9]\d{3}$/.test(code) && own.length === days.size && own.every(row => Number(row[8]) > 0),
  )
  const step = Math.floor(complete.length / 20)
  const shares = complete.filter((_, n) => n % step === 0).slice(0, 20)
  const index = readFileSync(real('index/taiex_ohlc_2025-10_2026-05.csv'), 'utf8').trim().split('\n').slice(1)
  const bars = index.map(line => line.split(',')).map(([, day, , high, low, close]) => ['TAIEX', day!, high!, low!, close!] as const)
  const closes = shares.flatMap(([code, own]) => own.map(row => [code, row[0]!, row[8]!, row[8]!, row[8]!] as const))
  return [...closes, ...bars].map(([code, day, high, low, close]) => quote(code, day, Number(high), Number(low), Number(close)))
}

interface Case {
  readonly title: string
  readonly now: string
  readonly quotes: () => readonly Row[]
  readonly dividends: readonly Row[]
  readonly others: (workspace: Workspace) => ReadonlyMap<string, Stages>
}

const CASES: readonly (Case & { readonly runs: boolean })[] = [
  {
    title: '20 synthetic securities of 640 days',
    runs: isThere,
    now: '2026-07-01T12:00:00Z',
    quotes: syntheticQuotes,
    dividends: DIVIDENDS,
    others: otherInputs,
  },
  {
    title: '20 real securities of 78 days and the index of 141 days',
    runs: isThere && realFilesThere,
    now: '2026-09-01T12:00:00Z',
    quotes: realQuotes,
    dividends: [],
    others: () => new Map(),
  },
]

describe.each(CASES)('$title', ({ runs, now, quotes, dividends, others }) => {
  let folder: Awaited<ReturnType<typeof dataFolder>>
  let workspace: Workspace
  let stages: ReadonlyMap<string, Stages>
  const former = new Map<string, string>()
  beforeAll(async () => {
    if (!runs) return
    folder = await dataFolder()
    workspace = await openTestWorkspace(folder.dir, () => new Date(now))
    const prices = stagesOf(quotes(), 'trade_date', row => ({ ...row, high: 200, low: 1, close: 30 }))
    stages = new Map([['daily-prices', prices], ...others(workspace)])
    await publish('ex-rights', [...LONG_AGO, ...dividends])
    await publish('capital-changes', [change('9997', '2010-05-05', 20, 40)])
    for (const [slug, { history }] of stages) await publish(slug, history)
  }, 300_000)
  afterAll(async () => {
    workspace?.close()
    await folder?.remove()
  })

  async function publish(slug: string, rows: readonly Row[]): Promise<void> {
    const accept = ['row_count_drift', 'same_body', 'closed_day', 'missing_days']
    const { status, faults, followUps } = await publishRows(workspace, folder.dir, workspace.catalog.get(slug)!, rows, { accept })
    expect([status, faults, followUps.flatMap(({ outcome }) => outcome.faults)], slug).toEqual(['published', [], []])
  }

  const releaseOf = (slug: string): string => stored(workspace.releases, slug).release

  function expectEqual(): void {
    const slugs = [...workspace.catalog.values()].flatMap(({ slug, from }) => (from ? [slug, ...from.inputs] : []))
    const files = new Map<string, readonly string[]>()
    for (const slug of slugs)
      try {
        files.set(slug, stored(workspace.releases, slug).files)
      } catch {
        // The dataset has no release, because an input has none.
      }
    const input = JSON.stringify(Object.fromEntries(files))
    const { stdout, stderr } = spawnSync(PYTHON, [join(import.meta.dirname, 'computed.py')], { input, encoding: 'utf8' })
    expect(stdout, stderr).not.toBe('')
    const compared: Readonly<Record<string, { readonly values: number; readonly differences: readonly string[] }>> = JSON.parse(stdout)
    console.info(
      Object.entries(compared)
        .map(([slug, { values }]) => `${slug} ${values}`)
        .join(', '),
    )
    for (const [slug, { values, differences }] of Object.entries(compared)) {
      expect.soft(differences, slug).toEqual([])
      expect.soft(values, slug).toBeGreaterThan(0)
    }
  }

  it.skipIf(!runs)(`computed datasets equal pandas and ta after the first publication (skipped without ${MODULES})`, expectEqual, 120_000)

  it.skipIf(!runs)(
    'computed datasets equal pandas and ta after a day is appended to each input',
    async () => {
      for (const [slug, { appended }] of stages) await publish(slug, appended)
      expectEqual()
    },
    120_000,
  )

  it.skipIf(!runs)(
    'computed datasets equal pandas and ta after a day of each input is revised',
    async () => {
      for (const slug of [...stages.keys(), 'adjusted-prices']) former.set(slug, releaseOf(slug))
      for (const [slug, { revised }] of stages) await publish(slug, revised)
      expectEqual()
    },
    120_000,
  )

  it.skipIf(!runs)(
    'computed datasets equal pandas and ta after each input is rolled back',
    async () => {
      for (const [slug, release] of former) {
        const { code, stderr } = await twmd(folder.dir, 'releases', 'serve', slug, release)
        expect(code, stderr).toBe(0)
      }
      expectEqual()
    },
    120_000,
  )
})
