import { type Dataset, derivedColumns } from '../../catalog/index.ts'
import { DAY_MS } from '../../src/core/index.ts'
import { quote, type Session } from '../../src/engine/index.ts'
import type { BatchFault } from './batch.ts'
import { columnsOf, list, type Relation } from './relations.ts'

/** Per slice of a batch or a release: rows, and a fingerprint of what they say apart from their date. */
export type Slices = Readonly<Record<string, readonly [rows: number, fingerprint: string]>>

/** A slice of the batch, with the source it came from. */
export interface BatchSlice {
  readonly name: string
  readonly source: number
  readonly rows: number
  readonly fingerprint: string
}

/** Slices of a relation of the dataset's rows. The name is the slice's columns joined with blanks, the date last, for example `TWSE 2023-01-30`. */
export async function measureSlices(session: Session, dataset: Dataset, incoming: Relation): Promise<readonly BatchSlice[]> {
  const slice = dataset.publish.slice
  if (!slice) return []
  const compared = columnsOf(dataset).filter(name => !slice.includes(name) && !derivedColumns(dataset).includes(name))
  const rows = await session.rows(
    `SELECT concat_ws(' ', ${list(slice)}) AS name, max("_source") AS source, count(*)::INTEGER AS rows,
       to_hex(bit_xor(hash(${list(compared)}))) AS fingerprint FROM ${incoming} WHERE ${slice.map(name => `${quote(name)} IS NOT NULL`).join(' AND ')} GROUP BY ALL ORDER BY name`,
  )
  return rows.map(row => ({
    name: String(row['name']),
    source: Number(row['source']),
    rows: Number(row['rows']),
    fingerprint: String(row['fingerprint']),
  }))
}

/** Days looked at around one to know how many rows it should have. */
const NEIGHBOURS = 20
const LEAST_NEIGHBOURS = 5
const WINDOW_DAYS = 60
/** A good day differs from its neighbours by a few per cent; the bodies of other days that exchanges have served differed by a third. */
const [LEAST, MOST] = [0.75, 1.5]

/** Faults of whole slices: of a day, that it is another day's body or unlike the days around it; of a list, that it lost rows. */
export function checkSlices(
  { publish, date }: Dataset,
  incoming: readonly BatchSlice[],
  published: Slices,
  accept: readonly string[],
): readonly BatchFault[] {
  const dated = date !== undefined && publish.slice?.includes(date)
  const faults = dated ? dayFaults(incoming, published) : incoming.flatMap(slice => shrunk(slice, published[slice.name]))
  return faults.filter(({ rule }) => !accept.includes(rule))
}

/** A list that lost more than this share of its rows is more likely part of one than news. */
export const LEAST_KEPT = 0.95
/** Fewer rows than this may leave a day without a word: securities come and go. */
const LEAST_LOST = 5

function shrunk({ name, source, rows }: BatchSlice, before: Slices[string] | undefined, leastLost = 1): readonly BatchFault[] {
  if (!before || rows >= before[0] * LEAST_KEPT || before[0] - rows < leastLost) return []
  const message = `The list of ${name} has ${rows} rows where the served one has ${before[0]}; check that it is whole, or pass --accept row_count_drift.`
  return [{ rule: 'row_count_drift', source, column: null, count: rows, samples: [{ rows, served: before[0] }], message }]
}

function dayFaults(incoming: readonly BatchSlice[], published: Slices): readonly BatchFault[] {
  const all = new Map(Object.entries(published))
  for (const { name, rows, fingerprint } of incoming) all.set(name, [rows, fingerprint])
  const named = [...all].map(([name, [rows, fingerprint]]) => ({
    name,
    rows,
    fingerprint,
    market: name.slice(0, -10),
    at: Date.parse(name.slice(-10)),
  }))
  const twins = Map.groupBy(named, ({ market, fingerprint }) => `${market} ${fingerprint}`)
  const around = Map.groupBy(
    named.sort((a, b) => a.at - b.at),
    ({ market }) => market,
  )
  return incoming.flatMap(slice => {
    const market = slice.name.slice(0, -10)
    return [
      ...shrunk(slice, published[slice.name], LEAST_LOST),
      ...sameBody(slice, twins.get(`${market} ${slice.fingerprint}`) ?? []),
      ...drift(slice, around.get(market) ?? []),
    ]
  })
}

interface Named {
  readonly name: string
  readonly rows: number
  readonly at: number
}

/** The exchange has answered a day with another day's rows under the right date and title; only the rows themselves tell. */
function sameBody({ name, source, rows }: BatchSlice, days: readonly Named[]): readonly BatchFault[] {
  const twin = days.find(day => day.name !== name)
  if (!twin || rows < 2) return []
  const message = `The rows of ${name} equal those of ${twin.name} one by one; fetch the day again, or pass --accept same_body if both are right.`
  return [{ rule: 'same_body', source, column: null, count: rows, samples: [name, twin.name], message }]
}

/** @param days of one market, in order */
function drift({ name, source, rows }: BatchSlice, days: readonly Named[]): readonly BatchFault[] {
  const place = days.findIndex(day => day.name === name)
  const at = days[place]!.at
  const near = days
    .slice(Math.max(0, place - NEIGHBOURS), place + NEIGHBOURS + 1)
    .map(day => ({ rows: day.rows, distance: Math.abs(day.at - at) / DAY_MS }))
    .filter(({ distance }) => distance > 0 && distance <= WINDOW_DAYS)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, NEIGHBOURS)
  if (near.length < LEAST_NEIGHBOURS) return []
  const median = near.map(day => day.rows).sort((a, b) => a - b)[near.length >> 1]!
  if (rows >= median * LEAST && rows <= median * MOST) return []
  const message = `${name} has ${rows} rows where the days around it have ${median}; fetch it again, or pass --accept row_count_drift if the day was like that.`
  return [{ rule: 'row_count_drift', source, column: null, count: rows, samples: [{ rows, median }], message }]
}
