import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { ended, startTwmd } from '../../fixtures/cli/twmd.ts'
import { type Net, quotesBody, t86Body } from '../../fixtures/ingest/bodies.ts'
import { watcherKilled } from '../../fixtures/ingest/killed-watcher.ts'
import { lineageSources, sha256 } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { inboxOf } from './inbox.ts'

/** Number of kills; `INBOX_KILLS=100` for the long run. */
const KILLS = Number(process.env['INBOX_KILLS'] ?? 6)
const TRADES = 'institutional-positioning'
const QUOTES = 'daily-prices'
const CALENDAR = 'trading-calendar'
const TICKERS = Array.from({ length: 120 }, (_, index) => `${1_101 + index}`)
const DAYS = ['2026-06-22', '2026-06-23', '2026-06-24', '2026-06-25', '2026-06-26', '2026-06-29', '2026-06-30']
let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
})
afterAll(() => s.close())

/** Pseudorandom numbers from 0 to 1, the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Names of all dropped files by sha256. */
const dropped = new Map<string, string>()
/** The mark of the last body of each day. */
const newest = new Map<string, number>()
let mark = 0

function drop(place: string, content: string): void {
  const path = join(s.dir, 'inbox', place)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(join(s.dir, 'draft'), content)
  renameSync(join(s.dir, 'draft'), path)
  dropped.set(sha256(content), basename(place))
}

/** A new or revised body of a day, with one mark in all rows. */
function dropDay(day: string): void {
  mark++
  newest.set(day, mark)
  const nets = Object.fromEntries(TICKERS.map((ticker): [string, Net] => [ticker, [mark * 1_000, 0, 0]]))
  drop(`feeds/twse-t86/${mark}_${day}.json`, t86Body(day, nets))
}

/** Quotes of a day, which change the volume shares of its trades. */
function dropQuotes(day: string): void {
  mark++
  drop(`feeds/twse-quotes/${mark}_${day}.json`, quotesBody(day, Object.fromEntries(TICKERS.map(ticker => [ticker, mark * 1_000]))))
}

function dropCalendar(turn: number): void {
  const day = new Date(Date.UTC(2009, 0, 1 + turn)).toISOString().slice(0, 10)
  drop(`${CALENDAR}/${day}.csv`, `market,date,is_open,reason\nTWSE,${day},false,${turn}\n`)
}

/**
 * Reads whole days in a loop until stopped.
 *
 * @returns every answer that mixes marks or lacks rows
 */
function keepReading(key: string, random: () => number) {
  let stopped = false
  let reads = 0
  const mixed: string[] = []
  const reading = (async () => {
    while (!stopped) {
      const day = DAYS[Math.floor(random() * DAYS.length)]!
      const { body, statusCode } = await s.get(`/v2/datasets/${TRADES}/cross-section?date=${day}&columns=foreign_net_buy`, key)
      const rows = ((JSON.parse(body).data ?? []) as readonly { foreign_net_buy: number }[]).map(row => row.foreign_net_buy)
      const marks = new Set(rows)
      if (statusCode === 200) reads++
      if (marks.size > 1 || (rows.length > 0 && rows.length !== TICKERS.length)) mixed.push(`${day}: ${rows.length} rows, ${[...marks]}`)
      await sleep(15)
    }
  })()
  return {
    async stop() {
      stopped = true
      await reading
      return { reads, mixed }
    },
  }
}

it(
  `a watcher that is killed ${KILLS} times during reads loses no file and publishes no file twice, and no read mixes releases`,
  async () => {
    const random = createRandom(20_260_630)
    const reader = keepReading(s.keyOn('pro'), createRandom(7))
    const inbox = inboxOf(s)
    onTestFinished(async () => void (await reader.stop()))
    let kills = 0
    for (let turn = 0; kills < KILLS; turn++) {
      dropDay(DAYS[Math.floor(random() * DAYS.length)]!)
      if (random() < 0.5) dropDay(DAYS[Math.floor(random() * DAYS.length)]!)
      if (random() < 0.5) dropQuotes(DAYS[Math.floor(random() * DAYS.length)]!)
      dropCalendar(turn)
      if (await watcherKilled(s.dir, random())) kills++
      await s.releases.refresh()
    }
    const last = await ended(startTwmd(s.dir, ['watch', '--once'], { INBOX_SETTLE_MS: '100' }))
    expect(last.code).toBe(0)
    await s.releases.refresh()
    const { reads, mixed } = await reader.stop()
    expect(mixed).toEqual([])
    expect(reads).toBeGreaterThan(KILLS)

    expect(inbox.files('inbox')).toEqual([])
    expect(inbox.files('quarantine')).toEqual([])
    const archived = inbox.files('archive').filter(path => path !== 'taken.ndjson')
    const bytes = archived.map(path => sha256(readFileSync(join(s.dir, 'archive', path))))
    expect(bytes.toSorted()).toEqual([...dropped.keys()].sort())
    expect(archived.map(path => basename(path)).sort()).toEqual([...dropped.values()].sort())

    const published = [TRADES, QUOTES, CALENDAR].flatMap(slug => lineageSources(s.workspace.releases, slug)).flat()
    const times = [...dropped.keys()].map(sha => published.filter(one => one === sha).length)
    expect([...new Set(times)]).toEqual([1])

    for (const [day, mark] of newest) {
      const { data } = (await s.get(`/v2/datasets/${TRADES}/cross-section?date=${day}&columns=foreign_net_buy`, s.keyOn('pro'))).json()
      expect([...new Set(data.map((row: { foreign_net_buy: number }) => row.foreign_net_buy))]).toEqual([mark * 1_000])
    }
  },
  KILLS * 20_000 + 60_000,
)
