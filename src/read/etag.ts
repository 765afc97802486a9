import { hash } from 'node:crypto'
import { versionOf } from '../../catalog/index.ts'
import type { Calendar, FreshnessState } from '../calendar/index.ts'
import type { ReadPlan } from './plan.ts'

/**
 * The strong ETag of an answer, computed before anything is read. Two requests with equal tags get equal answers except for request ids.
 */
export function etagOf(
  { dataset, release, grant, sent, columns, order, limit, offset, capped, full, format, bom }: ReadPlan,
  freshness: FreshnessState,
  calendar: Calendar,
): string {
  const determinants = [
    grant.plan,
    dataset.slug,
    dataset.knownGaps,
    dataset.warnings,
    versionOf(dataset),
    release?.id,
    release?.degraded,
    release?.completeThrough,
    sent,
    columns,
    order,
    limit,
    offset,
    capped,
    full,
    freshness,
    // The reason why a read has no rows may be that the market was closed.
    dataset.cadence.every === 'trading_day' ? calendar.release : null,
    ...(format === 'json' ? [] : [format, bom]),
  ]
  return `"${hash('sha256', JSON.stringify(determinants), 'base64url').slice(0, 27)}"`
}

/** True when an `If-None-Match` header contains the tag, by the weak comparison RFC 9110 requires. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some(tag => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}
