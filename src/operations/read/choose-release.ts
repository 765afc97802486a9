import type { Dataset } from '../../../catalog/index.ts'
import { type Clock, ofDataset, parameterRefusal, Refusal, taipeiDay, type Words } from '../../core/index.ts'
import { type AsOf, fault, parseAsOf, type ReadParams } from '../../read/index.ts'
import type { Release, Releases } from '../../releases/index.ts'

export interface ChooseReleaseDeps {
  readonly releases: Releases
  readonly clock: Clock
}

/**
 * Returns the release with the id `release`, the release served at `as_of`, or the current release.
 * Null if the dataset has no release. Ignores an invalid `as_of`, which a later check refuses.
 * @throws Refusal unknown_id, release_retired, integrity, overloaded, dataset_building,
 * data_unavailable; invalid_parameter if `as_of` is in the future or before the first release
 */
export async function chooseRelease(
  { releases, clock }: ChooseReleaseDeps,
  dataset: Dataset,
  { release: pinned, as_of: sent }: Pick<ReadParams, string>,
): Promise<Release | null> {
  if (typeof pinned === 'string' && sent === undefined) return releases.pinned(dataset, pinned)
  const served = dataset.emptyUntilReleased ? releases.served(dataset) : releases.current(dataset)
  const asOf = typeof sent === 'string' && pinned === undefined ? parseAsOf(sent) : null
  if (!asOf || !served) return served
  const today = taipeiDay(clock())
  if (asOf.day > today) throw parameterRefusal(dataset, [fault('as_of', notAfter(today), 'range', asOf.text)])
  return releaseAsOf(releases, served, asOf)
}

async function releaseAsOf(releases: Releases, served: Release, { text, until }: AsOf): Promise<Release> {
  const { dataset } = served
  const servedAt = await releases.lineage.servedAt(served, until)
  if ('release' in servedAt) return servedAt.release === served.id ? served : releases.pinned(dataset, servedAt.release)
  const { retired, firstDay } = servedAt
  const facts = { ...ofDataset(dataset), first_day: firstDay }
  if (retired !== null) throw new Refusal('release_retired', { ...facts, release: retired }, notRetained(firstDay))
  const words = notBefore(firstDay)
  throw new Refusal('invalid_parameter', facts, words, [fault('as_of', words, 'range', text)])
}

const notAfter = (today: string): Words => ({
  en: `as_of must not be after today (${today} in Taipei)`,
  zh: `as_of 不得晚於今天（臺北時間 ${today}）`,
})
const notBefore = (firstDay: string): Words => ({
  en: `as_of must be ${firstDay} or later: the dataset had no release before that day`,
  zh: `as_of 不得早於 ${firstDay}；此資料集在此之前沒有任何版本`,
})
const notRetained = (firstDay: string): Words => ({
  en: `The release that was served at that time is no longer available. Send as_of=${firstDay} or later.`,
  zh: `當時提供的版本已不再保留。請將 as_of 改為 ${firstDay} 或更晚的日期。`,
})
