import type { AnnouncedView } from '../../../catalog/field-view.ts'
import { taipeiDay } from '../../core/clock.ts'
import { chooseParts } from '../parts.ts'
import type { Release } from '../release.ts'
import { type Fact, type Found, readFacts } from './fact.ts'
import type { Answers, FactParts, Lookup } from './resolve.ts'
import { selectAnnounced, selectVersions } from './select.ts'

type AnnouncedLookup = Lookup<AnnouncedView>

/**
 * The newest period announced by `asOf`, as it was announced by then.
 *
 * A version counts from its announcement day; without one, from the day of the first kept release that has it, since what is published
 * here is public. First every version known by then is found, then the newest per period, then the newest period: a late restatement of
 * an old quarter hides neither its original nor a newer quarter. Versions that a restatement replaced are read from kept releases.
 */
export async function resolveAnnounced(lookup: AnnouncedLookup, parts: FactParts, answers: Answers): Promise<void> {
  const { view, release, asOf } = lookup
  for (const entity of answers.open()) {
    const [fact] = parts.newest.of(view, release, entity) ?? []
    if (fact && isKnown(fact, release, asOf)) answers.set(entity, { facts: [fact], release })
  }
  const candidates = Map.groupBy(await readCandidates(lookup, parts, answers.open()), ({ entity }) => entity)
  const replaced = [...candidates.values()].flat().filter(fact => !isKnown(fact, release, asOf))
  const former = replaced.length > 0 ? await readFormer(lookup, parts, replaced) : new Map<string, Found>()
  for (const [entity, facts] of candidates) {
    const answer = newestPeriod(facts, fact => (isKnown(fact, release, asOf) ? { facts: [fact], release } : former.get(fact.grain)))
    if (answer) answers.set(entity, answer)
  }
}

const publishedOn = ({ manifest }: Release): string => taipeiDay(new Date(manifest.published_at))

const isKnown = ({ announced }: Fact, release: Release, asOf: string): boolean => (announced ?? publishedOn(release)) <= asOf

/**
 * @param facts served versions, newest period first
 * @returns nothing when no period was known. A period whose announcement day nobody knows is not passed over for an older one: the
 * older one may have been out of date.
 */
function newestPeriod(
  facts: readonly Fact[],
  knownVersion: (fact: Fact) => Found | undefined,
): Found | 'announcement_date_unknown' | undefined {
  for (const fact of facts) {
    const known = knownVersion(fact)
    if (known) return known
    if (fact.announced === null) return 'announcement_date_unknown'
  }
  return undefined
}

async function readCandidates(
  { view, release, asOf }: AnnouncedLookup,
  { pool }: FactParts,
  open: readonly string[],
): Promise<readonly Fact[]> {
  const ids = open.filter(entity => (release.spanOf(entity)?.[0] ?? '9999') <= asOf)
  const files = ids.length > 0 ? chooseParts(release, [{ param: '', column: view.id, op: 'in', values: ids }]) : []
  if (files.length === 0) return []
  const bounds = { ids, to: asOf, published: publishedOn(release) }
  return readFacts(pool, release.dataset, view, selectAnnounced(release.dataset, view, files, bounds))
}

/** By grain, the newest version known by `asOf` of rows that the served release has in a later version, from kept releases. */
async function readFormer(
  { view, release, asOf }: AnnouncedLookup,
  { pool, releases }: FactParts,
  replaced: readonly Fact[],
): Promise<ReadonlyMap<string, Found>> {
  const ids = [...new Set(replaced.map(({ entity }) => entity))]
  const homes = await formerParts(releases.history.before(release), view, ids, asOf)
  if (homes.size === 0) return new Map()
  const from = replaced.map(({ day }) => day!).sort()[0]!
  const { dataset } = release
  const versions = await readFacts(pool, dataset, view, selectVersions(dataset, view, [...homes.keys()], { ids, from, to: asOf }))
  const newestFirst = versions
    .map(fact => ({ fact, home: homes.get(fact.file)! }))
    .filter(({ fact, home }) => isKnown(fact, home, asOf))
    .sort((a, b) => (a.home.id > b.home.id ? -1 : 1))
  const former = new Map<string, Found>()
  for (const { fact, home } of newestFirst) if (!former.has(fact.grain)) former.set(fact.grain, { facts: [fact], release: home })
  return former
}

/**
 * Files of kept releases that can hold the entities, each with the release it speaks for: the one that was current on `asOf` where that
 * holds the file, otherwise the newest that does. Nothing older is looked at: what was known is in the release that was current then.
 */
async function formerParts(
  history: AsyncGenerator<Release>,
  view: AnnouncedView,
  ids: readonly string[],
  asOf: string,
): Promise<ReadonlyMap<string, Release>> {
  const homes = new Map<string, Release>()
  for await (const release of history) {
    const wasCurrent = publishedOn(release) <= asOf
    for (const file of chooseParts(release, [{ param: '', column: view.id, op: 'in', values: ids }]))
      if (wasCurrent || !homes.has(file)) homes.set(file, release)
    if (wasCurrent) return homes
  }
  return homes
}
