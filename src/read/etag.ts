import { hash, randomUUID } from 'node:crypto'
import { allColumns, type Dataset, defaultOrder, sentShape, versionOf } from '../../catalog/index.ts'
import type { Calendar, FreshnessState } from '../calendar/index.ts'
import type { ReadPlan } from './plan.ts'

/**
 * Identifies this process. Entity tags contain this id with the number of repaired parts, because
 * each process counts repairs from 0.
 */
const PROCESS = randomUUID()

/**
 * Cached part of the tag that depends on the release. The key is the release, or the dataset if
 * there is no release.
 */
const releaseTexts = new WeakMap<object, readonly [dataset: Dataset, text: string]>()

function releaseText({ dataset, release }: Pick<ReadPlan, 'dataset' | 'release'>): string {
  const cachedText = releaseTexts.get(release ?? dataset)
  if (cachedText?.[0] === dataset) return cachedText[1]
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
  releaseTexts.set(release ?? dataset, [dataset, text])
  return text
}

/**
 * Computes the strong ETag of an answer from its read plan. Equal tags mean equal answers, except
 * for the request id. Repairing a part changes the tags of its release, because earlier answers may
 * have been wrong.
 */
export function etagOf(plan: ReadPlan, freshness: FreshnessState, calendar: Calendar): string {
  const { dataset, limits, sent, asOf, columns, order, limit, isDefaultLimit, offset, capped, full, format, bom, unknown } = plan
  const determinants = [
    limits.plan,
    limits.rowLimit,
    sent,
    // 0 represents the default columns or order, because serializing the list of all columns takes
    // longer than the rest of the read.
    columns === allColumns(dataset) ? 0 : columns,
    order === defaultOrder(dataset) ? 0 : order,
    limit,
    isDefaultLimit,
    offset,
    capped,
    full,
    freshness,
    // The reason for an answer without rows depends on the calendar: `not_trading_day` or another
    // reason.
    dataset.cadence.every === 'trading_day' ? calendar.release : null,
    format,
    bom,
    ...(asOf ? [{ as_of: asOf.text }] : []),
    // The suggestions for unknown tickers depend on the indexed tickers.
    ...(unknown ? [unknown.tickers, unknown.tag] : []),
    // Earlier versions of the service sent JSON text in these columns. A tag of such an answer must
    // not match.
    ...(isNested(plan) ? ['list_struct'] : []),
  ]
  return `"${hash('sha256', releaseText(plan) + JSON.stringify(determinants), 'base64url').slice(0, 27)}"`
}

/** True if an answer has columns of LIST or STRUCT. */
const isNested = ({ dataset, columns, format }: ReadPlan): boolean =>
  (format === 'arrow' || format === 'parquet') && columns.some(name => sentShape(dataset.columns[name]!) !== undefined)
