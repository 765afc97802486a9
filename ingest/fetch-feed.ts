import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal, type Words } from '../src/core/index.ts'
import { type FetchPlan, planFetch, type WantedDays } from './fetch-plan.ts'
import {
  createRawCaptures,
  type Fetcher,
  filled,
  type Period,
  type RawCapture,
  type RawCaptures,
  requestKey,
  type Verdict,
} from './fetchers/index.ts'
import type { Feed, FetchRequest } from './formats/index.ts'
import { type Ingested, ingestFiles } from './ingest.ts'
import { calendarRows, MOST_BYTES, publishedDays, type Quarantine } from './intake/index.ts'
import { isSession, type Workspace } from './publish/index.ts'

export interface FetchFeedOptions {
  /** Days to fetch. Default: the newest day. */
  readonly wanted?: WantedDays | undefined
  /** Fetches days again that are already captured or published. */
  readonly again?: boolean
  readonly accept?: readonly string[]
  /** Where refused files are stored. Default: the workspace's quarantine. */
  readonly quarantine?: Quarantine
  readonly progress?: (done: number, total: number) => void
  readonly waiting?: (seconds: number, why: string) => void
  /** Stops fetching. Files that were already received are still ingested. */
  readonly signal?: AbortSignal
}

export type SkipReason = 'closed' | 'published' | 'captured'

export interface FetchedFeed {
  readonly feed: string
  readonly plan: FetchPlan
  readonly captures: readonly RawCapture[]
  readonly skipped: Readonly<Record<SkipReason, number>>
  readonly ingested: readonly Ingested[]
  /** Failed periods, by their last day. */
  readonly failures: readonly { readonly day: string; readonly refusal: Refusal }[]
  /** Last day of each period that was not ingested. Oldest first. */
  readonly missing: readonly string[]
  /** Why the run ended early. Null if it is complete. */
  readonly stopped: Words | null
}

const STOP_REQUESTED: Words = { en: 'The command was interrupted.', zh: '指令已中斷。' }
const OFTEN_BAD: Words = {
  en: 'Stopped, because several files in a row were not the requested data.',
  zh: '連續數個檔案都不是指定的資料，已停止下載。',
}
/** Files per publication. At one request per three seconds, 20 files arrive in about a minute. */
const BATCH = 20
/** Consecutive periods with unusable responses after which the run stops. */
const MOST_BAD = 3

/**
 * Fetches periods of a feed, stores each response unchanged and ingests the files. Skips periods
 * that are closed, published or already received. After a crash, the next run continues.
 *
 * @throws Refusal if the feed cannot be fetched or a consent is missing
 */
export async function fetchFeed(workspace: Workspace, fetcher: Fetcher, feed: Feed, options: FetchFeedOptions = {}): Promise<FetchedFeed> {
  const { wanted, again = false, accept = [], quarantine, progress = () => {}, signal } = options
  const calendar = await calendarRows(workspace)
  const isClosed = (day: string): boolean => !isSession(day, calendar)
  const dataset = workspace.catalog.get(feed.datasets[0]!)!
  const plan = planFetch(feed, wanted, { settings: fetcher.settings, now: workspace.clock(), isClosed, dataset })
  const raw = createRawCaptures(workspace.captures)
  const byDay = plan.way.period === 'day' && (feed.daily !== undefined || dataset.cadence.every === 'trading_day')
  const known: Known = {
    newest: plan.way.period === 'latest' ? new Map() : raw.newest(feed.name),
    outcomes: workspace.journal.outcomes(feed.name),
    published: byDay && feed.daily !== undefined ? await publishedDays(workspace, feed) : new Set(),
    isClosed: byDay ? isClosed : () => false,
  }
  const skipped = { closed: 0, published: 0, captured: 0 }
  const captures: RawCapture[] = []
  const ingested: Ingested[] = []
  const arrivedFiles = new Map<string, readonly string[]>()
  const failures: { day: string; refusal: Refusal }[] = []
  let [waiting, bad, stopped]: [Map<string, string | undefined>, number, Words | null] = [new Map(), 0, null]
  const ingest = async (): Promise<void> => {
    if (waiting.size === 0) return
    const days = waiting
    const requestedDay = (path: string): string | undefined => days.get(path)
    const files = [...waiting.keys()]
    waiting = new Map()
    ingested.push(
      await oncePublished(
        () => ingestFiles(workspace, feed, files, { requestedDay, accept, ...(quarantine && { quarantine }), progress: () => {} }),
        signal,
      ),
    )
  }
  for (const [index, period] of plan.periods.entries()) {
    if (signal?.aborted) stopped = STOP_REQUESTED
    if (stopped !== null) break
    const found = again ? undefined : held(period, plan, known, raw)
    if (typeof found === 'string') {
      skipped[found]++
      arrivedFiles.set(period.last, [])
    } else {
      try {
        const arrived = found ?? (await askFor(feed, fetcher, raw, plan, period, options))
        arrivedFiles.set(
          period.last,
          arrived.map(({ capture }) => capture.file),
        )
        for (const { capture } of arrived) waiting.set(raw.pathOf(capture), plan.heldTo(period))
        if (found === undefined) captures.push(...arrived.map(({ capture }) => capture))
        bad = arrived.every(({ good }) => good) ? 0 : bad + 1
      } catch (error) {
        if (signal?.aborted) {
          stopped = STOP_REQUESTED
          break
        }
        if (!(error instanceof Refusal)) throw error
        failures.push({ day: period.last, refusal: error })
        bad = error.facts['rule'] === 'not_answered' ? bad + 1 : MOST_BAD
      }
      if (bad >= MOST_BAD && index < plan.periods.length - 1) stopped = failures.at(-1)?.refusal.words ?? OFTEN_BAD
    }
    if (waiting.size >= BATCH) await ingest()
    progress(index + 1, plan.periods.length)
  }
  await ingest()
  const refused = new Set(ingested.flatMap(({ results }) => results.flatMap(({ file, outcome }) => (outcome === 'refused' ? [file] : []))))
  const isIn = ({ last }: Period): boolean => arrivedFiles.get(last)?.every(file => !refused.has(file)) ?? false
  const missing = plan.periods.filter(period => !isIn(period)).map(({ last }) => last)
  return { feed: feed.name, plan, captures, skipped, ingested, failures, missing, stopped }
}

/** How long to wait while another process publishes the dataset. */
const [PUBLISHING_POLL_MS, PUBLISHING_POLLS] = [1_000, 300]

/** @throws Refusal conflict after the last poll; the next run ingests the stored files */
async function oncePublished<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let polls = 0; ; polls++) {
    try {
      return await work()
    } catch (error) {
      const isHeld = error instanceof Refusal && error.facts['rule'] === 'being_published'
      if (!isHeld || polls >= PUBLISHING_POLLS || signal?.aborted) throw error
      await sleep(PUBLISHING_POLL_MS)
    }
  }
}

interface Known {
  readonly newest: ReadonlyMap<string, RawCapture>
  readonly outcomes: ReturnType<Workspace['journal']['outcomes']>
  readonly published: ReadonlySet<string>
  readonly isClosed: (day: string) => boolean
}

interface Arrived {
  readonly capture: RawCapture
  readonly good: boolean
}

/**
 * Returns why a period is skipped, or the received files to ingest. Undefined if the period must be
 * requested.
 */
function held(period: Period, { way }: FetchPlan, known: Known, raw: RawCaptures): SkipReason | readonly Arrived[] | undefined {
  if (known.published.has(period.last)) return 'published'
  if (known.isClosed(period.last)) return 'closed'
  const bodies = way.requests.map(request => known.newest.get(requestKey(filled(request, period))))
  // A response from before the end of the period may be incomplete.
  if (bodies.some(body => body === undefined || body.fetched_at.slice(0, 10) <= period.last || !existsSync(raw.pathOf(body))))
    return undefined
  const outcomes = bodies.map(body => known.outcomes.get(body!.file))
  if (outcomes.includes('refused')) return undefined
  return outcomes.includes(undefined) ? bodies.map(capture => ({ capture: capture!, good: true })) : 'captured'
}

async function askFor(
  feed: Feed,
  fetcher: Fetcher,
  raw: RawCaptures,
  { way, heldTo }: FetchPlan,
  period: Period,
  { waiting, signal }: FetchFeedOptions,
): Promise<readonly Arrived[]> {
  const arrived: Arrived[] = []
  for (const request of way.requests.map((each): FetchRequest => filled(each, period))) {
    let good = true
    const judge = (bytes: Uint8Array): Verdict => {
      const verdict = judged(feed, bytes, heldTo(period))
      good = verdict.good
      return verdict
    }
    const mostBytes = feed.mostBytes ?? MOST_BYTES
    const fetched = await fetcher.fetch(request, { mostBytes, judge, ...(waiting && { waiting }), ...(signal && { signal }) })
    arrived.push({ capture: raw.keep(feed.name, period, request, fetched), good })
  }
  return arrived
}

/** Faults that a second request often fixes, such as a truncated file. */
const PASSING: ReadonlySet<unknown> = new Set(['not_the_publication', 'damaged_body', 'wrong_day'])

/**
 * Reports only faults that a second request may fix. Other faults are reported when the file is
 * ingested.
 */
function judged(feed: Feed, bytes: Uint8Array, day: string | undefined): Verdict {
  try {
    feed.parse({ name: feed.name, bytes }, day)
    return { good: true }
  } catch (error) {
    const rule = error instanceof Refusal ? error.facts['rule'] : undefined
    if (!PASSING.has(rule)) return { good: true }
    return { good: false, shutOut: rule === 'not_the_publication', why: (error as Refusal).message }
  }
}
