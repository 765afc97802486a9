import { type Dataset, derivedColumns } from '../../catalog/index.ts'
import { quote } from '../../src/engine/index.ts'
import type { Changes } from '../../src/releases/index.ts'
import { type Batch, type BatchFault, isSession } from './batch.ts'
import { columnsOf, differ, equal, list } from './columns.ts'
import { deriveColumns } from './derive.ts'
import { daysOf, type Parent, partsFor, readParts } from './parent.ts'
import type { Workspace } from './workspace.ts'

/**
 * What a batch changes, as tables: `upsert` (rows added or changed, `_op` says which, `_role` where the former row lies) and
 * `removed` (former rows that are gone).
 *
 * @param derive whether derived columns are computed here, over the whole history of every key the batch touches
 */
export async function compareWithParent(workspace: Workspace, batch: Batch, parent: Parent, derive: boolean): Promise<void> {
  const { dataset } = batch
  await loadOverlap(workspace, batch, parent, derive)
  if (derive) {
    await workspace.session.run(`CREATE OR REPLACE TABLE history AS SELECT ${list(columnsOf(dataset))} FROM overlap AS o WHERE NOT ${replacedBy(dataset, 'o')}
      UNION ALL SELECT ${list(columnsOf(dataset))} FROM incoming`)
    await deriveColumns(workspace, batch, daysOf(parent.spans))
  } else await workspace.session.run(`CREATE OR REPLACE TABLE target AS SELECT ${list(columnsOf(dataset))} FROM incoming`)
  await diff(workspace, dataset)
}

/** Makes `target` for a first release: the batch itself, derived where it must be. */
export async function targetAlone(workspace: Workspace, batch: Batch, derive: boolean): Promise<void> {
  const { dataset } = batch
  await workspace.session.run(
    `CREATE OR REPLACE TABLE ${derive ? 'history' : 'target'} AS SELECT ${list(columnsOf(dataset))} FROM incoming`,
  )
  if (derive) await deriveColumns(workspace, batch, [])
}

/** Makes `overlap`: former rows the batch may replace, remove or, where columns are derived, bear on. */
async function loadOverlap(workspace: Workspace, batch: Batch, parent: Parent, derive: boolean): Promise<void> {
  const { session } = workspace
  const { dataset } = batch
  await session.run(
    `CREATE OR REPLACE TABLE overlap AS SELECT ${list(columnsOf(dataset), 'p')}, ''::VARCHAR AS "_role" FROM incoming AS p LIMIT 0`,
  )
  const keys = derive ? await touchedKeys(workspace, batch, parent) : undefined
  const [from, to] = derive || dataset.publish.mode === 'replace' ? [null, null] : await daySpan(workspace, dataset)
  for (const role of ['base', 'delta'] as const) {
    const parts = partsFor(parent, keys, from, to).filter(part => part.role === role)
    if (parts.length === 0) continue
    const scope = derive
      ? `p.${quote(dataset.key!)} IN (SELECT key FROM touched)`
      : dataset.publish.mode === 'replace'
        ? 'true'
        : replacedBy(dataset, 'p')
    await session.run(
      `INSERT INTO overlap SELECT ${list(columnsOf(dataset), 'p')}, '${role}' FROM ${await readParts(parent, parts)} AS p WHERE ${scope}`,
    )
  }
}

/** True for a former row that the batch replaces: of a slice it brings anew, or with a grain it repeats. */
function replacedBy({ publish, grain }: Dataset, row: string): string {
  const slice = publish.slice ?? grain
  const repeats = (by: readonly string[]): string => `EXISTS (SELECT 1 FROM incoming AS i WHERE ${equal(by, 'i', row)})`
  // A security that changed markets is in another slice than before, and still one row.
  return slice.every(name => grain.includes(name)) ? repeats(slice) : `(${repeats(slice)} OR ${repeats(grain)})`
}

/** Makes `touched(key)`: keys in the batch, keys of the slices it replaces, keys another dataset's news bears on. */
async function touchedKeys(workspace: Workspace, batch: Batch, parent: Parent): Promise<readonly string[]> {
  const { session } = workspace
  const { dataset, touchedKeys: named = [] } = batch
  const key = quote(dataset.key!)
  await session.run('CREATE OR REPLACE TABLE named_keys (key VARCHAR)')
  await session.append('named_keys', [named])
  if (await bearsOnAll(workspace, batch, parent)) {
    await session.append('named_keys', [[...Object.keys(parent.spans.base), ...Object.keys(parent.spans.delta)]])
  }
  const parts = dataset.publish.slice ? partsFor(parent, undefined, ...(await daySpan(workspace, dataset))) : []
  const former =
    parts.length > 0 ? `UNION SELECT p.${key} FROM ${await readParts(parent, parts)} AS p WHERE ${replacedBy(dataset, 'p')}` : ''
  await session.run(
    `CREATE OR REPLACE TABLE touched AS SELECT DISTINCT key FROM (SELECT ${key} AS key FROM incoming UNION SELECT key FROM named_keys ${former})`,
  )
  return (await session.rows('SELECT key FROM touched')).map(row => String(row['key']))
}

/** True for a batch whose news reaches every key: a day nobody knew to have traded, or a derived column that was not stored before. */
async function bearsOnAll({ session }: Workspace, { dataset, calendar }: Batch, parent: Parent): Promise<boolean> {
  if (parent.missing.some(name => dataset.columns[name]?.derived !== undefined)) return true
  if (dataset.date === undefined) return false
  const days = (await session.rows(`SELECT DISTINCT ${quote(dataset.date)}::VARCHAR AS day FROM incoming`)).map(row => String(row['day']))
  const held = new Set(daysOf(parent.spans))
  return days.some(day => !held.has(day) && !isSession(day, calendar))
}

async function daySpan({ session }: Workspace, { date, grain, publish }: Dataset): Promise<readonly [string | null, string | null]> {
  if (date === undefined || !grain.includes(date) || publish.slice?.includes(date) === false) return [null, null]
  const [span] = await session.rows(`SELECT min(${quote(date)})::VARCHAR AS first, max(${quote(date)})::VARCHAR AS last FROM incoming`)
  return [span!['first'] as string | null, span!['last'] as string | null]
}

async function diff({ session }: Workspace, dataset: Dataset): Promise<void> {
  const values = columnsOf(dataset).filter(name => !dataset.grain.includes(name))
  await session.run(
    `CREATE OR REPLACE TABLE upsert AS SELECT ${list(columnsOf(dataset), 'n')}, CASE WHEN o."_role" IS NULL THEN 'added' ELSE 'changed' END AS "_op", o."_role"
     FROM target AS n LEFT JOIN overlap AS o ON ${equal(dataset.grain, 'n', 'o')} WHERE o."_role" IS NULL OR ${differ(values, 'n', 'o')}`,
  )
  await session.run(
    `CREATE OR REPLACE TABLE removed AS SELECT o.* FROM overlap AS o WHERE NOT EXISTS (SELECT 1 FROM target AS n WHERE ${equal(dataset.grain, 'n', 'o')})`,
  )
}

/**
 * True when publication computes the dataset's derived columns for this batch: always, unless the operator vouches for rows that bring
 * every one of them, as our own exports do.
 */
export const computes = ({ dataset, accept }: Batch, brought: readonly string[]): boolean =>
  derivedColumns(dataset).length > 0 && !(accept.includes('derived_as_given') && brought.length === derivedColumns(dataset).length)

/** Brought values of derived columns that are not what the catalog's formula gives. */
export async function derivedFaults(
  { session }: Workspace,
  { dataset }: Batch,
  brought: readonly string[],
): Promise<readonly BatchFault[]> {
  const faults: BatchFault[] = []
  for (const name of brought) {
    const off = `i.${quote(name)} IS NOT NULL AND (t.${quote(name)} IS NULL OR abs(i.${quote(name)} - t.${quote(name)}) > 1e-9 * greatest(1, abs(t.${quote(name)})))`
    const sample = `to_json({${dataset.grain.map(column => `'${column}': i.${quote(column)}::VARCHAR`).join(', ')}, 'brought': i.${quote(name)}, 'formula': t.${quote(name)}})`
    const [row] = await session.rows(
      `SELECT count(*)::INTEGER AS count, to_json(list(${sample})[:5])::VARCHAR AS samples FROM incoming AS i JOIN target AS t ON ${equal(dataset.grain, 'i', 't')} WHERE ${off}`,
    )
    if (Number(row!['count']) === 0) continue
    const message = `${name} is computed from the other columns and the history, and the file says otherwise; leave the column out, or pass --accept derived_as_given if the file is an export of ours.`
    faults.push({
      rule: 'derived_differs',
      source: null,
      column: name,
      count: Number(row!['count']),
      samples: JSON.parse(String(row!['samples'])),
      message,
    })
  }
  return faults
}

/** What a publication adds, changes and removes, counted over `upsert` and `removed`, or over `target` for a first release. */
export async function countChanges(
  { session }: Workspace,
  { date }: Dataset,
  parent: Parent | undefined,
  compared: boolean,
): Promise<Changes> {
  const day = date === undefined ? 'NULL::DATE' : quote(date)
  const moved = compared
    ? `SELECT "_op" AS op, ${day} AS day FROM upsert UNION ALL SELECT 'removed', ${day} FROM removed`
    : `SELECT 'added' AS op, ${day} AS day FROM target`
  const [row] = await session.rows(
    `SELECT count(*) FILTER (op = 'added')::INTEGER AS added, count(*) FILTER (op = 'changed')::INTEGER AS changed,
       count(*) FILTER (op = 'removed')::INTEGER AS removed, min(day)::VARCHAR AS first, max(day)::VARCHAR AS last,
       ${(['added', 'changed', 'removed'] as const).map(reachOf).join(', ')} FROM (${moved})`,
  )
  const reach = (op: string) => (row![`${op}_first`] === null ? null : ([row![`${op}_first`], row![`${op}_last`]] as [string, string]))
  const [added, changed, removed] = [Number(row!['added']), Number(row!['changed']), Number(row!['removed'])]
  return {
    kind: kindOf(parent, added, changed + removed, row!['added_last'] as string | null),
    rows_added: added,
    rows_changed: changed,
    rows_removed: removed,
    date_from: row!['first'] as string | null,
    date_to: row!['last'] as string | null,
    reach: { added: reach('added'), changed: reach('changed'), removed: reach('removed') },
  }
}

const reachOf = (op: string): string =>
  `(min(day) FILTER (op = '${op}'))::VARCHAR AS ${op}_first, (max(day) FILTER (op = '${op}'))::VARCHAR AS ${op}_last`

/** New rows reach past what was known; a backfill fills in before it; a revision changes or removes. */
function kindOf(parent: Parent | undefined, added: number, revised: number, lastAdded: string | null): Changes['kind'] {
  const known = parent?.manifest.statistics.last_date ?? null
  if (revised > 0 && (added === 0 || known === null || lastAdded === null || lastAdded <= known)) return 'revision'
  return known !== null && lastAdded !== null && lastAdded < known ? 'backfill' : 'new_rows'
}
