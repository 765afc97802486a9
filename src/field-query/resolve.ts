import type { Dataset, FieldView } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import type { Release, Releases } from '../releases/index.ts'
import { resolveAnnounced } from './announced.ts'
import type { FactSet } from './facts.ts'
import { type Answers, type FieldDeps, type MissingReason, type Resolved, reasonOf } from './lookup.ts'
import { resolveSeries, resolveSnapshot } from './series-and-snapshots.ts'

/** @param release the served release, or the reason why there is none */
export async function resolveView(
  view: FieldView,
  release: Release | MissingReason,
  entities: readonly string[],
  asOf: string,
  deps: FieldDeps,
): Promise<Resolved> {
  if (typeof release === 'string') return new Map(entities.map(entity => [entity, release]))
  const resolved = new Map<string, FactSet | MissingReason>()
  const answers: Answers = {
    unanswered: () => entities.filter(entity => !resolved.has(entity)),
    set: (entity, answer) => void resolved.set(entity, answer),
  }
  const lookup = { release, entities, asOf }
  try {
    if (view.time === 'series') await resolveSeries({ ...lookup, view }, deps, answers)
    if (view.time === 'snapshot') await resolveSnapshot({ ...lookup, view }, deps, answers)
    if (view.time === 'announced') await resolveAnnounced({ ...lookup, view }, deps, answers)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'integrity') throw error
    // The answer needs an older release, which is damaged.
    for (const entity of answers.unanswered()) answers.set(entity, 'data_unavailable')
  }
  for (const entity of answers.unanswered()) answers.set(entity, reasonOf(view, release, entity, asOf))
  return resolved
}

export function releaseFor(dataset: Dataset, releases: Releases): Release | MissingReason {
  try {
    return releases.served(dataset) ?? (dataset.emptyUntilReleased ? 'not_built' : 'dataset_building')
  } catch (error) {
    if (error instanceof Refusal) return 'data_unavailable'
    throw error
  }
}
