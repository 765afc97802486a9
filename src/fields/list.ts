import type { EntityType, Field, Fields } from '../../catalog/index.ts'

/** How the day asked for decides the value, in a sentence. */
const WHEN = {
  series: 'As of a day: the newest row up to it.',
  snapshot: 'As of a day: the list as it stood then, where a release of then is kept.',
  announced: 'As of a day: the newest period announced by then, as the release served that day has it.',
} as const

/** A value of an example row, as JSON has it. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Every field of one entity type or of all, as programs read them. */
export function fieldList(all: Fields, entityType: EntityType | null, credits: number) {
  const types = entityType === null ? [...all.keys()] : [entityType]
  const data = types.flatMap(type => [...all.get(type)!.values()]).map(field => fieldView(field, credits))
  return { data, data_count: data.length }
}

function fieldView({ name, dataset, view, columnName, column, plan, isDefault }: Field, credits: number) {
  const shown = dataset.example.map(row => (row as Readonly<Record<string, Json>>)[columnName]).find(value => value !== null)
  return {
    field: name,
    entity_type: view.entity,
    dataset: dataset.id,
    column: columnName,
    type: view.many === 'list' ? (`list of ${column.type}` as const) : column.type,
    unit: column.unit ?? null,
    label_zh: column.zh,
    description: `${column.doc} Of ${view.of}. ${WHEN[view.time]}`,
    minimum_plan: plan,
    credits,
    default: isDefault,
    example: shown === undefined ? null : view.many === 'list' ? [shown] : shown,
  }
}
