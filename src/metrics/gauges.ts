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

export interface MetricSources {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly calendar: Pick<Calendar, 'isClosed'>
  readonly pool: Pick<Pool, 'load'>
  readonly columns: Pick<Columns, 'state'>
  readonly answers: Pick<Answers, 'state'>
  readonly control: Pick<Control, 'queues' | 'ledger'>
  readonly coded: () => { readonly hits: number; readonly misses: number }
  readonly running: () => number
  readonly workers: () => readonly WorkerState[]
  readonly intake: Pick<Intake, 'feedTimes'>
  readonly clock: Clock
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }

/** Takes no locks and reads no Parquet files. */
export async function readGauges(sources: MetricSources): Promise<Samples> {
  const { busy, waiting } = sources.pool.load()
  const { toGo, laps } = sources.releases.scrub.progress()
  return {
    twmd_build_info: [[1, version, process.version]],
    twmd_requests_running: [[sources.running()]],
    twmd_engine_running: [[busy]],
    twmd_engine_waiting: [[waiting]],
    ...cacheGauges(sources),
    ...queueGauges(sources),
    ...datasetGauges(sources),
    twmd_scrub_parts_left: [[toGo]],
    twmd_scrub_laps_total: [[laps]],
    ...(await feedGauges(sources)),
    ...workerGauges(sources),
  }
}

function cacheGauges({ columns, answers, coded }: MetricSources): Samples {
  const rowCache = columns.state()
  const answerCache = answers.state()
  const sized = [['columns', rowCache] as const, ['answers', answerCache] as const]
  const all = [...sized, ['coded', coded()] as const]
  return {
    twmd_cache_bytes: sized.map(([name, { bytes }]) => [Math.round(bytes), name]),
    twmd_cache_max_bytes: sized.map(([name, { mostBytes }]) => [mostBytes, name]),
    twmd_cache_hits_total: all.map(([name, { hits }]) => [hits, name]),
    twmd_cache_misses_total: all.map(([name, { misses }]) => [misses, name]),
    twmd_columns_parts: [
      [rowCache.parts, 'all'],
      [rowCache.whole, 'whole'],
      [rowCache.newest, 'newest'],
    ],
  }
}

function queueGauges({ control: { queues, ledger }, clock }: MetricSources): Samples {
  const mail = queues.mail()
  const payments = queues.paymentEvents()
  const webhooks = queues.webhooks()
  const all = [['mail', mail] as const, ['payment_events', payments] as const, ['webhooks', webhooks] as const]
  return {
    twmd_queue_waiting: [[ledger.backlogSize(), 'ledger'], ...all.map(([name, { waiting }]) => [waiting, name] as const)],
    twmd_queue_oldest_seconds: all.map(([name, { oldestAt }]) => [oldestAt === null ? 0 : secondsSince(new Date(oldestAt), clock()), name]),
    twmd_queue_overdue_seconds: all.map(([name, { nextAt }]) => [nextAt === null ? 0 : secondsSince(new Date(nextAt), clock()), name]),
    twmd_queue_attempts: all.map(([name, { attempts }]) => [attempts, name]),
    twmd_webhook_endpoints: [
      [webhooks.endpoints, 'all'],
      [webhooks.failing, 'failing'],
      [webhooks.disabled, 'disabled'],
    ],
    twmd_mail_given_up: [[mail.givenUp]],
  }
}

function datasetGauges({ catalog, releases, calendar: { isClosed }, clock }: MetricSources): Samples {
  const now = clock()
  const states = statesOf(catalog, releases)
  const published = states.filter(({ release, lost }) => release || lost)
  const servedReleases = states.flatMap(({ dataset, release }) => (release ? [{ dataset, release }] : []))
  const perDataset = (datasetStates: readonly DatasetState[], value: (state: DatasetState) => number): readonly Sample[] =>
    datasetStates.map(state => [value(state), state.dataset.slug])
  // Only datasets with a schedule can be late.
  const scheduled = published.filter(({ dataset }) => isScheduled(dataset))
  return {
    twmd_release_info: servedReleases.map(({ dataset, release }) => [1, dataset.slug, release.id]),
    twmd_release_published_timestamp_seconds: servedReleases.map(({ dataset, release }) => [
      secondsOf(release.manifest.published_at),
      dataset.slug,
    ]),
    twmd_dataset_rows: servedReleases.map(({ dataset, release }) => [release.manifest.statistics.rows, dataset.slug]),
    twmd_dataset_newest_day_age_seconds: servedReleases.flatMap(({ dataset, release }) =>
      isTimed(dataset) ? [[secondsSince(endOfDay(release.completeThrough), now), dataset.slug] as const] : [],
    ),
    twmd_dataset_overdue_seconds: perDataset(scheduled, state => {
      const since = overdueSince(state, now, isClosed)
      return since ? secondsSince(since, now) : 0
    }),
    twmd_dataset_late: perDataset(scheduled, state => Number(freshnessState(state, now, isClosed) === 'late')),
    twmd_dataset_unavailable: perDataset(published, ({ lost }) => Number(lost === true)),
    twmd_dataset_fallback: perDataset(published, ({ release }) => Number(release?.degraded === true)),
    twmd_dataset_damaged_releases: perDataset(published, ({ dataset }) => releases.damages(dataset).length),
  }
}

const isTimed = ({ cadence }: Dataset): boolean => cadence.every !== 'on_change'
const endOfDay = (day: string): Date => new Date(Date.parse(`${day}T00:00:00+08:00`) + DAY_MS)
const secondsOf = (text: string): number => Date.parse(text) / 1_000
const secondsSince = (time: Date, now: Date): number => Math.max(0, (now.getTime() - time.getTime()) / 1_000)

async function feedGauges({ intake }: MetricSources): Promise<Samples> {
  const all = await intake.feedTimes()
  const times = (field: 'cameAt' | 'refusedAt'): readonly Sample[] =>
    all.flatMap(({ feed, [field]: at }) => (at === null ? [] : [[secondsOf(at), feed] as const]))
  return {
    twmd_feed_last_success_timestamp_seconds: times('cameAt'),
    twmd_feed_last_refusal_timestamp_seconds: times('refusedAt'),
    twmd_feed_tries: all.map(({ feed, tries }) => [tries, feed]),
  }
}

function workerGauges({ workers }: MetricSources): Samples {
  const all = workers()
  return {
    twmd_worker_running: all.map(({ name, running }) => [Number(running), name]),
    twmd_worker_restarts_total: all.map(({ name, restarts }) => [restarts, name]),
  }
}
