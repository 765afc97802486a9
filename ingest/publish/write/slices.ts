import { type ColumnType, type Dataset, type Drift, derivedColumns, driftOf } from '../../../catalog/index.ts'
import { addDays, DAY_MS } from '../../../src/core/index.ts'
import { quote, type Session } from '../../../src/engine/index.ts'
import type { Spans } from '../../../src/releases/index.ts'
import type { BatchFault } from '../check/batch.ts'
import { columnsOf, list, type Relation } from '../check/relations.ts'
import { type Parent, readParts, soundParts } from './parent.ts'

/**
 * Number of rows and fingerprint per slice, keyed by name. Columns that identify the slice are not
 * part of the fingerprint, so two days with the same values have equal fingerprints.
 */
export type Slices = Spans['slices']

export interface BatchSlice {
  readonly name: string
  readonly source: number
  readonly rows: number
  readonly fingerprint: string
}

/** Measures each slice. A slice is named by its values, with the date last: `TWSE 2023-01-30`. */
export async function measureSlices(session: Session, dataset: Dataset, incoming: Relation): Promise<readonly BatchSlice[]> {
  if (!dataset.publish.slice) return []
  const rows = await session.rows(sliceQuery(dataset, incoming, 'max("_source") AS source, '))
  return rows.map(row => ({
    name: String(row['name']),
    source: Number(row['source']),
    rows: Number(row['rows']),
    fingerprint: String(row['fingerprint']),
  }))
}

/** Prefix of each fingerprint. The number is the version of the formula. */
const VERSION = '1:'

/**
 * Returns the slices of a release with fingerprints of the current version. Older fingerprints are
 * computed again from the parts. A slice with rows in a damaged part keeps its old fingerprint,
 * which equals no fingerprint of the current version.
 */
export async function readSlices(session: Session, dataset: Dataset, parent: Parent): Promise<Slices> {
  const { slices } = parent.spans
  if (!dataset.publish.slice || Object.values(slices).every(([, fingerprint]) => fingerprint.startsWith(VERSION))) return slices
  const { parts } = parent.manifest
  const sound = await soundParts(parent, parts)
  if (sound.length === 0) return slices
  const rows = await session.rows(sliceQuery(dataset, await readParts(parent, sound)))
  const found = new Map(rows.map(row => [String(row['name']), { rows: Number(row['rows']), fingerprint: String(row['fingerprint']) }]))
  const renewed = ([name, [count, former]]: readonly [string, Slices[string]]): readonly [string, Slices[string]] => {
    if (former.startsWith(VERSION)) return [name, [count, former]]
    const now = found.get(name)
    if (sound.length < parts.length && now?.rows !== count) return [name, [count, former]]
    return [name, [count, now?.fingerprint ?? `${VERSION}none of ${name}`]]
  }
  return Object.fromEntries(Object.entries(slices).map(renewed))
}

function sliceQuery(dataset: Dataset, from: string, extraColumns = ''): string {
  const slice = dataset.publish.slice!
  const compared = columnsOf(dataset).filter(name => !slice.includes(name) && !derivedColumns(dataset).includes(name))
  return `SELECT concat_ws(' ', ${list(slice)}) AS name, ${extraColumns}count(*)::INTEGER AS rows, ${fingerprint(dataset, compared)} AS fingerprint
    FROM ${from} WHERE ${slice.map(name => `${quote(name)} IS NOT NULL`).join(' AND ')} GROUP BY ALL ORDER BY name`
}

/**
 * Returns SQL of a fingerprint that does not depend on the order of rows. The fingerprint is the
 * version and the XOR of all row hashes. The hash of a row is 60 bits of the md5 of `;name=value`
 * for all non-null cells, sorted by name. The engine's `hash()` is not used, because it may differ
 * between engine versions.
 */
function fingerprint({ columns }: Dataset, names: readonly string[]): string {
  const cells = [...names].sort().map(name => `';${name}=' || ${CANONICAL[columns[name]!.type](quote(name))}`)
  return `'${VERSION}' || lower(to_hex(bit_xor(('0x' || left(md5(concat(${cells.join(', ')})), 15))::BIGINT)))`
}

const sized = (text: string): string => `strlen(${text}) || ':' || ${text}`

/**
 * Text of a cell, the same in all engine versions. Text starts with its length in bytes, and
 * fractions have 17 significant digits.
 */
const CANONICAL: Readonly<Record<ColumnType, (cell: string) => string>> = {
  text: sized,
  json: sized,
  date: cell => `(${cell} - DATE '1970-01-01')::VARCHAR`,
  timestamp: cell => `epoch_us(${cell})::VARCHAR`,
  integer: cell => `${cell}::VARCHAR`,
  boolean: cell => `CASE WHEN ${cell} THEN 't' ELSE 'f' END`,
  number: cell =>
    `CASE WHEN ${cell} = trunc(${cell}) AND abs(${cell}) < ${2 ** 53} THEN ${cell}::BIGINT::VARCHAR ELSE printf('%.16e', ${cell}) END`,
}

/** Nearby days that determine the expected number of rows. */
const NEIGHBOURS = 20
const LEAST_NEIGHBOURS = 5
const WINDOW_DAYS = 60

/**
 * Reports a day with the rows of another day, an unusual number of rows, or a list that lost rows.
 */
export function checkSlices(
  dataset: Dataset,
  incoming: readonly BatchSlice[],
  published: Slices,
  accept: readonly string[],
): readonly BatchFault[] {
  const { publish, date } = dataset
  const bounds = driftOf(dataset)
  const dated = date !== undefined && publish.slice?.includes(date)
  const faults = dated ? dayFaults(incoming, published, bounds) : incoming.flatMap(slice => shrunk(slice, published[slice.name], bounds))
  return faults.filter(({ rule }) => !accept.includes(rule))
}

/**
 * Minimum number of lost rows to report. A smaller loss is normal, because securities are listed
 * and delisted.
 */
const LEAST_LOST = 5

function shrunk(
  { name, source, rows }: BatchSlice,
  before: Slices[string] | undefined,
  { kept }: Required<Drift>,
  leastLost = 1,
): readonly BatchFault[] {
  if (!before || rows >= before[0] * kept || before[0] - rows < leastLost) return []
  const message = `The list of ${name} has ${rows} rows, but the served one has ${before[0]}. Check that the list is complete, or pass --accept row_count_drift.`
  const message_zh = `${name} 的清單有 ${rows} 列，提供中的則有 ${before[0]} 列；請確認清單完整，或以 --accept row_count_drift 放行。`
  return [{ rule: 'row_count_drift', source, column: null, count: rows, samples: [{ rows, served: before[0] }], message, message_zh }]
}

function dayFaults(incoming: readonly BatchSlice[], published: Slices, bounds: Required<Drift>): readonly BatchFault[] {
  const all = new Map(Object.entries(published))
  for (const { name, rows, fingerprint } of incoming) all.set(name, [rows, fingerprint])
  const brought = new Set(incoming.map(({ fingerprint }) => fingerprint))
  const spans = Map.groupBy(incoming, ({ name }) => marketOf(name))
  const reach = new Map([...spans].map(([market, slices]) => [market, reachOf(slices)]))
  const twins = new Map<string, Named[]>()
  const around = new Map<string, Named[]>()
  // Loops over the release only once, because a release has thousands of days and a batch only a
  // few.
  for (const [name, [rows, fingerprint]] of all) {
    const market = marketOf(name)
    const [first, last] = reach.get(market) ?? NOWHERE
    const day = name.slice(-10)
    if (brought.has(fingerprint)) addTo(twins, `${market} ${fingerprint}`, { name, rows, at: Date.parse(day) })
    if (day >= first && day <= last) addTo(around, market, { name, rows, at: Date.parse(day) })
  }
  for (const days of around.values()) days.sort((a, b) => a.at - b.at)
  return incoming.flatMap(slice => {
    const market = marketOf(slice.name)
    return [
      ...shrunk(slice, published[slice.name], bounds, LEAST_LOST),
      ...sameBody(slice, twins.get(`${market} ${slice.fingerprint}`) ?? []),
      ...drift(slice, around.get(market) ?? [], bounds),
    ]
  })
}

const marketOf = (slice: string): string => slice.slice(0, -10)

const NOWHERE: Reach = ['~', '']
type Reach = readonly [first: string, last: string]

function reachOf(slices: readonly BatchSlice[]): Reach {
  const days = slices.map(({ name }) => name.slice(-10)).sort()
  return [addDays(days[0]!, -WINDOW_DAYS), addDays(days.at(-1)!, WINDOW_DAYS)]
}

function addTo(groups: Map<string, Named[]>, name: string, day: Named): void {
  const group = groups.get(name)
  if (group) group.push(day)
  else groups.set(name, [day])
}

interface Named {
  readonly name: string
  readonly rows: number
  readonly at: number
}

/**
 * Reports a day with the rows of another day. An exchange once sent such rows under the right date
 * and title.
 */
function sameBody({ name, source, rows }: BatchSlice, days: readonly Named[]): readonly BatchFault[] {
  const twin = days.find(day => day.name !== name)
  if (!twin || rows < 2) return []
  const message = `The rows of ${name} are identical to those of ${twin.name}. Fetch the day again, or pass --accept same_body if both are correct.`
  const message_zh = `${name} 的資料列與 ${twin.name} 完全相同；請重新取得該日資料，若兩者皆正確，請以 --accept same_body 放行。`
  return [{ rule: 'same_body', source, column: null, count: rows, samples: [name, twin.name], message, message_zh }]
}

/** @param days days of one market, in order */
function drift({ name, source, rows }: BatchSlice, days: readonly Named[], { least, most }: Required<Drift>): readonly BatchFault[] {
  const place = days.findIndex(day => day.name === name)
  const center = days[place]!.at
  const near = days
    .slice(Math.max(0, place - NEIGHBOURS), place + NEIGHBOURS + 1)
    .map(day => ({ rows: day.rows, distance: Math.abs(day.at - center) / DAY_MS }))
    .filter(({ distance }) => distance > 0 && distance <= WINDOW_DAYS)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, NEIGHBOURS)
  if (near.length < LEAST_NEIGHBOURS) return []
  const median = near.map(day => day.rows).sort((a, b) => a - b)[near.length >> 1]!
  if (rows >= median * least && rows <= median * most) return []
  const message = `${name} has ${rows} rows, but the days around it have about ${median}. Fetch it again, or pass --accept row_count_drift if the number is correct.`
  const message_zh = `${name} 有 ${rows} 列，前後日期則約有 ${median} 列；請重新取得，若列數正確，請以 --accept row_count_drift 放行。`
  return [{ rule: 'row_count_drift', source, column: null, count: rows, samples: [{ rows, median }], message, message_zh }]
}
