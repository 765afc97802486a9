import type { Dataset } from '../../../catalog/index.ts'
import { literal, quote } from '../../../src/engine/index.ts'
import type { Changes } from '../../../src/releases/index.ts'
import { type Batch, type BatchFault, isSession } from '../check/batch.ts'
import { deriveColumns } from '../check/derived-columns.ts'
import { columnsOf, createTable, createTextTable, createView, differ, equal, list, type Relation } from '../check/relations.ts'
import type { Basis } from '../check/served-basis.ts'
import { daysOf, type Parent, partsFor, partsWithin, readParts } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'

export interface Compared {
  /**
   * Rows of the batch with their derived columns, and previous rows whose derived columns the
   * batch affects.
   */
  readonly target: Relation
  /** Changes relative to the parent release. Null if nothing is merged. */
  readonly difference: Difference | null
}

export interface Difference {
  /** Previous rows that the batch may replace or remove, or that need new derived columns. */
  readonly overlap: Relation
  /**
   * Rows to write. `_op` is `added`, `changed` or `confirmed` (only the provenance differs).
   * `_role` is where the previous row is stored: `base` or `delta`, NULL for an added row.
   */
  readonly upsert: Relation
  readonly removed: Relation
}

/**
 * Compares typed rows with the release to merge with. Derived columns use the whole history of a
 * key.
 */
export async function compareWithParent(workspace: Workspace, batch: Batch, basis: Basis, incoming: Relation): Promise<Compared> {
  const { session } = workspace
  const { parent, derive, served } = basis
  const columns = list(columnsOf(batch.dataset))
  if (!parent) {
    const rows = await createView(session, 'as_given', `SELECT ${columns} FROM ${incoming}`)
    return { target: derive ? await deriveColumns(workspace, batch, served, rows, []) : rows, difference: null }
  }
  const overlap = await loadOverlap(workspace, batch, parent, incoming, derive)
  const untouched = `SELECT ${columns} FROM ${overlap} AS o WHERE NOT ${replacedBy(batch.dataset, incoming, 'o')} UNION ALL`
  const rows = `SELECT ${columns} FROM ${incoming}`
  const target = derive
    ? await deriveColumns(workspace, batch, served, await createTable(session, 'history', `${untouched} ${rows}`), daysOf(parent.spans))
    : await createView(session, 'as_given', rows)
  return { target, difference: { overlap, ...(await diff(workspace, batch.dataset, target, overlap)) } }
}

/** Creates a table of previous rows that the batch may affect. */
async function loadOverlap(workspace: Workspace, batch: Batch, parent: Parent, incoming: Relation, derive: boolean): Promise<Relation> {
  const { session } = workspace
  const { dataset } = batch
  const overlap = await createTable(
    session,
    'overlap',
    `SELECT ${list(columnsOf(dataset), 'p')}, ''::VARCHAR AS "_role" FROM ${incoming} AS p LIMIT 0`,
  )
  const touched = derive ? await touchedKeys(workspace, batch, parent, incoming) : undefined
  const [from, to] = derive || dataset.publish.mode === 'replace' ? [null, null] : await daySpan(workspace, dataset, incoming)
  const named = batch.whole && (await createTextTable(session, 'whole_keys', { key: batch.whole.keys }))
  for (const role of ['base', 'delta'] as const) {
    const parts = (batch.whole ? partsWithin(parent, batch.whole) : partsFor(parent, touched?.keys, from, to)).filter(
      part => part.role === role,
    )
    if (parts.length === 0) continue
    const keys = named ?? touched?.relation
    const replaced = dataset.publish.mode === 'replace' ? 'true' : replacedBy(dataset, incoming, 'p')
    const scope = keys
      ? `(${dataset.key === undefined ? 'false' : `p.${quote(dataset.key)} IN (SELECT key FROM ${keys})`}${daysWithin(dataset, batch)})`
      : replaced
    await session.run(
      `INSERT INTO ${overlap} SELECT ${list(columnsOf(dataset), 'p')}, '${role}' FROM ${await readParts(parent, parts)} AS p WHERE ${scope}`,
    )
  }
  return overlap
}

function daysWithin({ date }: Dataset, { whole }: Batch): string {
  return (whole?.days ?? [])
    .map(([first, last]) => ` OR p.${quote(date!)} BETWEEN DATE ${literal(first)} AND DATE ${literal(last)}`)
    .join('')
}

/** True for a previous row whose slice or grain is in the batch. */
function replacedBy({ publish, grain }: Dataset, incoming: Relation, row: string): string {
  const slice = publish.slice ?? grain
  const repeats = (by: readonly string[]): string => `EXISTS (SELECT 1 FROM ${incoming} AS i WHERE ${equal(by, 'i', row)})`
  // A security that changes its market has the same grain in another slice. Its previous row must
  // be replaced.
  return slice.every(name => grain.includes(name)) ? repeats(slice) : `(${repeats(slice)} OR ${repeats(grain)})`
}

/**
 * Creates a table of keys whose derived columns may change. These are keys in the batch, keys in
 * replaced slices, and keys that the caller names.
 */
async function touchedKeys(workspace: Workspace, batch: Batch, parent: Parent, incoming: Relation) {
  const { session } = workspace
  const { dataset, touchedKeys = [] } = batch
  const key = quote(dataset.key!)
  const all = (await bearsOnAll(workspace, batch, parent, incoming))
    ? [...Object.keys(parent.spans.base), ...Object.keys(parent.spans.delta)]
    : []
  const named = await createTextTable(session, 'named_keys', { key: [...touchedKeys, ...all] })
  const parts = dataset.publish.slice ? partsFor(parent, undefined, ...(await daySpan(workspace, dataset, incoming))) : []
  const former =
    parts.length > 0 ? `UNION SELECT p.${key} FROM ${await readParts(parent, parts)} AS p WHERE ${replacedBy(dataset, incoming, 'p')}` : ''
  const relation = await createTable(
    session,
    'touched',
    `SELECT DISTINCT key FROM (SELECT ${key} AS key FROM ${incoming} UNION SELECT key FROM ${named} ${former})`,
  )
  return { relation, keys: (await session.rows(`SELECT key FROM ${relation}`)).map(row => String(row['key'])) }
}

/**
 * True if derived columns of all keys may change: the batch adds a day that did not count as a
 * trading day, or the parent lacks a derived column.
 */
async function bearsOnAll({ session }: Workspace, { dataset, calendar }: Batch, parent: Parent, incoming: Relation): Promise<boolean> {
  if (parent.missing.some(name => dataset.columns[name]?.derived !== undefined)) return true
  if (dataset.date === undefined) return false
  const days = (await session.rows(`SELECT DISTINCT ${quote(dataset.date)}::VARCHAR AS day FROM ${incoming}`)).map(row =>
    String(row['day']),
  )
  const existingDays = new Set(daysOf(parent.spans))
  return days.some(day => !existingDays.has(day) && !isSession(day, calendar))
}

async function daySpan(
  { session }: Workspace,
  { date, grain, publish }: Dataset,
  incoming: Relation,
): Promise<readonly [string | null, string | null]> {
  if (date === undefined || !grain.includes(date) || publish.slice?.includes(date) === false) return [null, null]
  const [span] = await session.rows(`SELECT min(${quote(date)})::VARCHAR AS first, max(${quote(date)})::VARCHAR AS last FROM ${incoming}`)
  return [span!['first'] as string | null, span!['last'] as string | null]
}

async function diff(
  { session }: Workspace,
  dataset: Dataset,
  target: Relation,
  overlap: Relation,
): Promise<Pick<Difference, 'upsert' | 'removed'>> {
  const values = columnsOf(dataset).filter(name => !dataset.grain.includes(name))
  const stated = values.filter(name => !dataset.columns[name]!.provenance)
  const upsert = await createTable(
    session,
    'upsert',
    `SELECT ${list(columnsOf(dataset), 'n')}, CASE WHEN o."_role" IS NULL THEN 'added' WHEN ${differ(stated, 'n', 'o')} THEN 'changed' ELSE 'confirmed' END AS "_op", o."_role"
     FROM ${target} AS n LEFT JOIN ${overlap} AS o ON ${equal(dataset.grain, 'n', 'o')} WHERE o."_role" IS NULL OR ${differ(values, 'n', 'o')}`,
  )
  const removed = await createTable(
    session,
    'removed',
    `SELECT o.* FROM ${overlap} AS o WHERE NOT EXISTS (SELECT 1 FROM ${target} AS n WHERE ${equal(dataset.grain, 'n', 'o')})`,
  )
  return { upsert, removed }
}

/** Reports derived values in files that differ from the catalog's formula. */
export async function derivedFaults(
  { session }: Workspace,
  { dataset }: Batch,
  { derive, brought }: Basis,
  incoming: Relation,
  target: Relation,
): Promise<readonly BatchFault[]> {
  const faults: BatchFault[] = []
  for (const name of derive ? brought : []) {
    const [given, made] = [`i.${quote(name)}`, `t.${quote(name)}`]
    const isNumber = ['number', 'integer'].includes(dataset.columns[name]!.type)
    const differs = isNumber ? `abs(${given} - ${made}) > 1e-9 * greatest(1, abs(${made}))` : `${given} <> ${made}`
    const off = `${given} IS NOT NULL AND (${made} IS NULL OR ${differs})`
    const sample = `to_json({${dataset.grain.map(column => `'${column}': i.${quote(column)}::VARCHAR`).join(', ')}, 'brought': i.${quote(name)}, 'formula': t.${quote(name)}})`
    const [row] = await session.rows(
      `SELECT count(*)::INTEGER AS count, to_json(list(${sample})[:5])::VARCHAR AS samples FROM ${incoming} AS i JOIN ${target} AS t ON ${equal(dataset.grain, 'i', 't')} WHERE ${off}`,
    )
    if (Number(row!['count']) === 0) continue
    const message = `The values of ${name} differ from those computed from the other columns and the history. Leave the column out. If this service exported the file, pass --accept derived_as_given.`
    const message_zh = `${name} 由其他欄位與歷史資料計算而得，檔案的值卻不同；請移除此欄位，若檔案由本服務匯出，請以 --accept derived_as_given 放行。`
    faults.push({
      rule: 'derived_differs',
      source: null,
      column: name,
      count: Number(row!['count']),
      samples: JSON.parse(String(row!['samples'])),
      message,
      message_zh,
    })
  }
  return faults
}

export interface Counted {
  readonly changes: Changes
  /**
   * Rows that another source confirmed. Not counted in `changes`. The rows are written with the
   * new source.
   */
  readonly confirmed: number
}

/** Counts added, changed and removed rows. If nothing is merged, all rows count as added. */
export async function countChanges(
  { session }: Workspace,
  { date }: Dataset,
  parent: Parent | undefined,
  { target, difference }: Compared,
): Promise<Counted> {
  const day = date === undefined ? 'NULL::DATE' : quote(date)
  const moved = difference
    ? `SELECT "_op" AS op, ${day} AS day FROM ${difference.upsert} UNION ALL SELECT 'removed', ${day} FROM ${difference.removed}`
    : `SELECT 'added' AS op, ${day} AS day FROM ${target}`
  const [row] = await session.rows(
    `SELECT count(*) FILTER (op = 'added')::INTEGER AS added, count(*) FILTER (op = 'changed')::INTEGER AS changed,
       count(*) FILTER (op = 'removed')::INTEGER AS removed, count(*) FILTER (op = 'confirmed')::INTEGER AS confirmed,
       (min(day) FILTER (op <> 'confirmed'))::VARCHAR AS first, (max(day) FILTER (op <> 'confirmed'))::VARCHAR AS last,
       ${(['added', 'changed', 'removed'] as const).map(reachOf).join(', ')} FROM (${moved})`,
  )
  const reach = (op: string) => (row![`${op}_first`] === null ? null : ([row![`${op}_first`], row![`${op}_last`]] as [string, string]))
  const [added, changed, removed] = [Number(row!['added']), Number(row!['changed']), Number(row!['removed'])]
  const changes: Changes = {
    kind: kindOf(parent, added, changed + removed, row!['added_last'] as string | null),
    rows_added: added,
    rows_changed: changed,
    rows_removed: removed,
    date_from: row!['first'] as string | null,
    date_to: row!['last'] as string | null,
    reach: { added: reach('added'), changed: reach('changed'), removed: reach('removed') },
  }
  return { changes, confirmed: Number(row!['confirmed']) }
}

const reachOf = (op: string): string =>
  `(min(day) FILTER (op = '${op}'))::VARCHAR AS ${op}_first, (max(day) FILTER (op = '${op}'))::VARCHAR AS ${op}_last`

/**
 * Returns the kind of a change. `new_rows` follow the last day, `backfill` fills earlier days,
 * `revision` changes or removes rows.
 */
function kindOf(parent: Parent | undefined, added: number, revised: number, lastAdded: string | null): Changes['kind'] {
  const lastDate = parent?.manifest.statistics.last_date ?? null
  if (revised > 0 && (added === 0 || lastDate === null || lastAdded === null || lastAdded <= lastDate)) return 'revision'
  return lastDate !== null && lastAdded !== null && lastAdded < lastDate ? 'backfill' : 'new_rows'
}

/**
 * Returns the keys with added, changed or removed rows. Datasets that join this one must compute
 * derived columns of these keys again.
 */
export async function movedKeys({ session }: Workspace, { key }: Dataset, { target, difference }: Compared): Promise<readonly string[]> {
  const keyColumn = key === undefined ? "''" : quote(key)
  const moved = difference
    ? `SELECT ${keyColumn} AS key FROM ${difference.upsert} UNION SELECT ${keyColumn} FROM ${difference.removed}`
    : `SELECT DISTINCT ${keyColumn} AS key FROM ${target}`
  return (await session.rows(moved)).map(row => String(row['key']))
}
