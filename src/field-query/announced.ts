import type { AnnouncedView } from '../../catalog/index.ts'
import { partsMatching } from '../read/index.ts'
import { type PastRelease, type Publication, publishedOn } from '../releases/index.ts'
import { type Fact, type FactSet, readFacts, relationOf } from './facts.ts'
import type { Answers, FieldDeps, Lookup } from './lookup.ts'
import { announcedUpTo } from './rows-in-memory.ts'
import { selectAnnounced } from './select.ts'
import { findVersions } from './versions.ts'

type AnnouncedLookup = Lookup<AnnouncedView>

/**
 * Finds the values that were known on the day `asOf`. Entities that were added later get the newest
 * period that was announced by `asOf`.
 */
export async function resolveAnnounced(lookup: AnnouncedLookup, deps: FieldDeps, answers: Answers): Promise<void> {
  const { release, asOf } = lookup
  const { lineage } = deps.releases
  const before = async (id: string) => (await lineage.retainedPublications(release)).filter(publication => publication.release < id)
  if (publishedOn(release.manifest) <= asOf) return answerFromCurrent(lookup, release, before, deps, answers)
  const later: Publication[] = []
  for (const publication of await lineage.publications(release)) {
    if (publishedOn(publication) > asOf) later.unshift(publication)
    else {
      await answerFromCurrent(lookup, await lineage.open(publication), before, deps, answers)
      break
    }
  }
  const between = later.filter(publication => publication.release !== release.id)
  await answerFromLater(lookup, between, deps, answers)
}

/** A row without an announcement day was announced by its publication. */
const isKnown = ({ announced, day }: Fact, asOf: string): boolean => (announced === null || announced <= asOf) && day! <= asOf

/**
 * Answers from the release that was served on the day `asOf`.
 *
 * @param before function that returns earlier publications, newest first
 * @throws Refusal release_retired if a deleted release may contain the answer
 */
async function answerFromCurrent(
  lookup: AnnouncedLookup,
  current: PastRelease,
  before: (id: string) => Promise<readonly Publication[]>,
  deps: FieldDeps,
  answers: Answers,
): Promise<void> {
  const { view, asOf } = lookup
  for (const entity of answers.unanswered()) {
    const [fact] = deps.newest.factsOf(view, current, entity) ?? []
    if (fact && isKnown(fact, asOf)) answers.set(entity, { facts: [fact], release: current })
  }
  const facts = await readAnnounced(view, current, answers.unanswered(), asOf, deps)
  const unannounced = facts.filter(fact => !isKnown(fact, asOf))
  const former = unannounced.length === 0 ? new Map() : await formerVersions(lookup, await before(current.id), unannounced, deps)
  for (const [entity, rows] of Map.groupBy(facts, fact => fact.entity)) {
    const answer = newerOf(
      former.get(entity),
      factSetOf(
        current,
        rows.find(fact => isKnown(fact, asOf)),
      ),
    )
    if (answer) answers.set(entity, answer)
  }
}

/** If the oldest release on disk lacks a row, older releases lack the row too. */
async function formerVersions(
  { view, release, asOf }: AnnouncedLookup,
  retained: readonly Publication[],
  unannounced: readonly Fact[],
  deps: FieldDeps,
): Promise<ReadonlyMap<string, FactSet>> {
  const query = versionQuery(view, unannounced, asOf, true)
  const versions = await findVersions(retained, query, deps)
  const unfound = [...query.newest.values()].filter(({ entity, day }) => versions.get(entity)?.facts[0]?.day !== day)
  const oldest = retained.at(-1)
  const ids = unfound.map(({ entity }) => entity)
  const inOldest = unfound.length && oldest ? await readAnnounced(view, await deps.releases.lineage.open(oldest), ids, asOf, deps) : unfound
  const mayBeRetired = ({ entity, day }: Fact): boolean => inOldest.some(fact => fact.entity === entity && fact.day === day)
  // Throws release_retired when the loop reaches a retired release.
  if (unfound.some(mayBeRetired)) for (const _ of await deps.releases.lineage.publications(release));
  return versions
}

/**
 * Answers for entities that were added after the day `asOf`. If the newest period has no
 * announcement day, no older period is used: the older period may have been out of date.
 *
 * @param later the publications after the day `asOf`, oldest first
 */
async function answerFromLater({ view, release, asOf }: AnnouncedLookup, later: readonly Publication[], deps: FieldDeps, answers: Answers) {
  for (const entity of answers.unanswered()) {
    const [fact] = deps.newest.factsOf(view, release, entity) ?? []
    if (fact && fact.announced === null && fact.day! <= asOf) answers.set(entity, 'announcement_date_unknown')
  }
  const ids = answers.unanswered().filter(entity => (release.spanOf(entity)?.[0] ?? '9999') <= asOf)
  const byEntity = Map.groupBy(await readAnnounced(view, release, ids, asOf, deps), fact => fact.entity)
  const dated = [...byEntity.values()].filter(([newest]) => newest!.announced !== null).flat()
  const versions =
    dated.length === 0 ? new Map() : await findVersions(later, versionQuery(view, dated, asOf, false), deps, { release, facts: dated })
  for (const [entity, rows] of byEntity) {
    const unknown = rows.find(({ announced }) => announced === null)
    const served = rows.find(fact => fact.announced !== null && isKnown(fact, asOf))
    const version: FactSet | undefined = versions.get(entity)
    const isOriginal = version?.facts[0]?.announced === served?.announced
    const answer = isOriginal ? newerOf(version, factSetOf(release, served)) : newerOf(factSetOf(release, served), version)
    if (answer && (!unknown || answer.facts[0]!.day! >= unknown.day!)) answers.set(entity, answer)
    else if (unknown) answers.set(entity, 'announcement_date_unknown')
  }
}

/** The rows of each entity are newest first. */
async function readAnnounced(
  view: AnnouncedView,
  release: PastRelease,
  open: readonly string[],
  asOf: string,
  { pool, releases, newest, columns }: FieldDeps,
): Promise<readonly Fact[]> {
  const candidates = open.filter(entity => newest.factsOf(view, release, entity)?.length !== 0)
  const cached = await announcedUpTo({ view, release, ids: candidates, asOf }, columns)
  const ids = candidates.filter(entity => !cached.has(entity))
  return [...[...cached.values()].flat(), ...(await readFromParts(view, release, ids, asOf, { pool, releases }))]
}

async function readFromParts(
  view: AnnouncedView,
  release: PastRelease,
  ids: readonly string[],
  asOf: string,
  { pool, releases }: Pick<FieldDeps, 'pool' | 'releases'>,
): Promise<readonly Fact[]> {
  if (ids.length === 0) return []
  const parts = partsMatching(release, [{ param: '', column: view.id, op: 'in', values: ids }])
  const rows = await relationOf(pool, releases.lineage, view, [{ release, parts }])
  if (rows === undefined) return []
  return readFacts(pool, release.dataset, view, selectAnnounced(release.dataset, view, rows, { ids, to: asOf }))
}

function versionQuery(view: AnnouncedView, facts: readonly Fact[], to: string, undated: boolean) {
  const newest = new Map<string, Fact>()
  for (const fact of facts) if (!newest.has(fact.entity)) newest.set(fact.entity, fact)
  return { view, newest, from: facts.map(({ day }) => day!).sort()[0]!, to, undated }
}

const factSetOf = (release: PastRelease, fact: Fact | undefined): FactSet | undefined => fact && { facts: [fact], release }

/** Returns the newer period. Prefers `first` if the periods are equal. */
function newerOf(first: FactSet | undefined, second: FactSet | undefined): FactSet | undefined {
  if (!first || !second) return first ?? second
  return second.facts[0]!.day! > first.facts[0]!.day! ? second : first
}
