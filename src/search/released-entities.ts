import { type Catalog, type Dataset, keyedByTicker, type PlanId, pathOf, type Searchable, symbolFilter } from '../../catalog/index.ts'
import type { Release } from '../releases/index.ts'
import type { SearchEntity } from './entity.ts'
import { inTurns } from './in-turns.ts'
import { type Description, type RowSources, readDescriptions } from './rows.ts'

/** The releases an index is built from, by slug. Datasets without one are absent. */
export type ReleaseSet = ReadonlyMap<string, Release>

/** What an index is built from. */
export interface IndexSources extends RowSources {
  readonly catalog: Catalog
  readonly releases: ReleaseSet
}

/** One declaration, with the ids its dataset's release holds. */
interface DeclaredIds {
  readonly dataset: Dataset
  readonly search: Searchable
  readonly ids: readonly string[]
}

/** An entity while it is being collected. */
interface Draft {
  readonly description: Description
  readonly type: Searchable['type']
  readonly names: string[]
  readonly datasets: string[]
  /** Path that answers anyone about its rows in the first dataset that has some; null while none has. */
  about: string | null
  readonly reads: { readonly plan: PlanId; readonly url: string; readonly linked: boolean }[]
}

/** Collects the entities that have rows in a release, by the catalog's declarations. The dataset with the lowest rank names each. */
export async function releasedEntities(sources: IndexSources): Promise<readonly SearchEntity[]> {
  const declared = [...sources.catalog.values()].flatMap(dataset => (dataset.search ?? []).map(search => ({ dataset, search })))
  const drafts = new Map<string, Draft>()
  const holdings: DeclaredIds[] = []
  for (const { dataset, search } of declared.toSorted((a, b) => rankOf(a.search) - rankOf(b.search))) {
    const release = sources.releases.get(dataset.slug)
    if (release) holdings.push({ dataset, search, ids: await describe(release, search, sources, drafts) })
  }
  const slugs = [...sources.catalog.keys()]
  const inOrder = holdings.toSorted((a, b) => slugs.indexOf(a.dataset.slug) - slugs.indexOf(b.dataset.slug))
  for (const holding of inOrder) await (holding.dataset.access ? addReads : addQueries)(holding, drafts, sources.signal)
  const entities: SearchEntity[] = []
  const themes = namesOfThemes(drafts.values())
  await inTurns(drafts.values(), sources.signal, draft => void entities.push(entityOf(draft, declared, themes)))
  return entities
}

/** Further names of themes by their titles, as descriptions of securities word them: `半導體業` → `Semiconductor`. */
function namesOfThemes(drafts: Iterable<Draft>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { type, description, names: further } of drafts)
    if (type === 'theme' && description.title !== null && further.length > 0) names.set(description.title, further.join(' '))
  return names
}

/** Datasets without a title come last: they describe only what no other dataset names. */
const rankOf = ({ title, rank = 1 }: Searchable): number => (title === undefined ? Number.MAX_SAFE_INTEGER : rank)

const keyOf = (type: string, id: string): string => `${type} ${id}`

/** Describes the entities of a release that have no description yet. @returns the ids of all its entities */
async function describe(
  release: Release,
  search: Searchable,
  sources: IndexSources,
  drafts: Map<string, Draft>,
): Promise<readonly string[]> {
  const { type, title, market, called = {} } = search
  const isNew = (id: string): boolean => !drafts.has(keyOf(type, id))
  const add = (description: Description): void =>
    void drafts.set(keyOf(type, description.id), { description, type, names: [], datasets: [], about: null, reads: [] })
  const read = async (wanted: ReadonlySet<string> | null) => {
    const descriptions = await readDescriptions(release, search, wanted, sources)
    await inTurns(descriptions.values(), sources.signal, one => {
      if (isNew(one.id)) add(one)
      const further = Object.hasOwn(called, one.id) ? [...one.names, called[one.id]!] : one.names
      drafts.get(keyOf(type, one.id))!.names.push(...further)
    })
    return [...descriptions.keys()]
  }
  // Spans list keys only; the dataset of the lowest rank, and one that adds names, read every row anyway.
  if (release.manifest.key !== search.id || rankOf(search) === 1 || search.names) return read(null)
  const { base, delta } = release.spans
  const ids = [...new Set([...Object.keys(base), ...Object.keys(delta)])]
  const undescribed = ids.filter(isNew)
  if (title === undefined && market === undefined)
    for (const id of undescribed) add({ id, title: null, subtitle: null, text: '', said: [], market: null, codes: [], names: [] })
  else if (undescribed.length > 0) await read(new Set(undescribed))
  return ids
}

/** Adds a served dataset, and the way to read it, to the entities it has rows of. */
async function addReads({ dataset, search, ids }: DeclaredIds, drafts: Map<string, Draft>, signal: AbortSignal): Promise<void> {
  await inTurns(ids, signal, id => {
    const draft = drafts.get(keyOf(search.type, id))
    if (!draft) return
    draft.datasets.push(dataset.id)
    draft.about ??= aboutPath(dataset, search, id)
    if (search.param === undefined) return
    const read = { plan: dataset.access!.plan, url: readPath(dataset, search, id), linked: search.linked === true }
    draft.reads.push(read)
  })
}

/** Adds the field query of a dataset whose rows are not sold, to the entities it has values of. */
async function addQueries({ dataset, search, ids }: DeclaredIds, drafts: Map<string, Draft>, signal: AbortSignal): Promise<void> {
  const view = dataset.fields?.find(({ id }) => id === search.id)
  if (view?.plan === undefined) return
  const { entity, plan } = view
  await inTurns(ids, signal, id => {
    const url = `/v2/query?entity_type=${entity}&entity_id=${encodeURIComponent(id)}`
    drafts.get(keyOf(search.type, id))?.reads.push({ plan, url, linked: false })
  })
}

/** What a dataset says of an entity to anyone: its coverage, or what its columns mean where coverage is not by such ids. */
function aboutPath(dataset: Dataset, search: Searchable, id: string): string {
  const symbol = `symbol=${encodeURIComponent(id)}`
  if (keyedByTicker(dataset) && search.type === 'symbol') return `/v2/coverage?${symbol}`
  return symbolFilter(dataset)?.column === search.id ? `/v2/coverage/${dataset.slug}?${symbol}` : `/v2/datasets/${dataset.slug}/schema`
}

const readPath = (dataset: Dataset, { param }: Searchable, id: string): string => `${pathOf(dataset)}?${param}=${encodeURIComponent(id)}`

/** Where to go for an entity that no served dataset has rows of: its coverage, in the dataset that would list it. */
function pathElsewhere(type: string, id: string, declared: readonly Pick<DeclaredIds, 'dataset' | 'search'>[]): string {
  if (type === 'symbol') return `/v2/coverage?symbol=${encodeURIComponent(id)}`
  const own = declared.find(({ search }) => search.type === type && search.linked)
  return own ? aboutPath(own.dataset, own.search, id) : '/v2/datasets'
}

/** What is found is also found by every name of the themes its description names. */
function entityOf(
  { description, type, names, datasets, about, reads }: Draft,
  declared: readonly Pick<DeclaredIds, 'dataset' | 'search'>[],
  themes: ReadonlyMap<string, string>,
): SearchEntity {
  const { id, title, subtitle, text, said, market, codes } = description
  const inThemes = said.flatMap(word => themes.get(word) ?? [])
  return {
    type,
    id,
    title: title ?? id,
    subtitle,
    market,
    codes: [id, ...codes],
    names: title === null ? names : [title, ...names],
    description: [...(subtitle === null || subtitle === text ? [] : [subtitle]), text, ...inThemes].join(' '),
    datasets,
    reads: reads.toSorted((a, b) => Number(b.linked) - Number(a.linked)),
    url: about ?? pathElsewhere(type, id, declared),
    queryField: null,
  }
}
