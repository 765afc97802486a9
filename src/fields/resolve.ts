import type { Dataset, FieldView } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import type { Pool } from '../engine/index.ts'
import type { Release, Releases } from '../releases/index.ts'
import { resolveAnnounced } from './announced.ts'
import type { Found } from './fact.ts'
import { type MissingReason, reasonOf } from './missing.ts'
import type { NewestFacts } from './newest.ts'
import { resolveSeries } from './series.ts'
import { resolveSnapshot } from './snapshot.ts'

export interface FactParts {
  readonly releases: Releases
  readonly pool: Pool
  readonly newest: NewestFacts
}

/** One view of one release, asked about some entities as of a day. */
export interface Lookup<V extends FieldView = FieldView> {
  readonly view: V
  readonly release: Release
  readonly entities: readonly string[]
  /** `YYYY-MM-DD`, not after today. */
  readonly asOf: string
}

/** What answers for an entity, or why nothing does. */
export type Resolved = ReadonlyMap<string, Found | MissingReason>

/** Collects answers; `open` are the entities without one. */
export interface Answers {
  readonly open: () => readonly string[]
  set(entity: string, answer: Found | MissingReason): void
}

/**
 * Rows of a view that were true as of a day. Every entity gets an answer.
 *
 * @param release the served one; a reason why there is none otherwise
 */
export async function resolveView(
  view: FieldView,
  release: Release | MissingReason,
  entities: readonly string[],
  asOf: string,
  parts: FactParts,
): Promise<Resolved> {
  if (typeof release === 'string') return new Map(entities.map(entity => [entity, release]))
  const resolved = new Map<string, Found | MissingReason>()
  const answers: Answers = {
    open: () => entities.filter(entity => !resolved.has(entity)),
    set: (entity, answer) => void resolved.set(entity, answer),
  }
  const lookup = { release, entities, asOf }
  try {
    if (view.time === 'series') await resolveSeries({ ...lookup, view }, parts, answers)
    if (view.time === 'snapshot') await resolveSnapshot({ ...lookup, view }, parts, answers)
    if (view.time === 'announced') await resolveAnnounced({ ...lookup, view }, parts, answers)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'integrity') throw error
    // An older release that would have to be looked at is damaged: what was known then is not guessed.
    for (const entity of answers.open()) answers.set(entity, 'data_unavailable')
  }
  for (const entity of answers.open()) answers.set(entity, reasonOf(view, release, entity, asOf))
  return resolved
}

/** The release a view is read from, or why there is none. */
export function releaseFor(dataset: Dataset, releases: Releases): Release | MissingReason {
  try {
    return releases.served(dataset) ?? (dataset.planned ? 'not_built' : 'dataset_building')
  } catch (error) {
    if (error instanceof Refusal) return 'data_unavailable'
    throw error
  }
}
