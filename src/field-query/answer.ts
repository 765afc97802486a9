import type { Catalog, Dataset, Field, FieldView } from '../../catalog/index.ts'
import { gapLabels, type Release, type Releases, warningLabels } from '../releases/index.ts'
import type { FactSet } from './facts.ts'
import type { FieldDeps, MissingReason, Resolved } from './lookup.ts'
import type { FieldQuery } from './request.ts'
import { releaseFor, resolveView } from './resolve.ts'

export interface QueryContext {
  readonly requestId: string
  readonly endpoint: string
  readonly planId: string
}

export interface FieldAnswer {
  readonly body: string
  readonly rows: number
  /** True if no queried dataset has a release. */
  readonly free: boolean
  /** Number of missing values per reason, most frequent first. */
  readonly missing: ReadonlyMap<MissingReason, number>
}

export interface QueryLabels {
  readonly gaps: readonly string[]
  readonly warnings: readonly string[]
}

export const isUnbuilt = ({ fields }: FieldQuery, releases: Releases): boolean => noneOf(releasesOf(fields, releases))

export const queryLabels = ({ fields }: FieldQuery, releases: Releases): QueryLabels => labelsOf(releasesOf(fields, releases))

interface Missing {
  readonly entity_id: string
  readonly field: string
  readonly reason: MissingReason
}

/** Reads all fields of a dataset together. */
export async function answerFields(query: FieldQuery, catalog: Catalog, deps: FieldDeps, context: QueryContext): Promise<FieldAnswer> {
  const releases = releasesOf(query.fields, deps.releases)
  const resolved = await resolveAll(query, releases, deps)
  const isKnown = knownEntities(query, catalog, deps)
  const missing: Missing[] = []
  const data = query.entities.flatMap(entity => {
    const values = query.fields.flatMap(field => {
      const { text, reason } = jsonValue(field, resolved.get(field.view)!.get(entity)!, query.minimal)
      if (text !== undefined) return [`${JSON.stringify(field.name)}:${text}`]
      const isUnknown = !isKnown(entity) && !INCONCLUSIVE.has(reason)
      missing.push({ entity_id: entity, field: field.name, reason: isUnknown ? 'no_such_entity' : reason })
      return []
    })
    return values.length > 0 ? [`{"entity_id":${JSON.stringify(entity)},"fields":{${values.join(',')}}}`] : []
  })
  const free = noneOf(releases)
  return { body: bodyOf(query, context, data, missing, labelsOf(releases)), rows: data.length, free, missing: countsOf(missing) }
}

type ReleasesByDataset = ReadonlyMap<Dataset, Release | MissingReason>

const releasesOf = (fields: readonly Field[], releases: Releases): ReleasesByDataset =>
  new Map([...new Set(fields.map(({ dataset }) => dataset))].map(dataset => [dataset, releaseFor(dataset, releases)]))

const noneOf = (releases: ReleasesByDataset): boolean => [...releases.values()].every(release => typeof release === 'string')

function countsOf(missing: readonly Missing[]): ReadonlyMap<MissingReason, number> {
  const counts = new Map<MissingReason, number>()
  for (const { reason } of missing) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return new Map([...counts].sort(([, a], [, b]) => b - a))
}

const INCONCLUSIVE: ReadonlySet<MissingReason> = new Set(['dataset_building', 'data_unavailable'])

async function resolveAll(
  { fields, entities, asOf }: FieldQuery,
  releases: ReleasesByDataset,
  deps: FieldDeps,
): Promise<ReadonlyMap<FieldView, Resolved>> {
  const views = new Map(fields.map(({ view, dataset }) => [view, releases.get(dataset)!]))
  const resolve = async ([view, release]: [FieldView, Release | MissingReason]) =>
    [view, await resolveView(view, release, entities, asOf, deps)] as const
  return new Map(await Promise.all([...views].map(resolve)))
}

function bodyOf(
  { entityType, asOf }: FieldQuery,
  { requestId, endpoint, planId }: QueryContext,
  data: readonly string[],
  missing: readonly Missing[],
  { gaps, warnings }: QueryLabels,
): string {
  const head = { api_version: 'v2', endpoint, request_id: requestId, plan_id: planId, entity_type: entityType, as_of_date: asOf }
  const ends = JSON.stringify({ missing, known_gaps: gaps, warnings })
  return `${JSON.stringify({ ...head, data_count: data.length }).slice(0, -1)},"data":[${data.join(',')}],${ends.slice(1)}`
}

function knownEntities({ entityType }: FieldQuery, catalog: Catalog, { releases }: FieldDeps): (entity: string) => boolean {
  const served = [...catalog.values()]
    .filter(({ fields }) => fields?.some((view: FieldView) => view.entity === entityType))
    .map(dataset => releaseFor(dataset, releases))
    .filter(release => typeof release !== 'string')
  return entity => served.some(({ spanOf }) => spanOf(entity) !== undefined)
}

function labelsOf(releases: ReleasesByDataset): QueryLabels {
  const states = [...releases].map(([dataset, release]) => ({ dataset, release: typeof release === 'string' ? null : release }))
  return { gaps: [...new Set(states.flatMap(gapLabels))], warnings: [...new Set(states.flatMap(warningLabels))] }
}

type Value = { readonly text: string; readonly reason?: never } | { readonly text?: never; readonly reason: MissingReason }

/** @param minimal true to omit unit, day, period and source */
function jsonValue(field: Field, answer: FactSet | MissingReason, minimal: boolean): Value {
  if (typeof answer === 'string') return { reason: answer }
  const { facts, release } = answer
  const { view, columnName, column, dataset } = field
  const [fact] = facts
  const text = view.many === 'list' ? `[${facts.map(({ cells }) => cells[columnName]).join(',')}]` : fact!.cells[columnName]!
  if (text === 'null') return { reason: 'no_value' }
  if (minimal) return { text }
  const provenance = {
    unit: column.unit ?? null,
    as_of_date: fact!.day ?? release.manifest.data_as_of,
    period: fact!.period,
    announced_at: fact!.announced,
    dataset: dataset.id,
    slug: dataset.slug,
    source_role: release.manifest.synthetic ? 'synthetic_sample' : fact!.role,
    release_version: release.id,
  }
  return { text: `{"value":${text},${JSON.stringify(provenance).slice(1)}` }
}
