import type { Searchable } from '../../catalog/index.ts'
import { type Pace, processInSlices } from '../core/index.ts'
import { fromParts, isValid, type Pool, quote } from '../engine/index.ts'
import { bucketOf, type Part, type Release, type Releases } from '../releases/index.ts'

export interface Description {
  readonly id: string
  readonly title: string | null
  readonly subtitle: string | null
  /** The subtitle with values instead of labels. */
  readonly text: string
  readonly subtitleCells: readonly string[]
  readonly market: string | null
  /** `YYYY-MM-DD`. Null if the security is not delisted. */
  readonly delistedOn: string | null
  readonly codes: readonly string[]
  /** Searchable, but never displayed. */
  readonly names: readonly string[]
}

interface NewestRow {
  readonly description: Description
  /** Empty if the dataset has no dates. */
  readonly date: string
}

/** Keyed by entity id. Never changes. */
type NewestRows = ReadonlyMap<string, NewestRow>

/** Cache of newest rows. An append only reads the new Parquet file. */
export interface RowCache {
  get(group: string): NewestRows | undefined
  set(group: string, rows: NewestRows): void
  evictUnused(): void
}

export function createRowCache(): RowCache {
  let former = new Map<string, NewestRows>()
  let used = new Map<string, NewestRows>()
  return {
    get(group) {
      const rows = used.get(group) ?? former.get(group)
      if (rows) used.set(group, rows)
      return rows
    },
    set: (group, rows) => void used.set(group, rows),
    evictUnused() {
      former = used
      used = new Map()
    },
  }
}

export interface RowSources {
  readonly pool: Pool
  readonly cache: RowCache
  readonly loadVerified: Releases['loadVerified']
  /** Checked between statements and between slices of rows. */
  readonly pace: Pace
}

/** Larger statements would delay other reads. */
const PARTS_PER_STATEMENT = 8

/**
 * Describes entities by their newest row.
 * @param wanted the ids of the entities to describe. Null for all entities
 */
export async function readDescriptions(
  release: Release,
  search: Searchable,
  wanted: ReadonlySet<string> | null,
  sources: RowSources,
): Promise<ReadonlyMap<string, Description>> {
  const newest = new Map<string, NewestRow>()
  for (const parts of groupsOf(partsOf(release, wanted))) {
    sources.pace.signal?.throwIfAborted()
    const rows = await readNewest(release, search, parts, sources)
    await processInSlices(rows, sources.pace, ([id, row]) => {
      if (wanted && !wanted.has(id)) return
      const former = newest.get(id)
      if (!former || row.date > former.date) newest.set(id, row)
    })
  }
  return new Map([...newest].map(([id, { description }]) => [id, description]))
}

/** Files of appended rows are replaced often, so these files have their own group. */
function groupsOf(parts: readonly Part[]): readonly (readonly Part[])[] {
  const base = parts.filter(({ role }) => role === 'base')
  const delta = parts.filter(({ role }) => role === 'delta')
  return [base, delta].flatMap(all =>
    Array.from({ length: Math.ceil(all.length / PARTS_PER_STATEMENT) }, (_, index) =>
      all.slice(index * PARTS_PER_STATEMENT, (index + 1) * PARTS_PER_STATEMENT),
    ),
  )
}

async function readNewest(
  release: Release,
  search: Searchable,
  parts: readonly Part[],
  { pool, cache, loadVerified, pace }: RowSources,
): Promise<NewestRows> {
  const { slug, search: declared = [] } = release.dataset
  const group = `${slug} ${declared.indexOf(search)} ${parts.map(({ sha256 }) => sha256).join()}`
  const cachedRows = cache.get(group)
  if (cachedRows) return cachedRows
  const names = namesOf(release, search)
  const text = newestRows(release, search, names, parts.map(release.pathOf))
  const rows = await loadVerified(release, parts, () =>
    pool.read({ text, values: [], once: true }, async chunks => {
      const newest = new Map<string, NewestRow>()
      for (const chunk of chunks) {
        const columns = names.map((_, index) => chunk.column(index))
        await processInSlices(Array(chunk.rows).keys(), pace, row => {
          const [id = null, date, ...cells] = columns.map(column => (isValid(column, row) ? column.text(row) : null))
          if (id !== null) newest.set(id, { description: descriptionOf(search, id, cells), date: date ?? '' })
        })
        chunk.free?.()
      }
      return newest
    }),
  )
  cache.set(group, rows)
  return rows
}

function partsOf({ manifest }: Release, wanted: ReadonlySet<string> | null): readonly Part[] {
  const buckets = wanted && new Set([...wanted].map(key => bucketOf(key, manifest.buckets)))
  return manifest.parts.filter(({ bucket }) => bucket === null || !buckets || buckets.has(bucket))
}

/** Columns to read. The id column is a placeholder for missing columns. */
const namesOf = (
  { dataset }: Release,
  { id, market = id, delistedOn = id, title = [], subtitle = [], codes = [], names = [] }: Searchable,
): readonly string[] => [id, dataset.date ?? id, market, delistedOn, ...title, ...subtitle, ...codes, ...names]

function newestRows(
  { dataset: { date, grain, columns: columnsOf } }: Release,
  { id }: Searchable,
  names: readonly string[],
  paths: readonly string[],
): string {
  const order = [...(date === undefined ? [] : [`t.${quote(date)} DESC`]), ...grain.map(name => `t.${quote(name)}`)]
  const columns = names.map(name => `(${columnsOf[name]?.virtual ?? `t.${quote(name)}`})::VARCHAR`)
  return [
    `SELECT ${columns.join(', ')} FROM ${fromParts(paths)} AS t`,
    `QUALIFY row_number() OVER (PARTITION BY t.${quote(id)} ORDER BY ${order.join(', ')}) = 1`,
  ].join('\n')
}

function descriptionOf(
  search: Searchable,
  id: string,
  [market = null, delistedOn = null, ...cells]: readonly (string | null)[],
): Description {
  const subtitleStart = search.title?.length ?? 0
  const codesStart = subtitleStart + (search.subtitle?.length ?? 0)
  const namesStart = codesStart + (search.codes?.length ?? 0)
  const present = (from: number, to?: number): readonly string[] =>
    cells.slice(from, to).filter(cell => cell !== null && cell !== '') as string[]
  const subtitleCells = present(subtitleStart, codesStart)
  return {
    id,
    title: present(0, subtitleStart).join('-') || null,
    subtitle: subtitleCells.map(word => search.labels?.[word] ?? word).join(' · ') || null,
    text: subtitleCells.join(' · '),
    subtitleCells,
    market: search.market === undefined ? null : market,
    delistedOn: search.delistedOn === undefined ? null : delistedOn,
    codes: present(codesStart, namesStart),
    names: present(namesStart),
  }
}
