import type { Catalog, Dataset, FieldView } from '../../catalog/index.ts'
import { type Release, warningLabels } from '../releases/index.ts'
import type { MissingReason } from './missing.ts'
import type { FieldQuery } from './request.ts'
import { type FactParts, type Resolved, releaseFor, resolveView } from './resolve.ts'
import { answerOf } from './value.ts'

/** What one request adds to the query. */
export interface Asked {
  readonly requestId: string
  readonly endpoint: string
  readonly planId: string
}

export interface FieldAnswer {
  /** The JSON body. */
  readonly body: string
  /** Entities with at least one value. */
  readonly rows: number
  /** None of the datasets asked has a release. */
  readonly free: boolean
}

interface Missing {
  readonly entity_id: string
  readonly field: string
  readonly reason: MissingReason
}

/** Each dataset is asked once per view, all at the same time, whatever the number of entities and fields. */
export async function answerFields(query: FieldQuery, catalog: Catalog, parts: FactParts, asked: Asked): Promise<FieldAnswer> {
  const datasets = new Set(query.fields.map(({ dataset }) => dataset))
  const releases = new Map([...datasets].map(dataset => [dataset, releaseFor(dataset, parts.releases)]))
  const resolved = await resolveAll(query, releases, parts)
  const isKnown = knownEntities(query, catalog, parts)
  const missing: Missing[] = []
  const data = query.entities.flatMap(entity => {
    const values = query.fields.flatMap(field => {
      const { text, reason } = answerOf(field, resolved.get(field.view)!.get(entity)!, query.minimal)
      if (text !== undefined) return [`${JSON.stringify(field.name)}:${text}`]
      const isUnknown = !isKnown(entity) && !UNTOLD.has(reason)
      missing.push({ entity_id: entity, field: field.name, reason: isUnknown ? 'no_such_entity' : reason })
      return []
    })
    return values.length > 0 ? [`{"entity_id":${JSON.stringify(entity)},"fields":{${values.join(',')}}}`] : []
  })
  const free = [...releases.values()].every(release => typeof release === 'string')
  return { body: bodyOf(query, asked, data, missing, warningsFor(releases)), rows: data.length, free }
}

/** Reasons that leave open whether there is such an entity. */
const UNTOLD: ReadonlySet<MissingReason> = new Set(['dataset_building', 'data_unavailable'])

async function resolveAll(
  { fields, entities, asOf }: FieldQuery,
  releases: ReadonlyMap<Dataset, Release | MissingReason>,
  parts: FactParts,
): Promise<ReadonlyMap<FieldView, Resolved>> {
  const views = new Map(fields.map(({ view, dataset }) => [view, releases.get(dataset)!]))
  const one = async ([view, release]: [FieldView, Release | MissingReason]) =>
    [view, await resolveView(view, release, entities, asOf, parts)] as const
  return new Map(await Promise.all([...views].map(one)))
}

function bodyOf(
  { entityType, asOf }: FieldQuery,
  { requestId, endpoint, planId }: Asked,
  data: readonly string[],
  missing: readonly Missing[],
  warnings: readonly string[],
): string {
  const head = { api_version: 'v2', endpoint, request_id: requestId, plan_id: planId, entity_type: entityType, as_of_date: asOf }
  const ends = JSON.stringify({ missing, warnings })
  return `${JSON.stringify({ ...head, data_count: data.length }).slice(0, -1)},"data":[${data.join(',')}],${ends.slice(1)}`
}

/** True for an entity that any dataset of its type has, asked about or not. */
function knownEntities({ entityType }: FieldQuery, catalog: Catalog, { releases }: FactParts): (entity: string) => boolean {
  const served = [...catalog.values()]
    .filter(({ fields }) => fields?.some((view: FieldView) => view.entity === entityType))
    .map(dataset => releaseFor(dataset, releases))
    .filter(release => typeof release !== 'string')
  return entity => served.some(({ spanOf }) => spanOf(entity) !== undefined)
}

const warningsFor = (releases: ReadonlyMap<Dataset, Release | MissingReason>): readonly string[] => [
  ...new Set(
    [...releases].flatMap(([dataset, release]) => warningLabels({ dataset, release: typeof release === 'string' ? null : release })),
  ),
]
