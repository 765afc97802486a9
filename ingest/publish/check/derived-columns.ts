import { type Catalog, type Column, derivedColumns, STORED } from '../../../catalog/index.ts'
import { addDays } from '../../../src/core/index.ts'
import { quote } from '../../../src/engine/index.ts'
import { readParts, type ServedReleases } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'
import { type Batch, isSession } from './batch.ts'
import { columnsOf, createTable, createTextTable, list, type Relation } from './relations.ts'

/**
 * Computes derived columns from complete histories. Trading days are numbered, also those without
 * rows, so that no streak spans a gap.
 *
 * @param publishedDays days of all keys, so that the numbers do not depend on the computed keys
 */
export async function deriveColumns(
  workspace: Workspace,
  batch: Batch,
  served: ServedReleases,
  history: Relation,
  publishedDays: readonly string[],
): Promise<Relation> {
  const { dataset } = batch
  const { key, date, columns } = dataset
  const sessions = await numberSessions(workspace, batch, history, publishedDays)
  const stored = columnsOf(dataset).filter(name => columns[name]!.derived === undefined)
  const { joins, taken } = await joinSources(workspace.catalog, batch, served)
  const window = `WINDOW history AS (PARTITION BY t.${quote(key!)} ORDER BY t.${quote(date!)})`
  const layers = layersOf(columns, derivedColumns(dataset)).map((names, index) => {
    const made = names.map(name => `(${columns[name]!.derived})::${STORED[columns[name]!.type]} AS ${quote(name)}`)
    return `layer${index + 1} AS (SELECT t.*, ${made.join(', ')} FROM layer${index} AS t ${window})`
  })
  return createTable(
    workspace.session,
    'target',
    `WITH
      placed AS (SELECT ${[list(stored, 't'), 's.n AS session', ...taken].join(', ')} FROM ${history} AS t JOIN ${sessions} AS s ON s.day = t.${quote(date!)} ${joins.join(' ')}),
      layer0 AS (SELECT t.*, lag(session) OVER history AS previous_session FROM placed AS t ${window}),
      ${layers.join(',\n')}
     SELECT ${list(columnsOf(dataset))} FROM layer${layers.length}`,
  )
}

/** Splits columns into layers that depend only on earlier layers. */
function layersOf(columns: Readonly<Record<string, Column>>, derived: readonly string[]): readonly (readonly string[])[] {
  const layers: string[][] = []
  let remaining = [...derived]
  while (remaining.length > 0) {
    const ready = remaining.filter(
      name => !remaining.some(other => other !== name && new RegExp(`\\b${other}\\b`).test(columns[name]!.derived!)),
    )
    if (ready.length === 0) throw new Error(`The derived columns ${remaining.join(', ')} depend on each other in a cycle`)
    layers.push(ready)
    remaining = remaining.filter(name => !ready.includes(name))
  }
  return layers
}

/**
 * Creates rows `(day, n)` for the days of `history` and all trading days between them. `n` numbers
 * the days in order.
 */
async function numberSessions(
  { session }: Workspace,
  { dataset, calendar }: Batch,
  history: Relation,
  publishedDays: readonly string[],
): Promise<Relation> {
  const rows = await session.rows(`SELECT DISTINCT ${quote(dataset.date!)}::VARCHAR AS day FROM ${history} ORDER BY 1`)
  const days = rows.map(row => String(row['day']))
  const [own, traded] = [new Set(days), new Set(publishedDays)]
  for (let day = days[0], last = days.at(-1); day !== undefined && day < last!; day = addDays(day, 1)) {
    if (!own.has(day) && (traded.has(day) || isSession(day, calendar))) days.push(day)
  }
  const listed = await createTextTable(session, 'session_days', { day: days })
  return createTable(session, 'sessions', `SELECT day::DATE AS day, row_number() OVER (ORDER BY day) AS n FROM ${listed}`)
}

/**
 * Returns LEFT JOINs to the releases that derived columns read. Joined values are null without a
 * release, or if the release has samples and the batch has real rows.
 */
async function joinSources(catalog: Catalog, { dataset: { derive = [] }, synthetic }: Batch, served: ServedReleases) {
  const [joins, taken]: [string[], string[]] = [[], []]
  for (const [index, { dataset: slug, on, take }] of derive.entries()) {
    const source = catalog.get(slug)!
    const release = await served.of(slug)
    const parent = release?.manifest.synthetic === synthetic ? release : undefined
    const alias = `j${index}`
    taken.push(...take.map(name => (parent ? `${alias}.${quote(name)}` : `NULL::${STORED[source.columns[name]!.type]} AS ${quote(name)}`)))
    if (!parent) continue
    joins.push(
      `LEFT JOIN ${await readParts(parent, parent.manifest.parts)} AS ${alias} ON ${on.map(name => `${alias}.${quote(name)} = t.${quote(name)}`).join(' AND ')}`,
    )
  }
  return { joins, taken }
}
