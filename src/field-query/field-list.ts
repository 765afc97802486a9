import { type Dataset, ENTITIES, type EntityType, type Field, type Fields, listedFields, PLANS, type PlanId } from '../../catalog/index.ts'
import { addDays } from '../core/index.ts'
import { type Releases, releaseOf } from '../releases/index.ts'

const AS_OF_NOTES = {
  series: { en: 'With as_of_date: the newest row up to as_of_date.', zh: '指定日期時，取該日以前最近的一列。' },
  snapshot: {
    en: 'With as_of_date: the list of as_of_date, if a release of this day is retained.',
    zh: '指定日期時，取當日的名單（須留有當日的版本）。',
  },
  announced: {
    en: 'With as_of_date: the newest period announced by as_of_date, from the release served on as_of_date.',
    zh: '指定日期時，取該日已公告的最近一期；數值取自本服務當日所提供的版本。',
  },
} as const

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** @param entityType null to list the fields of all types */
export function fieldList(all: Fields, entityType: EntityType | null, credits: number) {
  const types = entityType === null ? [...all.keys()] : [entityType]
  const data = types.flatMap(type => fieldsShown(all.get(type)!, credits))
  return { data, data_count: data.length }
}

function fieldsShown(fields: ReadonlyMap<string, Field>, credits: number) {
  const aliases = Map.groupBy([...fields.values()], ({ aliasOf }) => aliasOf)
  return listedFields(fields).map(field => ({
    ...fieldView(field, credits),
    aliases: (aliases.get(field.name) ?? []).map(({ name }) => name),
  }))
}

function fieldView({ name, dataset, view, columnName, column, plan, isDefault }: Field, credits: number) {
  const exampleValue = dataset.example.map(row => (row as Readonly<Record<string, Json>>)[columnName]).find(value => value !== null)
  return {
    field: name,
    entity_type: view.entity,
    dataset: dataset.id,
    slug: dataset.slug,
    column: columnName,
    type: view.many === 'list' ? (`list of ${column.type}` as const) : column.type,
    unit: column.unit ?? null,
    label_zh: column.zh,
    description: `${column.doc} Taken from ${view.of}. ${AS_OF_NOTES[view.time].en}`,
    description_zh: `${column.docZh}取自：${view.ofZh}。${AS_OF_NOTES[view.time].zh}`,
    minimum_plan: plan,
    credits,
    default: isDefault,
    example: exampleValue === undefined ? null : view.many === 'list' ? [exampleValue] : exampleValue,
  }
}

/** Longer than a quarter, so that examples return an earlier quarter. */
const LONG_AGO_DAYS = 100

export function queryExamples(all: Fields, releases: Releases, today: string, credits: number) {
  const data = [...all]
    .flatMap(([type, fields]) => examplesOf(type, listedFields(fields), releases, today))
    .map(example => ({ ...example, credits }))
  return { data, data_count: data.length }
}

function examplesOf(type: EntityType, fields: readonly Field[], releases: Releases, today: string) {
  const id = knownId(type, fields, releases)
  if (id === undefined) return []
  const { title } = ENTITIES[type]
  const defaults = fields.filter(({ isDefault }) => isDefault)
  const lowest = leastPlan(defaults)
  const announced = fields.filter(({ view, isDefault }) => view.time === 'announced' && isDefault)
  const names = fields.slice(0, 3)
  return [
    example(type, `${title}: the default fields that the plan includes, as of today.`, { entity_id: id }, lowest),
    example(
      type,
      `${title}: selected fields, values only.`,
      { entity_ids: id, fields: names.map(({ name }) => name).join(','), minimal_fields: 'true' },
      mostPlan(names),
    ),
    ...(announced.length === 0
      ? []
      : [
          example(
            type,
            `${title}: figures announced by an earlier day, with the announcement date and release of each.`,
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

/** Prefers the example of the entity type. Undefined if there is no entity. */
function knownId(type: EntityType, fields: readonly Field[], releases: Releases): string | undefined {
  const { example: preferred } = ENTITIES[type]
  const served = [...new Set(fields.map(({ dataset }) => dataset))].flatMap((dataset: Dataset) => releaseOf(dataset, releases) ?? [])
  if (served.some(({ spanOf }) => spanOf(preferred) !== undefined)) return preferred
  return served.flatMap(({ manifest }) => manifest.parts.map(part => part.first_key)).find(key => key !== null) ?? undefined
}
