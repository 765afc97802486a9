import type { FieldView } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import type { Publication } from '../releases/index.ts'
import type { Answers, FactParts, Lookup } from './resolve.ts'
import { takeNewest, takeRows } from './series.ts'

/** Former snapshots read for one answer: each may be another whole list. */
const MOST_READ = 100
const TOO_MANY = `More than ${MOST_READ} releases would have to be read for what was listed on that day; ask for fewer entities, or for another day.`

/** The rows of the newest snapshot taken by `asOf`: of the served release, or of the newest kept one that has any. */
export async function resolveSnapshot(lookup: Lookup, parts: FactParts, answers: Answers): Promise<void> {
  const { view, release, asOf } = lookup
  takeNewest(lookup, parts, answers)
  const bounds = view.date === undefined ? {} : { to: asOf }
  const listed = answers.open().filter(entity => (release.spanOf(entity)?.[0] ?? release.manifest.data_as_of) <= asOf)
  await takeRows({ view, release, ids: oldest(view, release.manifest) > asOf ? [] : listed }, parts, answers, bounds)
  if (release.manifest.data_as_of <= asOf || answers.open().length === 0) return
  let read = 0
  for (const publication of await parts.releases.lineage.publications(release)) {
    if (publication.release === release.id) continue
    if (oldest(view, publication) <= asOf) {
      if (++read > MOST_READ) throw new Refusal('overloaded', { retry_after: 1 }, TOO_MANY)
      const past = await parts.releases.lineage.open(publication)
      await takeRows({ view, release: past, ids: answers.open() }, parts, answers, bounds)
      if (answers.open().length === 0) return
    }
    if (publication.data_as_of > asOf) continue
    // That snapshot was whole on the day asked for: an entity it lacks was not listed then.
    for (const entity of answers.open()) answers.set(entity, 'no_value')
    return
  }
}

/** First day on which a row of a release can have been taken. */
const oldest = ({ date }: FieldView, { data_as_of, statistics }: Pick<Publication, 'data_as_of' | 'statistics'>): string =>
  date === undefined ? data_as_of : (statistics.first_date ?? data_as_of)
