import { type Catalog, type Dataset, type PlanId, pathOf, type Searchable } from '../../catalog/index.ts'
import type { Pool } from '../engine/index.ts'
import type { Release } from '../releases/index.ts'
import type { Entity } from './entity.ts'
import { readSaid, type Said } from './rows.ts'
import { inTurns } from './turns.ts'

/** Releases an index is built from, by slug; datasets without one are absent. */
export type ReleaseSet = ReadonlyMap<string, Release>

export interface Source {
  readonly catalog: Catalog
  readonly releases: ReleaseSet
  readonly pool: Pool
  readonly signal: AbortSignal
}

/** One declaration, with what its dataset's release holds. */
interface Holding {
  readonly dataset: Dataset
  readonly search: Searchable
  readonly ids: readonly string[]
}

interface Found {
  readonly said: Said
  readonly type: Searchable['type']
  readonly datasets: string[]
  readonly reads: { readonly plan: PlanId; readonly url: string; readonly linked: boolean }[]
}

/** Things that have rows in a release, by the catalog's declarations: each named by the dataset of the lowest rank that names it. */
export async function releasedEntities(source: Source): Promise<readonly Entity[]> {
  const declared = [...source.catalog.values()].flatMap(dataset => (dataset.search ?? []).map(search => ({ dataset, search })))
  const found = new Map<string, Found>()
  const holdings: Holding[] = []
  for (const { dataset, search } of declared.toSorted((a, b) => rankOf(a.search) - rankOf(b.search))) {
    const release = source.releases.get(dataset.slug)
    if (release) holdings.push({ dataset, search, ids: await describe(release, search, source, found) })
  }
  const slugs = [...source.catalog.keys()]
  const inOrder = holdings.toSorted((a, b) => slugs.indexOf(a.dataset.slug) - slugs.indexOf(b.dataset.slug))
  for (const holding of inOrder) if (holding.dataset.access) await link(holding, found, source.signal)
  const entities: Entity[] = []
  await inTurns(found.values(), source.signal, one => void entities.push(entityOf(one, declared)))
  return entities
}

/** Datasets without a title describe only what no other one names. */
const rankOf = ({ title, rank = 1 }: Searchable): number => (title === undefined ? Number.MAX_SAFE_INTEGER : rank)

const keyOf = (type: string, id: string): string => `${type} ${id}`

/** Notes what a release says of things nobody has described yet. @returns the ids of everything of the kind it has rows of */
async function describe(release: Release, search: Searchable, source: Source, found: Map<string, Found>): Promise<readonly string[]> {
  const { type, title, market } = search
  const isNew = (id: string): boolean => !found.has(keyOf(type, id))
  const add = (said: Said): void => void found.set(keyOf(type, said.id), { said, type, datasets: [], reads: [] })
  const read = async (wanted: ReadonlySet<string> | null) => {
    const said = await readSaid(release, search, wanted, source.pool, source.signal)
    await inTurns(said.values(), source.signal, one => isNew(one.id) && add(one))
    return [...said.keys()]
  }
  // The spans list keys only, and are no news to what reads every row anyway.
  if (release.manifest.key !== search.id || rankOf(search) === 1) return read(null)
  const { base, delta } = release.spans
  const ids = [...new Set([...Object.keys(base), ...Object.keys(delta)])]
  const fresh = ids.filter(isNew)
  if (title === undefined && market === undefined) for (const id of fresh) add({ id, title: null, subtitle: null, market: null, codes: [] })
  else if (fresh.length > 0) await read(new Set(fresh))
  return ids
}

/** Notes that a served dataset has rows of its things, and how to read them there. */
async function link({ dataset, search, ids }: Holding, found: Map<string, Found>, signal: AbortSignal): Promise<void> {
  await inTurns(ids, signal, id => {
    const one = found.get(keyOf(search.type, id))
    if (!one) return
    one.datasets.push(dataset.id)
    if (search.param === undefined) return
    const read = { plan: dataset.access!.plan, url: readPath(dataset, search, id), linked: search.linked === true }
    one.reads.push(read)
  })
}

const readPath = (dataset: Dataset, { param }: Searchable, id: string): string => `${pathOf(dataset)}?${param}=${encodeURIComponent(id)}`

/** What no served dataset has rows of: a symbol's coverage says so for nothing; another thing's own dataset says that it is not built. */
function pathElsewhere(type: string, id: string, declared: readonly Pick<Holding, 'dataset' | 'search'>[]): string {
  if (type === 'symbol') return `/v2/coverage?symbol=${encodeURIComponent(id)}`
  const own = declared.find(({ search }) => search.type === type && search.linked)
  return own ? readPath(own.dataset, own.search, id) : '/v2/datasets'
}

function entityOf({ said, type, datasets, reads }: Found, declared: readonly Pick<Holding, 'dataset' | 'search'>[]): Entity {
  const { id, title, subtitle, market, codes } = said
  return {
    type,
    id,
    title: title ?? id,
    subtitle,
    market,
    codes: [id, ...codes],
    names: title === null ? [] : [title],
    description: subtitle ?? '',
    datasets,
    reads: reads.toSorted((a, b) => Number(b.linked) - Number(a.linked)),
    url: pathElsewhere(type, id, declared),
    queryField: null,
  }
}
