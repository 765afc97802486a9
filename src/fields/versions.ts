import type { AnnouncedView } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import { partsThatHold } from '../read/index.ts'
import type { PastRelease, Publication } from '../releases/index.ts'
import { type Fact, type Found, readFacts } from './fact.ts'
import type { FactParts } from './resolve.ts'
import { selectVersions } from './select.ts'
import { relationOf, type Source } from './source.ts'

/** What is looked for in former releases. */
export interface Wanted {
  readonly view: AnnouncedView
  /** By entity, the row of the newest period that can have a version. */
  readonly newest: ReadonlyMap<string, Fact>
  /** First and last day of the periods that matter; versions announced after `to` do not. */
  readonly from: string
  readonly to: string
  /**
   * The first version in line counts, announced or not. Otherwise that of the last announcement, which is the one `newest` has where
   * that was made by then; of one announcement the first version in line: a figure mended later was not known.
   */
  readonly undated: boolean
}

/** Parts opened for one answer: some two seconds of reading where none is in memory. */
const MOST_PARTS = 512
const TOO_MANY =
  'The figures were restated in so many releases since that day that reading them all would take too long; ask for fewer entities at once, or for a later day.'
/** Releases of the first look; each further look takes twice as many. */
const FIRST_LOOK = 4

/**
 * Of each entity, the newest period with a version that counts, in that version.
 *
 * @param line publications in the order in which their versions are preferred
 * @throws Refusal integrity at a damaged release, overloaded past the limit
 */
export async function findVersions(line: readonly Publication[], wanted: Wanted, parts: FactParts): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>()
  const seen = new Set<string>()
  const changed = line.filter((publication, index) => bringsVersions(publication, line[index - 1], wanted))
  for (let at = 0, size = FIRST_LOOK; at < changed.length; at += size, size *= 2) {
    const ids = [...wanted.newest.keys()].filter(id => !isFinal(found.get(id), wanted))
    if (ids.length === 0) return found
    const sources: Source[] = []
    for (const publication of changed.slice(at, at + size)) sources.push(await newParts(publication, ids, wanted, parts, seen))
    for (const version of await readVersions(sources, ids, wanted, parts)) {
      const [{ entity }] = version.facts as readonly [Fact]
      if (isBetter(version, found.get(entity), wanted)) found.set(entity, version)
    }
  }
  return found
}

/** Nothing further down the line can replace it. */
function isFinal(found: Found | undefined, { newest, undated }: Wanted): boolean {
  const fact = found?.facts[0]
  const last = fact && newest.get(fact.entity)
  return fact !== undefined && fact.day === last?.day && (undated || fact.announced === last?.announced)
}

/** @param known the best of those before it in line */
function isBetter(version: Found, known: Found | undefined, wanted: Wanted): boolean {
  const [fact, other] = [version.facts[0]!, known?.facts[0]]
  if (!other || fact.day !== other.day) return !other || fact.day! > other.day!
  if (wanted.undated || isFinal(known, wanted)) return false
  return isFinal(version, wanted) || fact.announced! > other.announced!
}

/** False where the publication before it in the line has every version of the periods that it has. */
function bringsVersions({ parent, changes, dataset }: Publication, before: Publication | undefined, { view, from, to }: Wanted): boolean {
  if (before === undefined || before.release !== parent || dataset.date !== view.date) return true
  if (changes.date_from === null || changes.date_to === null) return changes.rows_added + changes.rows_changed > 0
  return changes.date_from <= to && changes.date_to >= from
}

async function newParts(
  publication: Publication,
  ids: readonly string[],
  { view, from, to }: Wanted,
  { releases }: FactParts,
  seen: Set<string>,
): Promise<Source> {
  const release = await releases.lineage.open(publication)
  const held = partsThatHold(release, [
    { param: '', column: view.id, op: 'in', values: ids },
    { param: '', column: view.date, op: 'from', values: [from] },
    { param: '', column: view.date, op: 'to', values: [to] },
  ])
  const parts = held.filter(({ sha256 }) => !seen.has(sha256))
  for (const { sha256 } of parts) seen.add(sha256)
  if (seen.size > MOST_PARTS) throw new Refusal('overloaded', { retry_after: 1 }, TOO_MANY)
  return { release, parts }
}

async function readVersions(
  sources: readonly Source[],
  ids: readonly string[],
  { view, from, to, undated }: Wanted,
  { pool, releases }: FactParts,
): Promise<readonly Found[]> {
  const rows = await relationOf(pool, releases.lineage, view, sources, true)
  if (rows === undefined) return []
  const homes = new Map<string, PastRelease>(
    sources.flatMap(({ release, parts }) => parts.map(part => [release.pathOf(part), release] as const)),
  )
  const { dataset } = sources[0]!.release
  const selection = selectVersions(dataset, view, rows, { ids, from, to, undated, order: [...homes.keys()] })
  const facts: readonly Fact[] = await readFacts(pool, dataset, view, selection)
  return facts.map(fact => ({ facts: [fact], release: homes.get(fact.file)! }))
}
