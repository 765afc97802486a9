import type { Searchable } from '../../catalog/index.ts'
import { fromParts, isValid, type Pool, quote } from '../engine/index.ts'
import { bucketOf, type Part, type Release, type Releases } from '../releases/index.ts'
import { inTurns } from './in-turns.ts'

/** How one dataset describes an entity. */
export interface Description {
  readonly id: string
  readonly title: string | null
  readonly subtitle: string | null
  /** What the subtitle says, in the data's own words. */
  readonly text: string
  /** The same, a cell each. */
  readonly said: readonly string[]
  readonly market: string | null
  readonly codes: readonly string[]
  /** Further names, not shown. */
  readonly names: readonly string[]
}

/** How rows are read. */
export interface RowSources {
  readonly pool: Pool
  readonly takeIn: Releases['loadVerified']
  /** Ends the reading, between two statements. */
  readonly signal: AbortSignal
}

/** Parts read by one statement: few enough that no other read waits long behind it. */
const PARTS_AT_ONCE = 8

/**
 * Describes each entity by its newest row in a release. Parts that hold none of the wanted entities are not read.
 *
 * @param wanted ids, which are keys of the dataset; null for every entity
 */
export async function readDescriptions(
  release: Release,
  search: Searchable,
  wanted: ReadonlySet<string> | null,
  { pool, takeIn, signal }: RowSources,
): Promise<ReadonlyMap<string, Description>> {
  const parts = partsOf(release, wanted)
  const names = namesOf(release, search)
  const newest = new Map<string, { readonly description: Description; readonly date: string }>()
  for (let from = 0; from < parts.length; from += PARTS_AT_ONCE) {
    signal.throwIfAborted()
    const some = parts.slice(from, from + PARTS_AT_ONCE)
    const text = newestRows(release, search, names, some.map(release.pathOf))
    const read = () =>
      pool.read({ text, values: [], once: true }, async chunks => {
        for (const chunk of chunks) {
          const columns = names.map((_, index) => chunk.column(index))
          await inTurns(Array(chunk.rows).keys(), signal, row => {
            const [id = null, date, ...cells] = columns.map(column => (isValid(column, row) ? column.text(row) : null))
            if (id === null || (wanted && !wanted.has(id))) return
            const known = newest.get(id)
            if (!known || (date ?? '') > known.date) newest.set(id, { description: descriptionOf(search, id, cells), date: date ?? '' })
          })
          chunk.done?.()
        }
      })
    await takeIn(release, some, read)
  }
  return new Map([...newest].map(([id, { description }]) => [id, description]))
}

/** The parts that may hold rows of the wanted entities. */
function partsOf({ manifest }: Release, wanted: ReadonlySet<string> | null): readonly Part[] {
  const buckets = wanted && new Set([...wanted].map(key => bucketOf(key, manifest.buckets)))
  return manifest.parts.filter(({ bucket }) => bucket === null || !buckets || buckets.has(bucket))
}

/** Columns read: id, date, market, then those of title, subtitle, codes and further names. The id takes the place of a missing date or market. */
const namesOf = (
  { dataset }: Release,
  { id, market = id, title = [], subtitle = [], codes = [], names = [] }: Searchable,
): readonly string[] => [id, dataset.date ?? id, market, ...title, ...subtitle, ...codes, ...names]

function newestRows({ dataset: { date, grain } }: Release, { id }: Searchable, names: readonly string[], paths: readonly string[]): string {
  const order = [...(date === undefined ? [] : [`t.${quote(date)} DESC`]), ...grain.map(name => `t.${quote(name)}`)]
  const columns = names.map(name => `t.${quote(name)}::VARCHAR`)
  return [
    `SELECT ${columns.join(', ')} FROM ${fromParts(paths)} AS t`,
    `QUALIFY row_number() OVER (PARTITION BY t.${quote(id)} ORDER BY ${order.join(', ')}) = 1`,
  ].join('\n')
}

function descriptionOf(search: Searchable, id: string, [market = null, ...cells]: readonly (string | null)[]): Description {
  const [titled, subtitled] = [search.title?.length ?? 0, (search.title?.length ?? 0) + (search.subtitle?.length ?? 0)]
  const coded = subtitled + (search.codes?.length ?? 0)
  const present = (from: number, to?: number): readonly string[] =>
    cells.slice(from, to).filter(cell => cell !== null && cell !== '') as string[]
  const said = present(titled, subtitled)
  return {
    id,
    title: present(0, titled).join('-') || null,
    subtitle: said.map(word => search.labels?.[word] ?? word).join(' · ') || null,
    text: said.join(' · '),
    said,
    market: search.market === undefined ? null : market,
    codes: present(subtitled, coded),
    names: present(coded),
  }
}
