import { type Catalog, type Dataset, keyedByTicker, type PlanId, pathOf, type Searchable, symbolFilter } from '../../catalog/index.ts'
import { type Pace, processInSlices } from '../core/index.ts'
import type { Release } from '../releases/index.ts'
import type { SearchEntity } from './entity.ts'
import { type Description, type RowSources, readDescriptions } from './rows.ts'

/** Keyed by slug. Datasets without a release are missing. */
export type ReleaseSet = ReadonlyMap<string, Release>

export interface IndexSources extends RowSources {
  readonly catalog: Catalog
  readonly releases: ReleaseSet
}

interface DeclaredIds {
  readonly dataset: Dataset
  readonly search: Searchable
  readonly ids: readonly string[]
}

interface Draft {
  readonly description: Description
  readonly type: Searchable['type']
  readonly names: string[]
  readonly datasets: string[]
  /** Public path for the entity. Null if no dataset has rows yet. */
  publicPath: string | null
  readonly reads: { readonly plan: PlanId; readonly url: string; readonly linked: boolean }[]
}

export async function releasedEntities(sources: IndexSources): Promise<readonly SearchEntity[]> {
  const declared = [...sources.catalog.values()].flatMap(dataset => (dataset.search ?? []).map(search => ({ dataset, search })))
  const drafts = new Map<string, Draft>()
  const idsByDeclaration: DeclaredIds[] = []
  for (const { dataset, search } of declared.toSorted((a, b) => rankOf(a.search) - rankOf(b.search))) {
    const release = sources.releases.get(dataset.slug)
    if (release) idsByDeclaration.push({ dataset, search, ids: await describe(release, search, sources, drafts) })
  }
  const slugs = [...sources.catalog.keys()]
  const inOrder = idsByDeclaration.toSorted((a, b) => slugs.indexOf(a.dataset.slug) - slugs.indexOf(b.dataset.slug))
  for (const declaredIds of inOrder) await (declaredIds.dataset.access ? addReads : addQueries)(declaredIds, drafts, sources.pace)
  const entities: SearchEntity[] = []
  const themes = namesOfThemes(drafts.values())
  await processInSlices(drafts.values(), sources.pace, draft => void entities.push(entityOf(draft, declared, themes)))
  return entities
}

/** For example `半導體業` → `Semiconductor`. */
function namesOfThemes(drafts: Iterable<Draft>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { type, description, names: further } of drafts)
    if (type === 'theme' && description.title !== null && further.length > 0) names.set(description.title, further.join(' '))
  return names
}

/**
 * If several datasets have the entity, the dataset with the lowest rank gives the name. Datasets
 * without a title have the highest rank, so that other datasets give the name.
 */
const rankOf = ({ title, rank = 1 }: Searchable): number => (title === undefined ? Number.MAX_SAFE_INTEGER : rank)

const keyOf = (type: string, id: string): string => `${type} ${id}`

/** @returns the ids of all entities of the release */
async function describe(
  release: Release,
  search: Searchable,
  sources: IndexSources,
  drafts: Map<string, Draft>,
): Promise<readonly string[]> {
  const { type, title, market, called = {} } = search
  const isNew = (id: string): boolean => !drafts.has(keyOf(type, id))
  const add = (description: Description): void =>
    void drafts.set(keyOf(type, description.id), { description, type, names: [], datasets: [], publicPath: null, reads: [] })
  const read = async (wanted: ReadonlySet<string> | null) => {
    const descriptions = await readDescriptions(release, search, wanted, sources)
    await processInSlices(descriptions.values(), sources.pace, description => {
      const { id, names } = description
      if (isNew(id)) add(description)
      const further = Object.hasOwn(called, id) ? [...names, called[id]!] : names
      drafts.get(keyOf(type, id))!.names.push(...further)
    })
    return [...descriptions.keys()]
  }
  // The release itself lists only keys, so names require reading all rows.
  if (release.manifest.key !== search.id || rankOf(search) === 1 || search.names) return read(null)
  const { base, delta } = release.spans
  const ids = [...new Set([...Object.keys(base), ...Object.keys(delta)])]
  const undescribed = ids.filter(isNew)
  if (title === undefined && market === undefined)
    for (const id of undescribed)
      add({ id, title: null, subtitle: null, text: '', subtitleCells: [], market: null, delistedOn: null, codes: [], names: [] })
  else if (undescribed.length > 0) await read(new Set(undescribed))
  return ids
}

async function addReads({ dataset, search, ids }: DeclaredIds, drafts: Map<string, Draft>, pace: Pace): Promise<void> {
  await processInSlices(ids, pace, id => {
    const draft = drafts.get(keyOf(search.type, id))
    if (!draft) return
    draft.datasets.push(dataset.id)
    draft.publicPath ??= publicPathOf(dataset, search, id)
    if (search.param === undefined) return
    const read = { plan: dataset.access!.plan, url: readPath(dataset, search, id), linked: search.linked === true }
    draft.reads.push(read)
  })
}

/** Only field queries can read internal datasets. */
async function addQueries({ dataset, search, ids }: DeclaredIds, drafts: Map<string, Draft>, pace: Pace): Promise<void> {
  const view = dataset.fields?.find(({ id }) => id === search.id)
  if (view?.plan === undefined) return
  const { entity, plan } = view
  await processInSlices(ids, pace, id => {
    const url = `/v2/query?entity_type=${entity}&entity_id=${encodeURIComponent(id)}`
    drafts.get(keyOf(search.type, id))?.reads.push({ plan, url, linked: false })
  })
}

/** Path of the entity's coverage, or of the schema if coverage does not accept the id. */
function publicPathOf(dataset: Dataset, search: Searchable, id: string): string {
  const symbol = `symbol=${encodeURIComponent(id)}`
  if (keyedByTicker(dataset) && search.type === 'symbol') return `/v2/coverage?${symbol}`
  return symbolFilter(dataset)?.column === search.id ? `/v2/coverage/${dataset.slug}?${symbol}` : `/v2/datasets/${dataset.slug}/schema`
}

const readPath = (dataset: Dataset, { param }: Searchable, id: string): string => `${pathOf(dataset)}?${param}=${encodeURIComponent(id)}`

function fallbackPath(type: string, id: string, declared: readonly Pick<DeclaredIds, 'dataset' | 'search'>[]): string {
  if (type === 'symbol') return `/v2/coverage?symbol=${encodeURIComponent(id)}`
  const linkedDeclaration = declared.find(({ search }) => search.type === type && search.linked)
  return linkedDeclaration ? publicPathOf(linkedDeclaration.dataset, linkedDeclaration.search, id) : '/v2/datasets'
}

const isEnglish = (name: string): boolean => /[A-Za-z]/.test(name) && !/\p{Script=Han}/u.test(name)

/** Includes all names of the entity's themes, so that each name finds the entity. */
function entityOf(
  { description, type, names, datasets, publicPath, reads }: Draft,
  declared: readonly Pick<DeclaredIds, 'dataset' | 'search'>[],
  themes: ReadonlyMap<string, string>,
): SearchEntity {
  const { id, title, subtitle, text, subtitleCells, market, delistedOn, codes } = description
  const inThemes = subtitleCells.flatMap(word => themes.get(word) ?? [])
  return {
    type,
    id,
    title: title ?? id,
    subtitle,
    titles: { en: [title ?? '', ...names].find(isEnglish) ?? null, zh: title },
    market,
    delistedOn,
    codes: [id, ...codes],
    names: title === null ? names : [title, ...names],
    description: [...(subtitle === null || subtitle === text ? [] : [subtitle]), text, ...inThemes].join(' '),
    datasets,
    reads: reads.toSorted((a, b) => Number(b.linked) - Number(a.linked)),
    url: publicPath ?? fallbackPath(type, id, declared),
    queryField: null,
  }
}
