import { keyedByTicker } from '../../catalog/index.ts'
import { taipei } from '../core/index.ts'
import { type Release, warningLabels } from '../releases/index.ts'
import type { CatalogState } from './catalog-state.ts'
import { distinctTickers } from './coverage.ts'

const STATS_TTL_SECONDS = 600

interface Metric {
  readonly name: string
  readonly value: number
  readonly basis: 'rows' | 'distinct_tickers'
  readonly release: Release
}

/** Body of `/v2/data-catalog/stats`. Rows were counted when they were published. */
function statsView({ datasets, now }: CatalogState) {
  const served = datasets.flatMap(({ dataset, release }) => (release ? [{ dataset, release }] : []))
  const metrics = served.flatMap(({ dataset, release }) => countsOf(dataset.slug, release, keyedByTicker(dataset)).map(metricOf))
  const tickers = served.filter(({ dataset }) => keyedByTicker(dataset))
  const total = served.reduce((sum, { release }) => sum + release.manifest.statistics.rows, 0)
  const provenanceOf = (counted: typeof served) => ({
    method: 'exact' as const,
    counted_at:
      counted
        .map(({ release }) => release.manifest.published_at)
        .sort()
        .at(-1) ?? taipei(now),
    dataset: null,
    slug: null,
    synthetic: counted.some(({ release }) => release.manifest.synthetic),
  })
  return {
    generated_at: taipei(now),
    cache_ttl_seconds: STATS_TTL_SECONDS as typeof STATS_TTL_SECONDS,
    metrics: [
      { name: 'total_rows', value: total, basis: 'rows' as const, ...provenanceOf(served) },
      { name: 'total_tickers', value: distinctTickers(tickers), basis: 'distinct_tickers' as const, ...provenanceOf(tickers) },
      ...metrics,
    ],
    warnings: [...new Set(datasets.flatMap(warningLabels))],
  }
}

function countsOf(slug: string, release: Release, byTicker: boolean): readonly Metric[] {
  const { rows, keys } = release.manifest.statistics
  const name = slug.replaceAll('-', '_')
  return [
    { name: `${name}_rows`, value: rows, basis: 'rows', release },
    ...(byTicker ? [{ name: `${name}_tickers`, value: keys, basis: 'distinct_tickers' as const, release }] : []),
  ]
}

const metricOf = ({ name, value, basis, release }: Metric) => ({
  name,
  value,
  basis,
  method: 'exact' as const,
  counted_at: release.manifest.published_at,
  dataset: release.dataset.id,
  slug: release.dataset.slug,
  synthetic: release.manifest.synthetic,
})

/** Caches the statistics for ten minutes. `secondsLeft` is the remaining time. */
export function createStats(): (
  state: CatalogState,
  now: Date,
) => { readonly view: ReturnType<typeof statsView>; readonly secondsLeft: number } {
  let last: { readonly computedAt: number; readonly view: ReturnType<typeof statsView> } | undefined
  return (state, now) => {
    const age = last ? (now.getTime() - last.computedAt) / 1_000 : Number.POSITIVE_INFINITY
    if (!last || age < 0 || age >= STATS_TTL_SECONDS) last = { computedAt: now.getTime(), view: statsView({ ...state, now }) }
    return { view: last.view, secondsLeft: Math.ceil(STATS_TTL_SECONDS - (now.getTime() - last.computedAt) / 1_000) }
  }
}
