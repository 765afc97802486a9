import type { AnnouncedView } from '../../catalog/index.ts'
import { partsThatHold } from '../read/index.ts'
import { type PastRelease, type Publication, publishedOn } from '../releases/index.ts'
import { type Fact, type Found, readFacts } from './fact.ts'
import type { Answers, FactParts, Lookup } from './resolve.ts'
import { selectAnnounced } from './select.ts'
import { relationOf } from './source.ts'
import { findVersions } from './versions.ts'

type AnnouncedLookup = Lookup<AnnouncedView>

/**
 * The newest period known on `asOf`, as it was known then.
 *
 * The release that was served at the end of that day decides about the entities it has: nothing published since changes the answer. Of
 * the others nothing was kept here then, and announcement days decide: the newest period announced by `asOf`, as last announced by
 * then, in the oldest kept version of that announcement.
 */
export async function resolveAnnounced(lookup: AnnouncedLookup, parts: FactParts, answers: Answers): Promise<void> {
  const { release, asOf } = lookup
  const { lineage } = parts.releases
  const before = async (id: string) => [...(await lineage.publications(release))].filter(publication => publication.release < id)
  if (publishedOn(release.manifest) <= asOf) return takeCurrent(lookup, release, before, parts, answers)
  const later: Publication[] = []
  for (const publication of await lineage.publications(release)) {
    if (publishedOn(publication) > asOf) later.unshift(publication)
    else {
      await takeCurrent(lookup, await lineage.open(publication), before, parts, answers)
      break
    }
  }
  const between = later.filter(publication => publication.release !== release.id)
  await takeLater(lookup, between, parts, answers)
}

/** What is published here is public, so a row without an announcement day is known. */
const isKnown = ({ announced, day }: Fact, asOf: string): boolean => (announced === null || announced <= asOf) && day! <= asOf

/**
 * @param current the release served at the end of that day
 * @param before releases before one, newest first: of a row whose announcement was still to come they have the version before
 */
async function takeCurrent(
  { view, asOf }: AnnouncedLookup,
  current: PastRelease,
  before: (id: string) => Promise<readonly Publication[]>,
  parts: FactParts,
  answers: Answers,
): Promise<void> {
  for (const entity of answers.open()) {
    const [fact] = parts.newest.of(view, current, entity) ?? []
    if (fact && isKnown(fact, asOf)) answers.set(entity, { facts: [fact], release: current })
  }
  const facts = await readAnnounced(view, current, answers.open(), asOf, parts)
  const early = facts.filter(fact => !isKnown(fact, asOf))
  const former = early.length === 0 ? new Map() : await findVersions(await before(current.id), wantedOf(view, early, asOf, true), parts)
  for (const [entity, rows] of Map.groupBy(facts, fact => fact.entity)) {
    const answer = newerOf(
      former.get(entity),
      foundIn(
        current,
        rows.find(fact => isKnown(fact, asOf)),
      ),
    )
    if (answer) answers.set(entity, answer)
  }
}

/**
 * A period whose announcement day the served release does not know is not passed over for an older one: the older one may have been out
 * of date.
 *
 * @param later releases published after that day and before the served one, oldest first
 */
async function takeLater({ view, release, asOf }: AnnouncedLookup, later: readonly Publication[], parts: FactParts, answers: Answers) {
  for (const entity of answers.open()) {
    const [fact] = parts.newest.of(view, release, entity) ?? []
    if (fact && fact.announced === null && fact.day! <= asOf) answers.set(entity, 'announcement_date_unknown')
  }
  const ids = answers.open().filter(entity => (release.spanOf(entity)?.[0] ?? '9999') <= asOf)
  const byEntity = Map.groupBy(await readAnnounced(view, release, ids, asOf, parts), fact => fact.entity)
  const dated = [...byEntity.values()].filter(([newest]) => newest!.announced !== null).flat()
  const versions = dated.length === 0 ? new Map() : await findVersions(later, wantedOf(view, dated, asOf, false), parts)
  for (const [entity, rows] of byEntity) {
    const unknown = rows.find(({ announced }) => announced === null)
    const served = rows.find(fact => fact.announced !== null && isKnown(fact, asOf))
    const version: Found | undefined = versions.get(entity)
    const isOriginal = version?.facts[0]?.announced === served?.announced
    const answer = isOriginal ? newerOf(version, foundIn(release, served)) : newerOf(foundIn(release, served), version)
    if (answer && (!unknown || answer.facts[0]!.day! >= unknown.day!)) answers.set(entity, answer)
    else if (unknown) answers.set(entity, 'announcement_date_unknown')
  }
}

/** Per entity, newest first, the rows that can decide; none of entities that are known to have no rows. */
async function readAnnounced(
  view: AnnouncedView,
  release: PastRelease,
  open: readonly string[],
  asOf: string,
  { pool, releases, newest }: FactParts,
): Promise<readonly Fact[]> {
  const ids = open.filter(entity => newest.of(view, release, entity)?.length !== 0)
  if (ids.length === 0) return []
  const parts = partsThatHold(release, [{ param: '', column: view.id, op: 'in', values: ids }])
  const rows = await relationOf(pool, releases.lineage, view, [{ release, parts }])
  if (rows === undefined) return []
  return readFacts(pool, release.dataset, view, selectAnnounced(release.dataset, view, rows, { ids, to: asOf }))
}

/** @param facts newest first per entity */
function wantedOf(view: AnnouncedView, facts: readonly Fact[], to: string, undated: boolean) {
  const newest = new Map<string, Fact>()
  for (const fact of facts) if (!newest.has(fact.entity)) newest.set(fact.entity, fact)
  return { view, newest, from: facts.map(({ day }) => day!).sort()[0]!, to, undated }
}

const foundIn = (release: PastRelease, fact: Fact | undefined): Found | undefined => fact && { facts: [fact], release }

/** The one of the newer period, the first of two of the same. */
function newerOf(first: Found | undefined, second: Found | undefined): Found | undefined {
  if (!first || !second) return first ?? second
  return second.facts[0]!.day! > first.facts[0]!.day! ? second : first
}
