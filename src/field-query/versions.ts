import type { AnnouncedView } from '../../catalog/index.ts'
import { Refusal, type Words } from '../core/index.ts'
import { partsMatching } from '../read/index.ts'
import type { PastRelease, Publication } from '../releases/index.ts'
import { type Fact, type FactSet, type ReleaseParts, readFacts, relationOf } from './facts.ts'
import type { FieldDeps } from './lookup.ts'
import { selectVersions } from './select.ts'

export interface VersionQuery {
  readonly view: AnnouncedView
  readonly newest: ReadonlyMap<string, Fact>
  /** First day to search. `to` is the last day. */
  readonly from: string
  readonly to: string
  /**
   * True to choose the first version. False to choose the version that was announced last. Among
   * versions with the same announcement, the first version is used, because later corrections were
   * not known yet.
   */
  readonly undated: boolean
}

export interface ReadRelease {
  readonly release: PastRelease
  /** Rows from `selectAnnounced`, newest first for each entity. */
  readonly facts: readonly Fact[]
}

/** Opening 512 files takes about 2 s. */
const MOST_PARTS = 512
const TOO_MANY: Words = {
  en: 'Too many releases restated these figures since that day. Request fewer entities, or a later day.',
  zh: '該日之後重編這些數字的版本過多。請減少查詢的對象，或改查較晚的日期。',
}
/** Each later batch is twice as large. */
const FIRST_BATCH = 4

/**
 * Finds the newest period with a matching version, for each entity.
 *
 * @param publications the publications, in order of preference
 * @param served the release after the last of these publications
 * @throws Refusal integrity if a release is damaged; overloaded if too many files must be read
 */
export async function findVersions(
  publications: readonly Publication[],
  query: VersionQuery,
  deps: FieldDeps,
  served?: ReadRelease,
): Promise<ReadonlyMap<string, FactSet>> {
  const best = new Map<string, FactSet>()
  const openedParts = new Set<string>()
  const changed = publications.filter((publication, index) => addsVersions(publication, publications[index - 1], query))
  const last = served && lastAsServed(publications, changed, served.release, query)
  const unread = last ? changed.slice(0, -1) : changed
  const openIds = (): readonly string[] => [...query.newest.keys()].filter(id => !isFinal(best.get(id), query))
  const add = (version: FactSet): void => {
    const [{ entity }] = version.facts as readonly [Fact]
    if (isBetter(version, best.get(entity), query)) best.set(entity, version)
  }
  for (let from = 0, size = FIRST_BATCH; from < unread.length; from += size, size *= 2) {
    const ids = openIds()
    if (ids.length === 0) return best
    const sources: ReleaseParts[] = []
    for (const publication of unread.slice(from, from + size)) sources.push(await newParts(publication, ids, query, deps, openedParts))
    for (const version of await readVersions(sources, ids, query, deps)) add(version)
  }
  const ids = openIds()
  if (last === undefined || ids.length === 0) return best
  const release = await deps.releases.lineage.open(last)
  for (const version of versionsIn(served!.facts, release, ids, query)) add(version)
  return best
}

/** Returns the last publication that changed matching rows, if `served` still has these rows. */
function lastAsServed(
  publications: readonly Publication[],
  changed: readonly Publication[],
  { manifest, dataset }: PastRelease,
  query: VersionQuery,
): Publication | undefined {
  const last = changed.at(-1)
  if (last === undefined) return undefined
  const served: Publication = { ...manifest, dataset }
  const later = [...publications.slice(publications.indexOf(last) + 1), served]
  const isSame = !addsVersions(served, publications.at(-1), query) && later.every(({ changes }) => changes.kind !== 'schema_change')
  return isSame ? last : undefined
}

function versionsIn(facts: readonly Fact[], release: PastRelease, ids: readonly string[], { to }: VersionQuery): readonly FactSet[] {
  return ids.flatMap(id => {
    const fact = facts.find(({ entity, announced }) => entity === id && announced !== null && announced <= to)
    return fact ? [{ facts: [fact], release }] : []
  })
}

function isFinal(version: FactSet | undefined, { newest, undated }: VersionQuery): boolean {
  const fact = version?.facts[0]
  const last = fact && newest.get(fact.entity)
  return fact !== undefined && fact.day === last?.day && (undated || fact.announced === last?.announced)
}

function isBetter(version: FactSet, best: FactSet | undefined, query: VersionQuery): boolean {
  const fact = version.facts[0]!
  const bestFact = best?.facts[0]
  if (!bestFact || fact.day !== bestFact.day) return !bestFact || fact.day! > bestFact.day!
  if (query.undated || isFinal(best, query)) return false
  return isFinal(version, query) || fact.announced! > bestFact.announced!
}

function addsVersions(
  { parent, changes, dataset }: Publication,
  before: Publication | undefined,
  { view, from, to }: VersionQuery,
): boolean {
  if (before === undefined || before.release !== parent || dataset.date !== view.date) return true
  if (changes.date_from === null || changes.date_to === null) return changes.rows_added + changes.rows_changed > 0
  return changes.date_from <= to && changes.date_to >= from
}

async function newParts(
  publication: Publication,
  ids: readonly string[],
  { view, from, to }: VersionQuery,
  { releases }: FieldDeps,
  openedParts: Set<string>,
): Promise<ReleaseParts> {
  const release = await releases.lineage.open(publication)
  const candidates = partsMatching(release, [
    { param: '', column: view.id, op: 'in', values: ids },
    { param: '', column: view.date, op: 'from', values: [from] },
    { param: '', column: view.date, op: 'to', values: [to] },
  ])
  const parts = candidates.filter(({ sha256 }) => !openedParts.has(sha256))
  for (const { sha256 } of parts) openedParts.add(sha256)
  if (openedParts.size > MOST_PARTS) throw new Refusal('overloaded', { retry_after: 1 }, TOO_MANY)
  return { release, parts }
}

async function readVersions(
  sources: readonly ReleaseParts[],
  ids: readonly string[],
  { view, from, to, undated }: VersionQuery,
  { pool, releases }: FieldDeps,
): Promise<readonly FactSet[]> {
  const rows = await relationOf(pool, releases.lineage, view, sources, true)
  if (rows === undefined) return []
  const releaseByPath = new Map<string, PastRelease>(
    sources.flatMap(({ release, parts }) => parts.map(part => [release.pathOf(part), release] as const)),
  )
  const { dataset } = sources[0]!.release
  const selection = selectVersions(dataset, view, rows, { ids, from, to, undated, order: [...releaseByPath.keys()] })
  const facts: readonly Fact[] = await readFacts(pool, dataset, view, selection)
  return facts.map(fact => ({ facts: [fact], release: releaseByPath.get(fact.file)! }))
}
