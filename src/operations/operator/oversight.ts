import type { Catalog, Dataset } from '../../../catalog/index.ts'
import type { Control } from '../../control/index.ts'
import { type Config, createLog, nearest, ofDataset, Refusal, taipei } from '../../core/index.ts'
import {
  countReleases,
  createLineageReader,
  type DatasetState,
  listReleases,
  type Releases,
  releaseOf,
  statesOf,
  statusOf,
} from '../../releases/index.ts'
import type { SlowReads } from '../read/slow-reads.ts'

export interface OversightDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly config: Pick<Config, 'releasesDir'>
  readonly control: Pick<Control, 'queues' | 'ledger'>
  readonly slowReads: Pick<SlowReads, 'list'>
}

/** Takes no locks and reads no rows. */
export function createOversight({ catalog, releases, config: { releasesDir }, control, slowReads }: OversightDeps) {
  const lineage = createLineageReader(releasesDir, createLog('silent'))
  const datasets = [...catalog.values()]
  const releaseView = async (dataset: Dataset, states: ReadonlyMap<Dataset, DatasetState>) => {
    const { named, retained: kept, pinned, withdrawn, retired } = await countReleases(releasesDir, dataset)
    const state = states.get(dataset)
    const served = releaseOf(dataset, releases)
    return {
      dataset: dataset.id,
      slug: dataset.slug,
      title: dataset.title,
      title_zh: dataset.titleZh,
      status: state ? statusOf(state) : ('internal' as const),
      served: served?.id ?? null,
      named,
      published_at: served?.manifest.published_at ?? null,
      data_as_of: served?.manifest.data_as_of ?? null,
      rows: served?.manifest.statistics.rows ?? null,
      synthetic: served?.manifest.synthetic ?? null,
      kept,
      pinned,
      withdrawn,
      retired,
      damaged: releases.damages(dataset).length,
    }
  }
  return {
    async releases() {
      const states = new Map(statesOf(catalog, releases).map(state => [state.dataset, state]))
      const data = await Promise.all(datasets.map(dataset => releaseView(dataset, states)))
      return { data_count: data.length, data }
    },
    /** Newest first. @throws Refusal unknown_dataset */
    async releasesOf(name: string, most: number) {
      const dataset = datasets.find(({ slug, id }) => slug === name || id === name)
      if (!dataset) {
        const allowed = datasets.map(({ slug }) => slug)
        throw new Refusal('unknown_dataset', { did_you_mean: nearest(name.toLowerCase(), allowed) ?? null, allowed })
      }
      const data = (await listReleases(releasesDir, dataset, most, lineage)).toReversed()
      return { ...ofDataset(dataset), data_count: data.length, data }
    },
    /** Lists damaged datasets. A damaged dataset serves an older release or none. */
    damage() {
      const { parts, bytes, toGo, laps, lapEndedAt } = releases.scrub.progress()
      const data = datasets.flatMap(dataset => {
        const findings = releases.damages(dataset)
        if (findings.length === 0) return []
        const served = releaseOf(dataset, releases)
        return [{ ...ofDataset(dataset), fallback: served?.id ?? null, findings }]
      })
      const scrub = { parts, size_bytes: bytes, parts_to_go: toGo, laps, last_lap_ended_at: lapEndedAt && taipei(lapEndedAt) }
      return { data_count: data.length, data, scrub }
    },
    queues() {
      const { queues, ledger } = control
      const { oldestAt, nextAt, lastError, givenUp, ...mail } = queues.mail()
      const events = queues.paymentEvents()
      const { oldestAt: hooksOldestAt, nextAt: hooksNextAt, ...hooks } = queues.webhooks()
      return {
        ledger: { owed: ledger.backlogSize() },
        mail: { ...mail, given_up: givenUp, oldest_at: oldestAt, next_at: nextAt, last_error: lastError },
        payment_events: {
          waiting: events.waiting,
          attempts: events.attempts,
          oldest_at: events.oldestAt,
          next_at: events.nextAt,
          last_error: events.lastError,
        },
        webhooks: { ...hooks, oldest_at: hooksOldestAt, next_at: hooksNextAt },
      }
    },
    slowReads() {
      const data = slowReads.list()
      return { data_count: data.length, data }
    },
  }
}
