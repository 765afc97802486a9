import { type Dataset, ENTITIES, type EntityType, type Field, type Fields, PLANS, type PlanId } from '../../catalog/index.ts'
import { addDays } from '../core/index.ts'
import { type Releases, releaseOf } from '../releases/index.ts'

/** Far enough back for a quarter to have been another. */
const LONG_AGO_DAYS = 100

/** Queries that can be sent as they stand, about entities that are there: per entity type its default fields, and one per way of asking. */
export function queryExamples(all: Fields, releases: Releases, today: string, credits: number) {
  const data = [...all]
    .flatMap(([type, fields]) => examplesOf(type, [...fields.values()], releases, today))
    .map(example => ({ ...example, credits }))
  return { data, data_count: data.length }
}

function examplesOf(type: EntityType, fields: readonly Field[], releases: Releases, today: string) {
  const id = knownId(type, fields, releases)
  if (id === undefined) return []
  const { title } = ENTITIES[type]
  const defaults = fields.filter(({ isDefault }) => isDefault)
  const least = leastPlan(defaults)
  const announced = fields.filter(({ view, isDefault }) => view.time === 'announced' && isDefault)
  const names = fields.slice(0, 3)
  return [
    example(type, `${title}: the default fields that the plan includes, as of today.`, { entity_id: id }, least),
    example(
      type,
      `${title}: some fields by name, values only.`,
      { entity_ids: id, fields: names.map(({ name }) => name).join(','), minimal_fields: 'true' },
      mostPlan(names),
    ),
    ...(announced.length === 0
      ? []
      : [
          example(
            type,
            `${title}: what was announced by an earlier day, with the announcement day and release of each figure.`,
            { entity_id: id, fields: announced.map(({ name }) => name).join(','), as_of_date: addDays(today, -LONG_AGO_DAYS) },
            mostPlan(announced),
          ),
        ]),
  ]
}

function example(type: EntityType, description: string, query: Readonly<Record<string, string>>, plan: PlanId) {
  const params = new URLSearchParams({ entity_type: type, ...query }).toString().replaceAll('%2C', ',')
  return { description, entity_type: type, url: `/v2/query?${params}`, minimum_plan: plan }
}

const byRank = (fields: readonly Field[]): readonly PlanId[] => fields.map(({ plan }) => plan).sort((a, b) => PLANS[a].rank - PLANS[b].rank)
const leastPlan = (fields: readonly Field[]): PlanId => byRank(fields)[0] ?? 'free'
const mostPlan = (fields: readonly Field[]): PlanId => byRank(fields).at(-1) ?? 'free'

/** The type's own example where it is served, otherwise an id that is; undefined where none is. */
function knownId(type: EntityType, fields: readonly Field[], releases: Releases): string | undefined {
  const { example: preferred } = ENTITIES[type]
  const served = [...new Set(fields.map(({ dataset }) => dataset))].flatMap((dataset: Dataset) => releaseOf(dataset, releases) ?? [])
  if (served.some(({ spanOf }) => spanOf(preferred) !== undefined)) return preferred
  return served.flatMap(({ manifest }) => manifest.parts.map(part => part.first_key)).find(key => key !== null) ?? undefined
}
