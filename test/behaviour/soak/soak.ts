import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addDays, taipeiDay } from '../../../src/core/index.ts'
import { openEngine } from '../../../src/engine/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { parsers } from '../../formats/parsing.ts'
import { dataFolder, SECRETS } from '../../support.ts'
import { makeKeys, openFollower } from './accounts.ts'
import { openBooks } from './books.ts'
import { createCaller } from './caller.ts'
import { callKinds } from './calls.ts'
import { createMarket, DATASET } from './market.ts'
import { knownReleases } from './releases.ts'
import { reportOf, type SoakReport } from './report.ts'
import { type Life, startLife } from './running.ts'
import { type Sample, takeSample } from './sampling.ts'
import { openTally } from './tally.ts'
import { createTidying } from './tidying.ts'
import type { Bounds } from './verdict.ts'

export interface SoakOptions extends Bounds {
  readonly minutes: number
  /** Requests per second. */
  readonly rate: number
  readonly tickers: number
  /** Number of trading days before the first publication. */
  readonly days: number
  readonly publishEveryMs: number
  /** Interval of restarts, which are a stop and a kill in turn. 0 for none. */
  readonly restartEveryMs: number
  /**
   * Number of publications between two compactions. After each compaction, old releases are
   * deleted.
   */
  readonly tidyEvery: number
  readonly sampleEveryMs: number
  readonly spanMs: number
  /** Number of publications whose releases are retained. */
  readonly keep: number
  readonly progress: (record: string) => void
}

const SERVED_WITHIN_MS = 180_000
/** Time limit of a request in milliseconds, longer than the service's own limit for reads. */
const ANSWERED_WITHIN_MS = 60_000
const RECEIVED_WITHIN_MS = 60_000
/** Warm-up per life (time between restarts) in milliseconds. For a short life, a quarter of it. */
const WARM_UP_MS = 120_000
/**
 * Maximum requests per second and key. A plan queues twelve requests of a key, which must be enough
 * while the service stalls.
 */
const REQUESTS_OF_A_KEY = 3

/**
 * Cache limits far below the defaults, because larger caches would still grow during the soak and
 * look like leaks.
 */
const SMALL_CACHES = { CACHE_BYTES: String(24 * 2 ** 20), ANSWER_BYTES: String(4 * 2 ** 20), DUCKDB_MEMORY_LIMIT: '128MB' }

/** Log message about work that the service dropped because of overload. */
const OVERLOADED = 'The read queue is full'

const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, Math.max(0, ms)))

/**
 * Runs a service with scheduled requests, publications, restarts, compactions and deletions of
 * releases. Reports the results and removes its files.
 */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { minutes, rate, publishEveryMs, restartEveryMs, tidyEvery, progress } = options
  const publications = Math.max(3, Math.ceil((minutes * 60_000) / publishEveryMs) - 1)
  const restarts = restartEveryMs === 0 ? 0 : Math.ceil((minutes * 60_000) / restartEveryMs) - 1
  const warmUpMs = Math.min(WARM_UP_MS, (restartEveryMs || minutes * 60_000) / 4)
  const { dir, remove } = await dataFolder()
  const [dataDir, work] = [join(dir, 'data'), join(dir, 'work')]
  mkdirSync(work)
  const coming = Math.min(250, publications)
  const market = createMarket({ tickers: options.tickers, days: options.days, coming, until: addDays(taipeiDay(new Date()), -1) })
  const first = join(work, market.history.name)
  writeFileSync(first, market.history.csv)
  const loaded = await twmd(dataDir, 'publish', DATASET, first)
  if (loaded.code !== 0) throw new Error(`the history was not published: ${loaded.stderr}${loaded.stdout}`)

  const stateDb = join(dataDir, 'state.sqlite')
  const keys = makeKeys(stateDb, Math.max(4, Math.ceil(rate / REQUESTS_OF_A_KEY)))
  const [releases, books, follower, tidying] = [knownReleases(dataDir), openBooks(work), await openFollower(), createTidying(dataDir)]
  const engine = await openEngine({ threads: 1, memoryLimit: '500MB' })
  const session = await engine.connect()

  const failures = new Map<string, number>()
  const undone: string[] = []
  const badExits: (number | null)[] = []
  const samples: Sample[] = []
  const totals = { publications: 0, slowestPublication: 0, compactions: 0, letGo: 0, stops: 0, kills: 0, keys: 0 }
  const env = { ...SECRETS, ...SMALL_CACHES, MAIL_URL: follower.mailUrl, WEBHOOK_PRIVATE_HOSTS: 'on' }
  const noteFailure = (record: string): void => {
    const { during, error, msg } = JSON.parse(record)
    const message = `${during ?? msg}: ${error}`
    if (!message.includes(OVERLOADED)) failures.set(message, (failures.get(message) ?? 0) + 1)
  }
  const start = (number: number): Promise<Life> => startLife({ dataDir, env, number, failed: noteFailure })
  let life: Life | null = await start(1)
  let [ending, turn, served, failedSamples] = [false, 0, 0, 0]
  /** Served releases, oldest first. */
  const seen: string[] = [...releases.scan()]
  await follower.signIn(life.url)

  const began = performance.now()
  const hasEnded = (): boolean => performance.now() - began >= minutes * 60_000
  const tally = openTally(began, options.spanMs)
  const kinds = callKinds({
    market,
    releases,
    parse: parsers(session, work),
    served: () => served,
    session: follower.session,
    chargedTo: books.chargedTo,
    recent: () => seen.slice(-Math.ceil(options.keep / 2)),
    searchable: () => life?.searchable() ?? false,
    nextKey: () => keys[turn++ % keys.length]!,
  })
  const caller = createCaller({
    kinds,
    rate,
    life: () => life,
    ending: () => ending,
    record: tally.add,
    unsent: tally.unsent,
    patienceMs: ANSWERED_WITHIN_MS,
    charged: books.note,
  })

  /**
   * Waits until the service serves a step, even across restarts.
   *
   * @returns false after a timeout
   */
  async function untilServed(step: number): Promise<boolean> {
    for (const last = performance.now() + SERVED_WITHIN_MS; performance.now() < last; await wait(100)) {
      const answered = await caller.ask('watched', { path: `/v2/updates?dataset=${DATASET}&since=2000-01-01&limit=1` })
      if (answered?.status !== 200) continue
      const { release_version: release } = JSON.parse(String(answered.body)).data[0]
      if (release !== seen.at(-1)) seen.push(release)
      served = Math.max(served, releases.stepOf(release))
      if (served >= step) return true
    }
    return false
  }

  async function publish(): Promise<void> {
    const inbox = join(dataDir, 'inbox', DATASET)
    mkdirSync(inbox, { recursive: true })
    for (let number = 1; number <= publications; number++) {
      await wait(number * publishEveryMs - (performance.now() - began))
      const { step, name, csv } = market.next()
      writeFileSync(join(inbox, `.${name}`), csv)
      const dropped = performance.now()
      renameSync(join(inbox, `.${name}`), join(inbox, name))
      if (!(await untilServed(step))) return void undone.push(`step ${step} was not served within ${SERVED_WITHIN_MS / 1_000} s`)
      totals.publications++
      totals.slowestPublication = Math.max(totals.slowestPublication, (performance.now() - dropped) / 1_000)
      if (await turnOfAKey()) totals.keys++
      if (number % tidyEvery === 0) await tidy()
    }
  }

  async function tidy(): Promise<void> {
    const mistake = await tidying.compact()
    if (mistake === null) totals.compactions++
    else undone.push(mistake)
    await untilServed(served)
    totals.letGo += await tidying.collect(new Date(Date.now() - options.keep * publishEveryMs))
  }

  /**
   * Creates, uses and revokes a key.
   *
   * @returns false if a restart interrupted this
   */
  async function turnOfAKey(): Promise<boolean> {
    const headers = { 'x-self-serve-token': follower.session(), 'content-type': 'application/json' }
    const made = await caller.ask('account', { path: '/v2/self-serve/api-keys', method: 'POST', headers, body: '{"name":"soak"}' })
    if (made?.status !== 200) return false
    const { api_key: secret, key_id: id } = JSON.parse(String(made.body))
    const read = { path: `/v2/datasets/${DATASET}?symbol=${market.tickers[0]}&limit=1`, headers: { 'x-api-key': secret } }
    await caller.ask('account', read)
    const revoked = await caller.ask('account', { path: `/v2/self-serve/api-keys/${id}/revoke`, method: 'POST', headers, body: '{}' })
    if (revoked?.status !== 200) return false
    await caller.ask('account', { ...read, expected: [401] })
    return true
  }

  async function restart(): Promise<void> {
    for (let number = 1; number <= restarts; number++) {
      await wait(number * restartEveryMs - (performance.now() - began))
      const signal = number % 2 === 1 ? 'SIGTERM' : 'SIGKILL'
      ending = true
      const code = await life!.end(signal)
      life = null
      if (signal === 'SIGTERM' && code !== 0) badExits.push(code)
      totals[signal === 'SIGTERM' ? 'stops' : 'kills']++
      life = await start(number + 1)
      ending = false
    }
  }

  async function watch(): Promise<void> {
    for (let number = 1; !hasEnded(); number++) {
      await wait(number * options.sampleEveryMs - (performance.now() - began))
      if (life === null || ending) continue
      const currentLife: Life = life
      const sample = await takeSample(currentLife, dataDir, began).catch(() => null)
      if (sample === null) {
        // If the life has ended in the meantime, the missing sample is no failure.
        if (life === currentLife && !ending) failedSamples++
        continue
      }
      samples.push(sample)
      progress(tally.line(sample, totals.publications))
    }
  }

  try {
    caller.start()
    await Promise.all([publish(), restart(), watch(), wait(minutes * 60_000)])
    await caller.stop()
    const expected = releases.scan().filter(release => releases.stepOf(release) > 0 && seen.includes(release))
    const unannounced = (): readonly string[] => expected.filter(release => !follower.received().releases.has(release))
    for (const last = performance.now() + RECEIVED_WITHIN_MS; unannounced().length > 0 && performance.now() < last; ) await wait(100)
    const code = await life.end('SIGTERM')
    if (code !== 0) badExits.push(code)
    if (follower.forged() > 0) undone.push(`${follower.forged()} webhook messages had another signature`)
    const happened = {
      ...totals,
      badExits,
      failures: [...failures],
      undone,
      unannounced: unannounced(),
      messages: follower.received().messages,
    }
    const balance = books.balance(stateDb)
    const requests = Object.fromEntries(Object.entries(kinds).map(([kind, { share }]) => [kind, share * rate * minutes * 60]))
    const due = { publications, requests }
    return reportOf({ minutes, ...tally.sums(samples), samples, failedSamples, happened, balance, warmUpMs, due }, options)
  } finally {
    await life?.end('SIGKILL')
    session.close()
    engine.close()
    books.close()
    await follower.close()
    await remove()
  }
}
