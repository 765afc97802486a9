import { hash, randomUUID } from 'node:crypto'
import { allColumns, type Dataset, defaultOrder, versionOf } from '../../catalog/index.ts'
import type { Calendar, FreshnessState } from '../calendar/index.ts'
import type { ReadPlan } from './plan.ts'

/** Repairs are counted anew by each process: the same count of another one may be of other bytes. */
const PROCESS = randomUUID()

/** What each release, or each dataset without one, brings to its tags, as text. */
const brought = new WeakMap<object, readonly [dataset: Dataset, text: string]>()

function broughtBy({ dataset, release }: Pick<ReadPlan, 'dataset' | 'release'>): string {
  const known = brought.get(release ?? dataset)
  if (known?.[0] === dataset) return known[1]
  const { slug, knownGaps, warnings } = dataset
  const gaps = Object.keys(knownGaps)
  const repairs = release && release.repairs > 0 ? [PROCESS, release.repairs] : []
  const text = JSON.stringify([
    slug,
    gaps,
    warnings,
    versionOf(dataset),
    release?.id,
    release?.degraded,
    release?.completeThrough,
    ...repairs,
  ])
  brought.set(release ?? dataset, [dataset, text])
  return text
}

/**
 * The strong ETag of an answer, computed before anything is read. Two requests with equal tags get equal answers except for request ids.
 * A release has other tags once a part of it was repaired: what was read before may be wrong, and is neither answered nor confirmed by them.
 */
export function etagOf(plan: ReadPlan, freshness: FreshnessState, calendar: Calendar): string {
  const { dataset, limits, sent, columns, order, limit, offset, capped, full, format, bom } = plan
  const determinants = [
    limits.plan,
    limits.rowLimit,
    sent,
    // A list of all columns takes longer to write down than the rest of the read takes.
    columns === allColumns(dataset) ? 0 : columns,
    order === defaultOrder(dataset) ? 0 : order,
    limit,
    offset,
    capped,
    full,
    freshness,
    // The reason why a read has no rows may be that the market was closed.
    dataset.cadence.every === 'trading_day' ? calendar.release : null,
    format,
    bom,
  ]
  return `"${hash('sha256', broughtBy(plan) + JSON.stringify(determinants), 'base64url').slice(0, 27)}"`
}
