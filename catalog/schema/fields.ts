import type { Column } from './column.ts'
import type { Dataset } from './dataset.ts'
import { ENTITY_TYPES, type EntityType } from './entity.ts'
import type { FieldView } from './field-view.ts'
import type { PlanId } from './price.ts'

/** A value of an entity that `/v2/query` can return. */
export interface Field {
  /** Name or alias, unique within the entity type. */
  readonly name: string
  /** The listed name, if `name` is an alias. Otherwise null. */
  readonly aliasOf: string | null
  readonly dataset: Dataset
  readonly view: FieldView
  readonly columnName: string
  readonly column: Column
  readonly plan: PlanId
  /** True if queries without field names return the field. */
  readonly isDefault: boolean
}

export type Fields = ReadonlyMap<EntityType, ReadonlyMap<string, Field>>

/**
 * @throws Error if two datasets use one field name for an entity type, or a view is inconsistent
 */
export function fieldsOf(datasets: Iterable<Dataset>): Fields {
  const fields = new Map(ENTITY_TYPES.map(type => [type, new Map<string, Field>()]))
  for (const dataset of datasets) {
    for (const view of dataset.fields ?? []) {
      checkView(dataset, view)
      const known = fields.get(view.entity)!
      for (const field of fieldsOfView(dataset, view)) {
        const other = known.get(field.name)
        if (other) throw new Error(`${dataset.slug} and ${other.dataset.slug} both declare the field ${field.name} of ${view.entity}`)
        known.set(field.name, field)
      }
    }
  }
  return fields
}

function fieldsOfView(dataset: Dataset, view: FieldView): readonly Field[] {
  const { names, group, words = {}, defaults } = view
  return Object.entries(names).flatMap(([own, columnName]) => {
    const [column, plan] = [dataset.columns[columnName]!, (view.plan ?? dataset.access?.plan)!]
    const name = group === undefined ? own : `${group}.${words[own] ?? own}`
    const field: Field = { name, aliasOf: null, dataset, view, columnName, column, plan, isDefault: defaults?.includes(own) === true }
    return group === undefined ? [field] : [field, { ...field, name: own, aliasOf: name, isDefault: false }]
  })
}

export const listedFields = (fields: ReadonlyMap<string, Field>): readonly Field[] =>
  [...fields.values()].filter(({ aliasOf }) => aliasOf === null)

function checkView({ slug, key, grain, access }: Dataset, { id, names, group, words = {}, defaults = [], plan }: FieldView): void {
  const form = group === undefined ? /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/ : /^[a-z][a-z0-9_]*$/
  const parts = group === undefined ? Object.keys(names) : [group, ...Object.keys(names), ...Object.values(words)]
  const wrong = parts.find(name => !form.test(name))
  if (wrong !== undefined) throw new Error(`${slug} declares a field ${wrong}: a field name is a group, a point and a snake_case name`)
  const absent = [...defaults, ...Object.keys(words)].find(name => !Object.hasOwn(names, name))
  if (absent !== undefined) throw new Error(`${slug} has no field ${absent} to return by default or to rename`)
  if (id !== (key ?? grain[0])) throw new Error(`${slug} must look its fields up by ${key ?? grain[0]}, not by ${id}`)
  if (plan === undefined && access === undefined) throw new Error(`${slug} is not sold: its fields need their own plan`)
}

/** Returns the columns of a view, possibly with duplicates. */
export const viewColumns = (view: FieldView): readonly string[] =>
  [view.id, ...Object.values(view.names), view.role, view.date, ...(view.time === 'announced' ? [view.period, view.announced] : [])].filter(
    column => column !== undefined,
  )
