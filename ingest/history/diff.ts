import { type Dataset, FORMER_TIMESTAMP, STORED } from '../../catalog/index.ts'
import { commandRefusal } from '../../src/core/index.ts'
import { fromParts, literal, quote } from '../../src/engine/index.ts'
import { createVerifier, type Manifest, type Part, releasePaths } from '../../src/releases/index.ts'
import { columnsOf, createTable, differ, equal, list, manifestOf, mapBuckets, storedOrder, type Workspace } from '../publish/index.ts'
import { countDifferences, type Differences, differencesOf } from './differences.ts'

interface Side {
  readonly name: 'old' | 'new'
  readonly manifest: Manifest
  readonly pathOf: (part: Part) => string
  readonly base: readonly Part[]
  readonly delta: readonly Part[]
  readonly types: ReadonlyMap<string, string>
}

/** Number of buckets to compare at a time. 32 buckets have about half a million rows. */
const AT_ONCE = 32

/**
 * Compares two releases. Matches rows by their grain (identifying columns). Skips parts that both
 * releases have. Compares bucket by bucket to bound memory.
 *
 * @param from the release that counts as the older one
 * @throws Refusal integrity if a part is damaged, conflict if a release has another grain
 */
export async function diffReleases(workspace: Workspace, dataset: Dataset, from: string, to: string): Promise<Differences> {
  const { session, releases: root } = workspace
  const manifests = await Promise.all([from, to].map(id => manifestOf(root, dataset.slug, id)))
  const [before, after] = manifests as [Manifest, Manifest]
  const shared = sharedParts(before, after)
  const [old, now] = [await sideOf(workspace, dataset, 'old', before, shared), await sideOf(workspace, dataset, 'new', after, shared)]
  const columns = columnsIn(dataset, old, now)
  const found = await createTable(session, 'found_differences', `${emptyOf(dataset, columns)} WHERE false`)
  for (const [olds, news] of await pairs(workspace, old, now, columns)) {
    await session.run(`INSERT INTO ${found} ${comparison(dataset, columns, olds, news)}`)
  }
  const rows = await createTable(
    session,
    'differences',
    `SELECT row_number() OVER () AS n, * FROM (SELECT * FROM ${found} ORDER BY ${list(grainOrder(dataset))})`,
  )
  const counts = await countDifferences(session, rows, after.statistics.rows)
  if (before.statistics.rows - counts.removed + counts.added !== after.statistics.rows)
    throw new Error(
      `The differences between ${from} and ${to} do not add up. Run twmd releases verify ${dataset.slug} to find damaged files.`,
    )
  return differencesOf(session, rows, {
    dataset: dataset.slug,
    from,
    to,
    grain: dataset.grain,
    rows: counts,
    columns_added: namesOnlyIn(now, old),
    columns_removed: namesOnlyIn(old, now),
    parts: { compared: [...old.base, ...old.delta, ...now.base, ...now.delta].length, shared: shared.size },
  })
}

/**
 * Columns of the grain in the order of the stored rows. Differences are sorted by these columns.
 */
const grainOrder = (dataset: Dataset): readonly string[] => storedOrder(dataset).filter(name => dataset.grain.includes(name))

function sharedParts({ parts }: Manifest, other: Manifest): ReadonlySet<string> {
  const own = new Set(parts.map(({ sha256 }) => sha256))
  return new Set(other.parts.map(({ sha256 }) => sha256).filter(sha256 => own.has(sha256)))
}

async function sideOf(
  { session, releases: root }: Workspace,
  dataset: Dataset,
  name: Side['name'],
  manifest: Manifest,
  shared: ReadonlySet<string>,
): Promise<Side> {
  const paths = releasePaths(root, dataset.slug)
  const pathOf = (part: Pick<Part, 'sha256'>): string => paths.part(part.sha256)
  const own = manifest.parts.filter(({ sha256 }) => !shared.has(sha256))
  const damage = await createVerifier(root).checkParts({ id: manifest.release, dataset, manifest, pathOf, repairs: 0 }, own)
  if (damage)
    throw commandRefusal(
      'integrity',
      { release: manifest.release },
      `Release ${manifest.release} of ${dataset.slug} is damaged: ${damage.reason}. Restore it from a backup; twmd releases verify ${dataset.slug} lists every damaged file.`,
    )
  const described = own[0] ? await session.rows(`DESCRIBE SELECT * FROM ${fromParts([pathOf(own[0])])}`) : []
  const types = new Map(described.map(row => [String(row['column_name']), comparedType(String(row['column_type']))]))
  const missing = own.length > 0 ? dataset.grain.find(column => !types.has(column)) : undefined
  if (missing !== undefined)
    throw commandRefusal(
      'conflict',
      { release: manifest.release },
      `Release ${manifest.release} of ${dataset.slug} cannot be compared: it has no column ${missing}, which now identifies rows.`,
    )
  const of = (role: Part['role']): readonly Part[] => own.filter(part => part.role === role)
  return { name, manifest, pathOf, base: of('base'), delta: of('delta'), types }
}

/**
 * Returns the type for the comparison. Timestamps are compared without a zone, as earlier versions
 * stored them.
 */
const comparedType = (stored: string): string => (stored === STORED.timestamp ? FORMER_TIMESTAMP : stored)

const namesOnlyIn = (one: Side, other: Side): readonly string[] =>
  one.types.size === 0 || other.types.size === 0 ? [] : [...one.types.keys()].filter(name => !other.types.has(name))

interface Compared {
  readonly name: string
  readonly type: string
  readonly provenance: boolean
}

/**
 * Returns the columns of both releases in catalog order, then columns that the catalog no longer
 * has. Columns with different types are compared as text.
 */
function columnsIn(dataset: Dataset, old: Side, now: Side): readonly Compared[] {
  const held = new Set([...now.types.keys(), ...old.types.keys()])
  const names = [
    ...columnsOf(dataset).filter(name => held.has(name) || held.size === 0),
    ...[...held].filter(name => !dataset.columns[name]),
  ]
  return names.map(name => {
    const [before, after] = [old.types.get(name), now.types.get(name)]
    const declared = dataset.columns[name]
    const type = after ?? before ?? comparedType(STORED[declared!.type])
    return {
      name,
      type: before !== undefined && after !== undefined && before !== after ? 'VARCHAR' : type,
      provenance: declared?.provenance === true,
    }
  })
}

const emptyOf = (dataset: Dataset, columns: readonly Compared[]): string =>
  `SELECT ''::VARCHAR AS op, ${dataset.grain.map(name => `NULL::${columns.find(column => column.name === name)!.type} AS ${quote(name)}`).join(', ')}, []::${CELLS} AS cells`

const CELLS = `STRUCT("column" VARCHAR, "old" JSON, "new" JSON)[]`

/**
 * Returns pairs of SELECT statements to compare. If both releases have the same buckets, each pair
 * has the rows of some buckets. Otherwise, one pair has all rows.
 */
async function pairs(
  workspace: Workspace,
  old: Side,
  now: Side,
  columns: readonly Compared[],
): Promise<readonly (readonly [string, string])[]> {
  const { key, buckets } = now.manifest
  const alike = old.manifest.key === key && old.manifest.buckets === buckets && key !== null && buckets > 1
  if (!alike) return [[rowsOf(old, columns, [...old.base, ...old.delta]), rowsOf(now, columns, [...now.base, ...now.delta])]]
  const deltas = [await placeDelta(workspace, old, columns), await placeDelta(workspace, now, columns)] as const
  return Array.from({ length: Math.ceil(buckets / AT_ONCE) }, (_, turn) => {
    const [first, last] = [turn * AT_ONCE, (turn + 1) * AT_ONCE - 1]
    const within = (side: Side, delta: string | null): string => {
      const base = side.base.filter(({ bucket }) => bucket! >= first && bucket! <= last)
      const appended =
        delta === null ? [] : [`SELECT ${list(columns.map(({ name }) => name))} FROM ${delta} WHERE "_bucket" BETWEEN ${first} AND ${last}`]
      return [rowsOf(side, columns, base), ...appended].join(' UNION ALL ')
    }
    return [within(old, deltas[0]), within(now, deltas[1])] as const
  })
}

/** Creates a table of the appended rows with their buckets. Null if there are none. */
async function placeDelta(workspace: Workspace, side: Side, columns: readonly Compared[]): Promise<string | null> {
  if (side.delta.length === 0) return null
  const { key, buckets } = side.manifest
  const rows = rowsOf(side, columns, side.delta)
  const places = await mapBuckets(workspace, key!, rows, buckets)
  return createTable(
    workspace.session,
    `${side.name}_delta`,
    `SELECT d.*, m.bucket AS "_bucket" FROM (${rows}) AS d JOIN ${places} AS m ON m.key = d.${quote(key!)}`,
  )
}

/** Returns a SELECT statement for the rows of parts. Missing columns are null. */
function rowsOf({ pathOf, types }: Side, columns: readonly Compared[], parts: readonly Part[]): string {
  const select = columns.map(({ name, type }) => {
    const value = types.has(name) && parts.length > 0 ? quote(name) : 'NULL'
    return types.get(name) === type && type !== FORMER_TIMESTAMP && value !== 'NULL' ? value : `${value}::${type} AS ${quote(name)}`
  })
  return parts.length > 0 ? `SELECT ${select.join(', ')} FROM ${fromParts(parts.map(pathOf))}` : `SELECT ${select.join(', ')} WHERE false`
}

function comparison({ grain }: Dataset, columns: readonly Compared[], olds: string, news: string): string {
  const values = columns.filter(({ name }) => !grain.includes(name))
  const stated = values.filter(({ provenance }) => !provenance).map(({ name }) => name)
  const [first] = grain as readonly [string]
  const cells = values.map(
    column =>
      `CASE WHEN ${differ([column.name], 'o', 'n')} THEN {'column': ${literal(column.name)}, 'old': ${json('o', column)}, 'new': ${json('n', column)}} END`,
  )
  const both = `o.${quote(first)} IS NOT NULL AND n.${quote(first)} IS NOT NULL`
  return `SELECT
      CASE WHEN o.${quote(first)} IS NULL THEN 'added' WHEN n.${quote(first)} IS NULL THEN 'removed'
        WHEN ${differ(stated, 'o', 'n')} THEN 'changed' ELSE 'confirmed' END,
      ${grain.map(name => `coalesce(n.${quote(name)}, o.${quote(name)})`).join(', ')},
      CASE WHEN ${both} THEN list_filter([${cells.join(', ')}]::${CELLS}, lambda cell: cell IS NOT NULL) ELSE []::${CELLS} END
    FROM (${olds}) AS o FULL JOIN (${news}) AS n ON ${equal(grain, 'o', 'n')}
    WHERE o.${quote(first)} IS NULL OR n.${quote(first)} IS NULL OR ${differ(
      values.map(({ name }) => name),
      'o',
      'n',
    )}`
}

/** Returns SQL of a cell as JSON. An empty cell becomes null. */
const json = (of: string, { name, type }: Compared): string =>
  type === FORMER_TIMESTAMP ? `to_json(${taipeiTime(`${of}.${quote(name)}`)})` : `to_json(${of}.${quote(name)})`

const taipeiTime = (cell: string): string => `strftime(${cell} + INTERVAL 8 HOUR, '%Y-%m-%dT%H:%M:%S.%g+08:00')`
