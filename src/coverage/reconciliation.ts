import { type Catalog, type Dataset, storedName } from '../../catalog/index.ts'
import { type DatasetState, type Measured, type Release, type Releases, releaseOf, statusOf } from '../releases/index.ts'

export const BADGES = ['verified', 'partial', 'mismatch', 'not_checked'] as const
export type Badge = (typeof BADGES)[number]

const COMMON: Readonly<Record<string, { readonly source: string; readonly doc: string; readonly docZh: string }>> = {
  source_rows: {
    source: 'source_files',
    doc: 'Checks that every row of the source files was published with the same values. If the dataset is merged row by row, a row counts once for each file that contains the row.',
    docZh: '確認來源檔案的每一列均已發布，且數值相同。逐列合併的資料集，同一列在每個檔案各計一次。',
  },
  source_totals: {
    source: 'source_stated_totals',
    doc: 'Compares the sum of all rows of a market and day with the total that the exchange publishes. Rows that the published total excludes cannot be compared.',
    docZh: '比對單一市場單日各列的合計與交易所公布的合計。未計入公布合計的資料列無法比對。',
  },
}

export const BADGE_REASONS = {
  no_release: 'no release is served',
  synthetic_sample_data: 'the rows are samples, so their comparison does not count',
  nothing_comparable: 'there is no data to compare with, or the data to compare with has none of the rows',
  rows_not_compared: 'all compared rows agree, but some rows could not be compared',
  comparisons_not_made: 'all compared rows agree, but a comparison listed in `unchecked` was not possible',
  rows_disagree: 'some rows disagree, see `mismatched` of the method',
} as const
type BadgeReason = keyof typeof BADGE_REASONS

/** The comparison with the highest weight decides the badge. */
const WEIGHT: Readonly<Record<Badge, number>> = { not_checked: 0, verified: 1, partial: 2, mismatch: 3 }

/**
 * Compares served rows with independent sources. The worst comparison decides the badge. A missing
 * comparison limits the badge to `partial`. Sample rows are `not_checked`.
 */
export function reconciliationView(state: DatasetState, catalog: Catalog, releases: Releases) {
  const { dataset, release } = state
  const methods = release ? methodsOf(dataset, release, catalog, releases) : []
  const deciding = methods.toSorted((a, b) => WEIGHT[b.badge] - WEIGHT[a.badge] || a.rows_compared / a.rows - b.rows_compared / b.rows)[0]
  const unchecked = methods
    .filter(({ badge }) => badge === 'not_checked')
    .map(({ method, dataset: id }) => (id === dataset.id ? method : `${id}.${method}`))
  const { method = null, source = null, compared_at = null, rows = 0, rows_compared = 0, matched = 0, mismatched = 0 } = deciding ?? {}
  const badge = badgeOf(deciding?.badge ?? 'not_checked', unchecked)
  return {
    dataset: dataset.id,
    slug: dataset.slug,
    badge,
    badge_reason: reasonOf(badge, deciding?.badge, release),
    status: statusOf(state),
    method,
    source,
    compared_at,
    rows,
    rows_compared,
    matched,
    mismatched,
    match_ratio: deciding?.match_ratio ?? null,
    release_version: release?.id ?? null,
    synthetic: release?.manifest.synthetic ?? false,
    unchecked,
    methods,
  }
}

const badgeOf = (worst: Badge, unchecked: readonly string[]): Badge => (worst === 'verified' && unchecked.length > 0 ? 'partial' : worst)

function reasonOf(badge: Badge, worst: Badge | undefined, release: Release | null): BadgeReason | null {
  if (badge === 'verified') return null
  if (badge === 'mismatch') return 'rows_disagree'
  if (badge === 'partial') return worst === 'partial' ? 'rows_not_compared' : 'comparisons_not_made'
  if (release === null) return 'no_release'
  return release.manifest.synthetic ? 'synthetic_sample_data' : 'nothing_comparable'
}

function methodsOf(dataset: Dataset, release: Release, catalog: Catalog, releases: Releases) {
  const joined = (dataset.derive ?? []).flatMap(join => {
    const otherRelease = catalog.get(join.dataset)!
    const served = releaseOf(otherRelease, releases)
    return served && served.manifest.synthetic === release.manifest.synthetic ? [{ dataset: otherRelease, release: served }] : []
  })
  return [{ dataset, release }, ...joined].flatMap(state =>
    measuredOf(state, catalog, releases).map(measured => methodView(state, measured)),
  )
}

interface Compared extends DatasetState {
  readonly release: Release
}

interface Measurement {
  readonly measured: Measured
  readonly measuredAt: string
}

/** Prefers the newer result, if the compared dataset was published later. */
function measuredOf({ dataset, release }: Compared, catalog: Catalog, releases: Releases): readonly Measurement[] {
  return measuredIn(release, dataset, release.id).map(ownMeasurement => {
    const against = dataset.reconcile?.find(({ method }) => method === ownMeasurement.measured.method)?.against
    const otherRelease = against && releaseOf(catalog.get(against.dataset)!, releases)
    if (!otherRelease || ownMeasurement.measured.against === otherRelease.id) return ownMeasurement
    return (
      measuredIn(otherRelease, dataset, release.id).find(({ measured }) => measured.method === ownMeasurement.measured.method) ??
      ownMeasurement
    )
  })
}

const measuredIn = ({ manifest }: Release, { slug }: Dataset, release: string): readonly Measurement[] =>
  (manifest.reconciliation ?? [])
    .filter(measured => measured.dataset === storedName(slug) && measured.release === release)
    .map(measured => ({ measured, measuredAt: manifest.published_at }))

function methodView({ dataset, release }: Compared, { measured, measuredAt }: Measurement) {
  const { method, rows, compared, matched, against } = measured
  const declared = dataset.reconcile?.find(comparison => comparison.method === method) ?? COMMON[method]
  const badge = release.manifest.synthetic ? 'not_checked' : badgeOfCounts(measured)
  return {
    method,
    dataset: dataset.id,
    slug: dataset.slug,
    source: declared?.source ?? method,
    description: declared?.doc ?? null,
    description_zh: declared?.docZh ?? null,
    badge,
    compared_at: measuredAt,
    rows,
    rows_compared: compared,
    matched,
    mismatched: compared - matched,
    match_ratio: badge === 'not_checked' ? null : matched / compared,
    release_version: release.id,
    against_release: against,
  }
}

function badgeOfCounts({ rows, compared, matched }: Measured): Badge {
  if (compared === 0) return 'not_checked'
  if (matched < compared) return 'mismatch'
  return compared < rows ? 'partial' : 'verified'
}
