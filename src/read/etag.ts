import { hash } from 'node:crypto'
import { versionOf } from '../../catalog/index.ts'
import type { Calendar, FreshnessState } from '../calendar/index.ts'
import type { ReadPlan } from './plan.ts'

/**
 * Strong tag of an answer, known before it is read: two requests with one tag get the same rows, names and notes; only request ids
 * differ.
 */
export function etagOf(
  { dataset, release, grant, sent, columns, order, limit, offset, limited }: ReadPlan,
  freshness: FreshnessState,
  calendar: Calendar,
): string {
  const decides = [
    grant.plan,
    dataset.slug,
    dataset.knownGaps,
    dataset.warnings,
    versionOf(dataset),
    release?.id,
    release?.degraded,
    sent,
    columns,
    order,
    limit,
    offset,
    limited,
    freshness,
    // Why a read has no rows may be that nobody traded.
    dataset.cadence.every === 'trading_day' ? calendar.release : null,
  ]
  return `"${hash('sha256', JSON.stringify(decides), 'base64url').slice(0, 27)}"`
}

/** True when an `If-None-Match` header names the tag, weakly compared as RFC 9110 asks. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some(tag => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

/** Parameters of the next page as a query string: the same request further on, pinned to this release so that all pages read one snapshot. */
export function nextPage({ sent, offset, limit, release }: ReadPlan, query: Readonly<Record<string, unknown>>): string {
  const next = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (!['offset', 'release'].includes(name)) next.set(name, sent[name] ?? String(value))
  next.set('offset', String(offset + limit))
  if (release) next.set('release', release.id)
  return next.toString()
}
