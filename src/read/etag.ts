import { hash, randomUUID } from 'node:crypto'
import { allColumns, type Dataset, defaultOrder, sentShape, versionOf } from '../../catalog/index.ts'
import type { Calendar, FreshnessState } from '../calendar/index.ts'
import type { ReadPlan } from './plan.ts'

/**
 * Random id of this process. Entity tags contain the number of repaired parts, which each process
 * counts from 0. The id distinguishes the counts of different processes.
 */
const PROCESS = randomUUID()

/**
 * First part of the entity tags of each release, cached. The key is the release, or the dataset if
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
 * Computes the strong entity tag of an answer from its read plan. Answers with equal tags are
 * equal, except for the request id. The repair of a part changes all tags of the release, because
 * earlier answers may contain wrong rows.
 */
export function etagOf(plan: ReadPlan, freshness: FreshnessState, calendar: Calendar): string {
  const { dataset, limits, sent, asOf, columns, order, limit, isDefaultLimit, offset, capped, full, format, bom, unknown } = plan
  const determinants = [
    limits.plan,
    limits.rowLimit,
    sent,
    // The default columns or order are written as 0, because serializing all column names takes
    // longer than the rest of the read.
    columns === allColumns(dataset) ? 0 : columns,
    order === defaultOrder(dataset) ? 0 : order,
    limit,
    isDefaultLimit,
    offset,
    capped,
    full,
    freshness,
    // If there are no rows, the reason in the answer (such as `not_trading_day`) depends on the
    // calendar.
    dataset.cadence.every === 'trading_day' ? calendar.release : null,
    format,
    bom,
    ...(asOf ? [{ as_of: asOf.text }] : []),
    // For unknown tickers, the answer suggests similar tickers, which depend on the ticker index.
    ...(unknown ? [unknown.tickers, unknown.tag] : []),
    // Earlier versions of the service sent these columns as JSON text. The marker prevents a match
    // with a tag of such an answer.
    ...(isNested(plan) ? ['list_struct'] : []),
  ]
  return `"${hash('sha256', releaseText(plan) + JSON.stringify(determinants), 'base64url').slice(0, 27)}"`
}

const isNested = ({ dataset, columns, format }: ReadPlan): boolean =>
  (format === 'arrow' || format === 'parquet') && columns.some(name => sentShape(dataset.columns[name]!) !== undefined)
