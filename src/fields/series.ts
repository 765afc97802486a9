import type { FieldView } from '../../catalog/index.ts'
import { addDays } from '../core/index.ts'
import { partsThatHold } from '../read/index.ts'
import type { PastRelease, Span } from '../releases/index.ts'
import { readFacts } from './fact.ts'
import type { Answers, FactParts, Lookup } from './resolve.ts'
import { type Bounds, selectNewest } from './select.ts'
import { relationOf } from './source.ts'

/** Days before the one asked for that are looked at first: nearly every entity has a row among them. */
const FIRST_LOOK_DAYS = 31

/** The rows of the newest day up to `asOf`. */
export async function resolveSeries(lookup: Lookup, parts: FactParts, answers: Answers): Promise<void> {
  takeNewest(lookup, parts, answers)
  await takeRead(lookup, parts, answers, { from: addDays(lookup.asOf, -FIRST_LOOK_DAYS), to: lookup.asOf })
  await takeRead(lookup, parts, answers, { to: lookup.asOf })
}

/** Answers entities whose newest rows are at hand and not after `asOf`. */
export function takeNewest({ view, release, asOf }: Lookup, { newest }: FactParts, answers: Answers): void {
  for (const entity of answers.open()) {
    const facts = newest.of(view, release, entity) ?? []
    if (facts.length > 0 && (facts[0]!.day ?? release.manifest.data_as_of) <= asOf) answers.set(entity, { facts, release })
  }
}

/** Answers open entities from the served release's parts. */
async function takeRead(lookup: Lookup, parts: FactParts, answers: Answers, bounds: Bounds): Promise<void> {
  const ids = answers.open().filter(entity => mayHold(lookup.release.spanOf(entity), bounds))
  await takeRows({ view: lookup.view, release: lookup.release, ids }, parts, answers, bounds)
}

/** Answers those of `ids` that have rows in the release, which may be a former one. */
export async function takeRows(
  { view, release, ids }: { readonly view: FieldView; readonly release: PastRelease; readonly ids: readonly string[] },
  { pool, releases }: FactParts,
  answers: Answers,
  bounds: Bounds,
): Promise<void> {
  if (ids.length === 0) return
  const filters = [{ param: '', column: view.id, op: 'in' as const, values: ids }, ...dateFilters(view.date, bounds)]
  const rows = await relationOf(pool, releases.lineage, view, [{ release, parts: partsThatHold(release, filters) }])
  if (rows === undefined) return
  const facts = await readFacts(pool, release.dataset, view, selectNewest(release.dataset, view, rows, { ...bounds, ids }))
  for (const [entity, found] of Map.groupBy(facts, fact => fact.entity)) answers.set(entity, { facts: found, release })
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
