import { hash, randomUUID } from 'node:crypto'
import { allColumns, type Dataset, defaultOrder, sentShape, versionOf } from '../../catalog/index.ts'
import type { Calendar, FreshnessState } from '../calendar/index.ts'
import type { ReadPlan } from './plan.ts'

/** Random id. Distinguishes processes, because each counts repairs from 0. */
const PROCESS = randomUUID()

/** By release, or by dataset if there is no release. */
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
 * Computes a strong entity tag. Answers with equal tags differ only in the request id. A repair
 * changes the tags, because earlier answers may contain wrong rows.
 */
export function etagOf(plan: ReadPlan, freshness: FreshnessState, calendar: Calendar): string {
  const { dataset, limits, sent, asOf, columns, order, limit, isDefaultLimit, offset, capped, full, format, bom, unknown } = plan
  const determinants = [
    limits.plan,
    limits.rowLimit,
    sent,
    // 0 represents the default, because serializing all column names takes longer than the rest of
    // the read.
    columns === allColumns(dataset) ? 0 : columns,
    order === defaultOrder(dataset) ? 0 : order,
    limit,
    isDefaultLimit,
    offset,
    capped,
    full,
    freshness,
    // The reason for an answer without rows can depend on the calendar.
    dataset.cadence.every === 'trading_day' ? calendar.release : null,
    format,
    bom,
    ...(asOf ? [{ as_of: asOf.text }] : []),
    // The suggestions for unknown tickers depend on the ticker index.
    ...(unknown ? [unknown.tickers, unknown.tag] : []),
    // Earlier versions sent these columns as JSON text, so their tags must not match.
    ...(isNested(plan) ? ['list_struct'] : []),
  ]
  return `"${hash('sha256', releaseText(plan) + JSON.stringify(determinants), 'base64url').slice(0, 27)}"`
}

const isNested = ({ dataset, columns, format }: ReadPlan): boolean =>
  (format === 'arrow' || format === 'parquet') && columns.some(name => sentShape(dataset.columns[name]!) !== undefined)
