import { taipei } from '../../core/clock.ts'
import type { Stand } from './stand.ts'

export const STATS_TTL_SECONDS = 600

/** What `/v2/data-catalog/stats` answers: rows and distinct keys per dataset, each with how and when it was counted. */
export function statsView(stands: readonly Stand[], now: Date) {
  const metrics = stands.flatMap(({ dataset, release }) => {
    if (!release) return []
    const { rows, keys } = release.manifest.statistics
    const counted = { method: 'exact', counted_at: release.manifest.published_at, dataset: dataset.id }
    return [
      { name: `${dataset.slug}_rows`, value: rows, basis: 'rows', ...counted },
      ...(dataset.key === 'ticker' || dataset.key === 'symbol'
        ? [{ name: `${dataset.slug}_tickers`, value: keys, basis: 'distinct_tickers', ...counted }]
        : []),
    ]
  })
  return { generated_at: taipei(now), cache_ttl_seconds: STATS_TTL_SECONDS, metrics }
}

/** The same answer for ten minutes, then a new one. */
export function cachedFor<T>(seconds: number, make: (now: Date) => T): (now: Date) => T {
  let kept: { readonly at: number; readonly value: T } | undefined
  return now => {
    if (!kept || now.getTime() - kept.at >= seconds * 1_000) kept = { at: now.getTime(), value: make(now) }
    return kept.value
  }
}
