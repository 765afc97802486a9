import type { FieldView } from '../../../catalog/field-view.ts'
import type { Release } from '../release.ts'
import type { Answers, FactParts, Lookup } from './resolve.ts'
import { takeNewest, takeRead } from './series.ts'

/** The rows of the newest snapshot taken by `asOf`: of the served release, or of the newest kept one that has any. */
export async function resolveSnapshot(lookup: Lookup, parts: FactParts, answers: Answers): Promise<void> {
  takeNewest(lookup, parts, answers)
  await takeSnapshot(lookup, parts, answers)
  if (lookup.release.manifest.data_as_of <= lookup.asOf || answers.open().length === 0) return
  for await (const release of parts.releases.history.before(lookup.release)) {
    await takeSnapshot({ ...lookup, release }, parts, answers)
    if (answers.open().length === 0) return
    if (release.manifest.data_as_of > lookup.asOf) continue
    // That snapshot was whole on the day asked for: an entity it lacks was not listed then.
    for (const entity of answers.open()) answers.set(entity, 'no_value')
    return
  }
}

async function takeSnapshot(lookup: Lookup, parts: FactParts, answers: Answers): Promise<void> {
  const { view, release, asOf } = lookup
  if (oldest(view, release) > asOf) return
  await takeRead(lookup, parts, answers, view.date === undefined ? {} : { to: asOf })
}

/** First day on which a row of the release can have been taken. */
const oldest = ({ date }: FieldView, { manifest }: Release): string =>
  date === undefined ? manifest.data_as_of : (manifest.statistics.first_date ?? manifest.data_as_of)
