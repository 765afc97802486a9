import type { FieldView } from '../../catalog/index.ts'
import { addDays, Refusal, type Words } from '../core/index.ts'
import { partsMatching } from '../read/index.ts'
import type { PastRelease, Publication, Span } from '../releases/index.ts'
import { readFacts, relationOf } from './facts.ts'
import type { Answers, FieldDeps, Lookup } from './lookup.ts'
import { newestUpTo } from './rows-in-memory.ts'
import { type Bounds, selectNewest } from './select.ts'

/** Nearly every entity has a row within 31 days. */
const FIRST_WINDOW_DAYS = 31

export async function resolveSeries(lookup: Lookup, deps: FieldDeps, answers: Answers): Promise<void> {
  answerFromMemory(lookup, deps, answers)
  await answerFromRowCache(lookup, deps, answers)
  await answerFromServed(lookup, deps, answers, { from: addDays(lookup.asOf, -FIRST_WINDOW_DAYS), to: lookup.asOf })
  await answerFromServed(lookup, deps, answers, { to: lookup.asOf })
}

/** Leaves entities unanswered if their newest rows are after `asOf`. */
function answerFromMemory({ view, release, asOf }: Lookup, { newest }: FieldDeps, answers: Answers): void {
  for (const entity of answers.unanswered()) {
    const facts = newest.factsOf(view, release, entity) ?? []
    if (facts.length > 0 && (facts[0]!.day ?? release.manifest.data_as_of) <= asOf) answers.set(entity, { facts, release })
  }
}

async function answerFromRowCache({ view, release, asOf }: Lookup, { columns }: FieldDeps, answers: Answers): Promise<void> {
  const ids = answers.unanswered().filter(entity => mayHold(release.spanOf(entity), { to: asOf }))
  if (ids.length === 0) return
  for (const [entity, facts] of await newestUpTo({ view, release, ids, asOf }, columns)) {
    if (facts.length > 0) answers.set(entity, { facts, release })
  }
}

async function answerFromServed(lookup: Lookup, deps: FieldDeps, answers: Answers, bounds: Bounds): Promise<void> {
  const ids = answers.unanswered().filter(entity => mayHold(lookup.release.spanOf(entity), bounds))
  await answerFromRelease({ view: lookup.view, release: lookup.release, ids }, deps, answers, bounds)
}

async function answerFromRelease(
  { view, release, ids }: { readonly view: FieldView; readonly release: PastRelease; readonly ids: readonly string[] },
  { pool, releases }: FieldDeps,
  answers: Answers,
  bounds: Bounds,
): Promise<void> {
  if (ids.length === 0) return
  const filters = [{ param: '', column: view.id, op: 'in' as const, values: ids }, ...dateFilters(view.date, bounds)]
  const rows = await relationOf(pool, releases.lineage, view, [{ release, parts: partsMatching(release, filters) }])
  if (rows === undefined) return
  const newest = await readFacts(pool, release.dataset, view, selectNewest(release.dataset, view, rows, { ...bounds, ids }))
  for (const [entity, facts] of Map.groupBy(newest, fact => fact.entity)) answers.set(entity, { facts, release })
}

function mayHold(span: Span | undefined, { from, to }: Bounds): boolean {
  if (span === undefined) return false
  const [first, last] = span
  return (to === undefined || first === null || first <= to) && (from === undefined || last === null || last >= from)
}

const dateFilters = (date: string | undefined, { from, to }: Bounds) =>
  date === undefined
    ? []
    : [
        ...(from === undefined ? [] : [{ param: '', column: date, op: 'from' as const, values: [from] }]),
        ...(to === undefined ? [] : [{ param: '', column: date, op: 'to' as const, values: [to] }]),
      ]

const MOST_SNAPSHOTS = 100
const TOO_MANY: Words = {
  en: `The list of that day would require reading more than ${MOST_SNAPSHOTS} releases. Request fewer entities, or another day.`,
  zh: `該日的名單須讀取超過 ${MOST_SNAPSHOTS} 個版本。請減少查詢的對象，或改查其他日期。`,
}

/** Also searches older releases. */
export async function resolveSnapshot(lookup: Lookup, deps: FieldDeps, answers: Answers): Promise<void> {
  const { view, release, asOf } = lookup
  answerFromMemory(lookup, deps, answers)
  const bounds = view.date === undefined ? {} : { to: asOf }
  const listed = answers.unanswered().filter(entity => (release.spanOf(entity)?.[0] ?? release.manifest.data_as_of) <= asOf)
  await answerFromRelease({ view, release, ids: oldest(view, release.manifest) > asOf ? [] : listed }, deps, answers, bounds)
  if (release.manifest.data_as_of <= asOf || answers.unanswered().length === 0) return
  let read = 0
  for (const publication of await deps.releases.lineage.publications(release)) {
    if (publication.release === release.id) continue
    if (oldest(view, publication) <= asOf) {
      if (++read > MOST_SNAPSHOTS) throw new Refusal('overloaded', { retry_after: 1 }, TOO_MANY)
      const past = await deps.releases.lineage.open(publication)
      await answerFromRelease({ view, release: past, ids: answers.unanswered() }, deps, answers, bounds)
      if (answers.unanswered().length === 0) return
    }
    if (publication.data_as_of > asOf) continue
    // Snapshots are complete, so a missing entity was not listed.
    for (const entity of answers.unanswered()) answers.set(entity, 'no_value')
    return
  }
}

/** Earliest day on which rows of a release may have been recorded. */
const oldest = ({ date }: FieldView, { data_as_of, statistics }: Pick<Publication, 'data_as_of' | 'statistics'>): string =>
  date === undefined ? data_as_of : (statistics.first_date ?? data_as_of)
