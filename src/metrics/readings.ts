import { readFileSync } from 'node:fs'
import { type Catalog, type Dataset, isScheduled } from '../../catalog/index.ts'
import { type Calendar, freshnessState, overdueSince } from '../calendar/index.ts'
import type { Control } from '../control/index.ts'
import { type Clock, DAY_MS, type WorkerState } from '../core/index.ts'
import type { Pool } from '../engine/index.ts'
import type { Intake } from '../operations/index.ts'
import type { Answers } from '../read/index.ts'
import { type DatasetState, type Releases, statesOf } from '../releases/index.ts'
import type { Columns } from '../row-cache/index.ts'
import type { Sample, Samples } from './text.ts'

/** What a scrape looks at. */
export interface MetricSources {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly calendar: Pick<Calendar, 'isClosed'>
  readonly pool: Pick<Pool, 'load'>
  readonly columns: Pick<Columns, 'state'>
  readonly answers: Pick<Answers, 'state'>
  readonly control: Pick<Control, 'queues' | 'ledger'>
  /** How often a compressed body was there, and how often it was made. */
  readonly coded: () => { readonly hits: number; readonly misses: number }
  /** Answers that are being made or sent. */
  readonly running: () => number
  readonly workers: () => readonly WorkerState[]
  readonly intake: Pick<Intake, 'feedTimes'>
  readonly clock: Clock
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }

/** How everything stands now. Nothing of it waits for a lock or opens a part. */
export async function readings(sources: MetricSources): Promise<Samples> {
  const { busy, waiting } = sources.pool.load()
  const { toGo, laps } = sources.releases.scrub.progress()
  return {
    twmd_build_info: [[1, version, process.version]],
    twmd_requests_running: [[sources.running()]],
    twmd_engine_running: [[busy]],
    twmd_engine_waiting: [[waiting]],
    ...caches(sources),
    ...queues(sources),
    ...datasets(sources),
    twmd_scrub_parts_left: [[toGo]],
    twmd_scrub_laps_total: [[laps]],
    ...(await feeds(sources)),
    ...beside(sources),
  }
}

function caches({ columns, answers, coded }: MetricSources): Samples {
  const [histories, whole] = [columns.state(), answers.state()]
  const each = [['columns', histories] as const, ['answers', whole] as const]
  const asked = [...each, ['coded', coded()] as const]
  return {
    twmd_cache_bytes: each.map(([name, { bytes }]) => [Math.round(bytes), name]),
    twmd_cache_max_bytes: each.map(([name, { mostBytes }]) => [mostBytes, name]),
    twmd_cache_hits_total: asked.map(([name, { hits }]) => [hits, name]),
    twmd_cache_misses_total: asked.map(([name, { misses }]) => [misses, name]),
    twmd_columns_parts: [
      [histories.parts, 'all'],
      [histories.whole, 'whole'],
      [histories.newest, 'newest'],
    ],
  }
}

function queues({ control: { queues, ledger }, clock }: MetricSources): Samples {
  const [mail, payments, webhooks] = [queues.mail(), queues.paymentEvents(), queues.webhooks()]
  const each = [['mail', mail] as const, ['payment_events', payments] as const, ['webhooks', webhooks] as const]
  return {
    twmd_queue_waiting: [[ledger.backlogSize(), 'ledger'], ...each.map(([name, { waiting }]) => [waiting, name] as const)],
    twmd_queue_oldest_seconds: each.map(([name, { oldestAt }]) => [
      oldestAt === null ? 0 : secondsSince(new Date(oldestAt), clock()),
      name,
    ]),
    twmd_queue_overdue_seconds: each.map(([name, { nextAt }]) => [nextAt === null ? 0 : secondsSince(new Date(nextAt), clock()), name]),
    twmd_queue_attempts: each.map(([name, { attempts }]) => [attempts, name]),
    twmd_webhook_endpoints: [
      [webhooks.endpoints, 'all'],
      [webhooks.failing, 'failing'],
      [webhooks.disabled, 'disabled'],
    ],
    twmd_mail_given_up: [[mail.givenUp]],
  }
}

function datasets({ catalog, releases, calendar: { isClosed }, clock }: MetricSources): Samples {
  const now = clock()
  const states = statesOf(catalog, releases)
  const published = states.filter(({ release, lost }) => release || lost)
  const served = states.flatMap(({ dataset, release }) => (release ? [{ dataset, release }] : []))
  const each = (of: readonly DatasetState[], value: (state: DatasetState) => number): readonly Sample[] =>
    of.map(state => [value(state), state.dataset.slug])
  // Nobody promised to bring the others, so that they are not late.
  const promised = published.filter(({ dataset }) => isScheduled(dataset))
  return {
    twmd_release_info: served.map(({ dataset, release }) => [1, dataset.slug, release.id]),
    twmd_release_published_timestamp_seconds: served.map(({ dataset, release }) => [
      secondsOf(release.manifest.published_at),
      dataset.slug,
    ]),
    twmd_dataset_rows: served.map(({ dataset, release }) => [release.manifest.statistics.rows, dataset.slug]),
    twmd_dataset_newest_day_age_seconds: served.flatMap(({ dataset, release }) =>
      isTimed(dataset) ? [[secondsSince(endOf(release.completeThrough), now), dataset.slug] as const] : [],
    ),
    twmd_dataset_overdue_seconds: each(promised, state => {
      const since = overdueSince(state, now, isClosed)
      return since ? secondsSince(since, now) : 0
    }),
    twmd_dataset_late: each(promised, state => Number(freshnessState(state, now, isClosed) === 'late')),
    twmd_dataset_unavailable: each(published, ({ lost }) => Number(lost === true)),
    twmd_dataset_fallback: each(published, ({ release }) => Number(release?.degraded === true)),
    twmd_dataset_damaged_releases: each(published, ({ dataset }) => releases.damages(dataset).length),
  }
}

const isTimed = ({ cadence }: Dataset): boolean => cadence.every !== 'on_change'
/** The midnight after a day in Taipei. */
const endOf = (day: string): Date => new Date(Date.parse(`${day}T00:00:00+08:00`) + DAY_MS)
const secondsOf = (text: string): number => Date.parse(text) / 1_000
const secondsSince = (at: Date, now: Date): number => Math.max(0, (now.getTime() - at.getTime()) / 1_000)

async function feeds({ intake }: MetricSources): Promise<Samples> {
  const all = await intake.feedTimes()
  const times = (of: 'cameAt' | 'refusedAt'): readonly Sample[] =>
    all.flatMap(({ feed, [of]: at }) => (at === null ? [] : [[secondsOf(at), feed] as const]))
  return {
    twmd_feed_last_success_timestamp_seconds: times('cameAt'),
    twmd_feed_last_refusal_timestamp_seconds: times('refusedAt'),
    twmd_feed_tries: all.map(({ feed, tries }) => [tries, feed]),
  }
}

function beside({ workers }: MetricSources): Samples {
  const all = workers()
  return {
    twmd_worker_running: all.map(({ name, running }) => [Number(running), name]),
    twmd_worker_restarts_total: all.map(({ name, restarts }) => [restarts, name]),
  }
}
