import type { Spans } from '../../../catalog/release.ts'
import { addDays } from '../../core/clock.ts'
import type { Closed } from '../calendar.ts'
import type { Stand } from './stand.ts'

/** What `/v2/coverage` answers of one dataset: measured at publication, not typed. */
export function coverageView({ dataset, release }: Stand, closed: Closed) {
  const statistics = release?.manifest.statistics
  const { envelope } = dataset
  return {
    dataset: dataset.id,
    row_count: statistics?.rows ?? 0,
    symbols_count: statistics?.keys ?? 0,
    first_date: statistics?.first_date ?? null,
    last_date: statistics?.last_date ?? null,
    start_year: statistics?.first_date ? Number(statistics.first_date.slice(0, 4)) : null,
    update_timing: dataset.cadence.expectedAt ? `${dataset.cadence.every} ${dataset.cadence.expectedAt}` : dataset.cadence.every,
    delisted_included: dataset.coverage.delisted,
    markets: dataset.coverage.markets,
    coverage_type: 'coverage' in envelope ? envelope.coverage : dataset.publish.mode === 'replace' ? 'current_snapshot' : 'time_series',
    scope: 'scope' in envelope ? envelope.scope : dataset.family,
    completeness_ratio: completeness({ dataset, release }, closed),
    known_gaps: dataset.knownGaps,
    counted_at: release?.manifest.published_at ?? null,
  }
}

/** Of a daily dataset, the share of trading days between its first and last that it holds; of others, the share of filled cells. */
function completeness({ release }: Stand, closed: Closed): number | null {
  if (!release) return null
  if (release.days.length === 0) return release.manifest.statistics.completeness
  const held = new Set(release.days)
  let expected = 0
  for (let day = release.days[0]!; day <= release.days.at(-1)!; day = addDays(day, 1)) if (held.has(day) || !closed(day)) expected++
  return Math.round((held.size / expected) * 10_000) / 10_000
}

/** What `/v2/coverage?symbol=` answers of one dataset: what it holds of one key. */
export function symbolCoverage({ dataset }: Stand, spans: Pick<Spans, 'base' | 'delta'> | null, symbol: string) {
  const found = [spans?.base[symbol], spans?.delta[symbol]].filter(span => span !== undefined)
  const days = (place: 0 | 1): readonly string[] =>
    found
      .map(span => span[place])
      .filter(day => day !== null)
      .sort()
  return {
    dataset: dataset.id,
    symbol,
    covered: found.length > 0,
    first_date: days(0)[0] ?? null,
    last_date: days(1).at(-1) ?? null,
    row_count: found.reduce((sum, [, , rows]) => sum + rows, 0),
  }
}
