import type { AnnouncedView } from '../../catalog/index.ts'
import { Refusal, type Words } from '../core/index.ts'
import { partsMatching } from '../read/index.ts'
import type { PastRelease, Publication } from '../releases/index.ts'
import { type Fact, type FactSet, type ReleaseParts, readFacts, relationOf } from './facts.ts'
import type { FieldDeps } from './lookup.ts'
import { selectVersions } from './select.ts'

/** Which versions of rows to find in past releases. */
export interface VersionQuery {
  readonly view: AnnouncedView
  /** By entity, the row of the newest period that may have a version. */
  readonly newest: ReadonlyMap<string, Fact>
  /** First and last day of the relevant periods. Versions announced after `to` are ignored. */
  readonly from: string
  readonly to: string
  /**
   * True: the first version in order counts, announced or not. False: the version of the last announcement counts, which is the one in
   * `newest` where that was made by then; of one announcement the first version in order, because a later correction was not yet known.
   */
  readonly undated: boolean
}

/** Maximum number of parts opened for one answer: about two seconds of reading where none is in memory. */
const MOST_PARTS = 512
const TOO_MANY: Words = {
  en: 'The figures were restated in so many releases since that day that reading them all would take too long; ask for fewer entities at once, or for a later day.',
  zh: '該日之後有過多版本重編這些數字，全部讀取會耗時過久；請減少一次查詢的對象，或改查較晚的日期。',
}
/** Number of releases in the first batch; each further batch is twice as large. */
const FIRST_BATCH = 4

/**
 * Finds, for each entity, the newest period with a version that counts, in that version.
 *
 * @param publications in the order in which their versions are preferred
 * @throws Refusal integrity where a release is damaged, overloaded where too many parts would have to be read
 */
export async function findVersions(
  publications: readonly Publication[],
  query: VersionQuery,
  deps: FieldDeps,
): Promise<ReadonlyMap<string, FactSet>> {
  const found = new Map<string, FactSet>()
  const seen = new Set<string>()
  const changed = publications.filter((publication, index) => addsVersions(publication, publications[index - 1], query))
  for (let at = 0, size = FIRST_BATCH; at < changed.length; at += size, size *= 2) {
    const ids = [...query.newest.keys()].filter(id => !isFinal(found.get(id), query))
    if (ids.length === 0) return found
    const sources: ReleaseParts[] = []
    for (const publication of changed.slice(at, at + size)) sources.push(await newParts(publication, ids, query, deps, seen))
    for (const version of await readVersions(sources, ids, query, deps)) {
      const [{ entity }] = version.facts as readonly [Fact]
      if (isBetter(version, found.get(entity), query)) found.set(entity, version)
    }
  }
  return found
}

/** No later publication in the order can replace it. */
function isFinal(found: FactSet | undefined, { newest, undated }: VersionQuery): boolean {
  const fact = found?.facts[0]
  const last = fact && newest.get(fact.entity)
  return fact !== undefined && fact.day === last?.day && (undated || fact.announced === last?.announced)
}

/** @param known the best version among the publications before it */
function isBetter(version: FactSet, known: FactSet | undefined, query: VersionQuery): boolean {
  const [fact, other] = [version.facts[0]!, known?.facts[0]]
  if (!other || fact.day !== other.day) return !other || fact.day! > other.day!
  if (query.undated || isFinal(known, query)) return false
  return isFinal(version, query) || fact.announced! > other.announced!
}

/** False where the publication before it in the order has every version of the relevant periods that it has. */
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
  seen: Set<string>,
): Promise<ReleaseParts> {
  const release = await releases.lineage.open(publication)
  const candidates = partsMatching(release, [
    { param: '', column: view.id, op: 'in', values: ids },
    { param: '', column: view.date, op: 'from', values: [from] },
    { param: '', column: view.date, op: 'to', values: [to] },
  ])
  const parts = candidates.filter(({ sha256 }) => !seen.has(sha256))
  for (const { sha256 } of parts) seen.add(sha256)
  if (seen.size > MOST_PARTS) throw new Refusal('overloaded', { retry_after: 1 }, TOO_MANY)
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
