import { type Dataset, derivedColumns } from '../../../catalog/index.ts'
import { literal, quote } from '../../../src/engine/index.ts'
import type { Source, Spans, Total } from '../../../src/releases/index.ts'
import type { Batch } from '../check/batch.ts'
import { columnsOf, createView, equal, list, type Relation } from '../check/relations.ts'
import type { Parent } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'

/** Compares received rows with published rows. All datasets have this comparison. */
export const SOURCE_ROWS = 'source_rows'
/** Compares sums with the totals that the source states. */
export const SOURCE_TOTALS = 'source_totals'

type Counts = readonly [rows: number, compared: number, matched: number]
/** Keyed by method, then by slice or source. */
export type Received = NonNullable<Spans['received']>

interface Compare {
  readonly incoming: Relation
  readonly final: Relation
  /**
   * Previous rows that the batch may have replaced. Retained parts still contain some of these
   * rows. Null if nothing is merged.
   */
  readonly overlap: Relation | null
}

/** Compares received rows with the release. Other results are copied from the previous release. */
export async function measureReceived(
  workspace: Workspace,
  batch: Batch,
  parent: Parent | undefined,
  { incoming, final, overlap }: Compare,
): Promise<Received> {
  const grouped = await nameGroups(workspace, batch, incoming)
  const { dataset } = batch
  const methods: Record<string, Readonly<Record<string, Counts>>> = {
    [SOURCE_ROWS]: byName((await counted(workspace, servedAlike(dataset, grouped, final, overlap))).map(group => withHeld(batch, group))),
    ...(await measureTotals(workspace, batch, grouped)),
  }
  for (const { method, over, holds } of dataset.reconcile ?? []) {
    if (over !== 'received') continue
    methods[method] = byName(
      await counted(workspace, `SELECT "_source" AS source, "_group" AS name, (${holds}) AS ok FROM ${grouped} AS t`),
    )
  }
  const former = parent && dataset.publish.mode === 'merge' ? (parent.spans.received ?? {}) : {}
  const names = [...new Set([...Object.keys(former), ...Object.keys(methods)])]
  return Object.fromEntries(names.map(name => [name, { ...former[name], ...methods[name] }])) as Received
}

/**
 * Adds a group to each received row: the slice, the source, or `all` for a dataset that is replaced
 * as a whole.
 */
async function nameGroups({ session }: Workspace, { dataset: { publish }, sources }: Batch, incoming: Relation): Promise<Relation> {
  const bySource = sources.map((source, index) => `WHEN ${index} THEN ${literal(groupOf(source))}`)
  const name = publish.slice
    ? `concat_ws(' ', ${list(publish.slice)})`
    : publish.mode === 'replace' || sources.length === 0
      ? "'all'"
      : `CASE "_source" ${bySource.join(' ')} END`
  return createView(session, 'grouped', `SELECT *, ${name} AS "_group" FROM ${incoming}`)
}

/**
 * Returns the group of a source. Rows from releases form one group, because a derived dataset
 * always has all rows. Each file forms a group, because a file has only its own rows.
 */
const groupOf = ({ read_as, sha256 }: Pick<Source, 'read_as' | 'sha256'>): string =>
  read_as === 'release' ? 'release' : sha256.slice(0, 16)

/**
 * Returns SQL with one row per received row. `ok` is true if the release has the same values.
 * Compares hashes to save memory.
 */
function servedAlike(dataset: Dataset, grouped: Relation, final: Relation, overlap: Relation | null): string {
  const { grain } = dataset
  const values = list(columnsOf(dataset).filter(name => !derivedColumns(dataset).includes(name)))
  const marked = (from: Relation): string => `(SELECT ${list(grain)}, hash(${values}) AS "_mark" FROM ${from})`
  // An unchanged row is not written again. It is still in a previous part.
  const unchanged = overlap ? `LEFT JOIN ${marked(overlap)} AS o ON ${equal(grain, 't', 'o')}` : ''
  const there = overlap ? 'coalesce(f."_mark", o."_mark")' : 'f."_mark"'
  return `SELECT t."_source" AS source, t."_group" AS name, coalesce(${there} = t."_mark", false) AS ok
    FROM (SELECT "_source", "_group", ${list(grain)}, hash(${values}) AS "_mark" FROM ${grouped}) AS t
    LEFT JOIN ${marked(final)} AS f ON ${equal(grain, 't', 'f')} ${unchanged}`
}

interface Group {
  readonly name: string
  readonly sources: readonly number[]
  readonly counts: Counts
}

/** @param rows SQL with the columns `source`, `name` (of the group) and `ok` */
async function counted({ session }: Workspace, rows: string): Promise<readonly Group[]> {
  const found = await session.rows(
    `SELECT name, to_json(list(DISTINCT source))::VARCHAR AS sources, count(*)::INTEGER AS rows, count(ok)::INTEGER AS compared,
       count(*) FILTER (ok)::INTEGER AS matched FROM (${rows}) WHERE name IS NOT NULL GROUP BY 1 ORDER BY 1`,
  )
  return found.map(row => ({
    name: String(row['name']),
    sources: JSON.parse(String(row['sources'])) as number[],
    counts: [Number(row['rows']), Number(row['compared']), Number(row['matched'])],
  }))
}

const byName = (groups: readonly Group[]): Readonly<Record<string, Counts>> =>
  Object.fromEntries(groups.map(({ name, counts }) => [name, counts]))

/** Adds the rows of the file that were skipped. No published row can match them. */
function withHeld({ sources }: Batch, group: Group): Group {
  const [rows, ...rest] = group.counts
  const sourceRows = group.sources.map(index => sources[index]?.held ?? 0).reduce((sum, each) => sum + each, 0)
  return { ...group, counts: [Math.max(rows, sourceRows), ...rest] }
}

/** Compares sums with stated totals. If a total differs, its rows count as not matched. */
async function measureTotals(
  workspace: Workspace,
  { dataset, sources }: Batch,
  grouped: Relation,
): Promise<Readonly<Record<string, Readonly<Record<string, Counts>>>>> {
  const found: Group[] = []
  for (const [index, { totals = [] }] of sources.entries()) {
    if (totals.length === 0) continue
    const equals = totals.map(total => `coalesce(sum(${quote(total.column)}) FILTER (${scopeOf(dataset, total)}), 0) = ${total.stated}`)
    const verdict = `(SELECT ${equals.join(' AND ')} FROM ${grouped} WHERE "_source" = ${index})`
    const scope = totals.map(total => scopeOf(dataset, total)).join(' OR ')
    found.push(
      ...(await counted(
        workspace,
        `SELECT "_source" AS source, "_group" AS name, CASE WHEN ${scope} THEN ${verdict} END AS ok FROM ${grouped} WHERE "_source" = ${index}`,
      )),
    )
  }
  return found.length > 0 ? { [SOURCE_TOTALS]: byName(found) } : {}
}

const scopeOf = ({ key, grain }: Dataset, { of }: Total): string =>
  of === null ? 'true' : `regexp_full_match(${quote(key ?? grain[0]!)}, ${literal(of)})`
