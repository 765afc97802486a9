import type { Column } from './column.ts'
import type { Dataset } from './dataset.ts'
import { ENTITY_TYPES, type EntityType } from './entity.ts'
import type { FieldView } from './field-view.ts'
import type { PlanId } from './price.ts'

/** One value that `/v2/query` can return for an entity. */
export interface Field {
  /** Unique among the fields of its entity type. */
  readonly name: string
  readonly dataset: Dataset
  readonly view: FieldView
  readonly columnName: string
  readonly column: Column
  readonly plan: PlanId
  /** Returned when a query names no field. */
  readonly isDefault: boolean
}

/** Fields of every entity type, by name, in the catalog's order. */
export type Fields = ReadonlyMap<EntityType, ReadonlyMap<string, Field>>

/**
 * Collects the fields of all datasets.
 *
 * @throws Error when two datasets use one field name for an entity type, or a view is inconsistent
 */
export function fieldsOf(datasets: Iterable<Dataset>): Fields {
  const fields = new Map(ENTITY_TYPES.map(type => [type, new Map<string, Field>()]))
  for (const dataset of datasets) {
    for (const view of dataset.fields ?? []) {
      checkView(dataset, view)
      const known = fields.get(view.entity)!
      for (const field of fieldsOfView(dataset, view)) {
        const other = known.get(field.name)
        if (other) throw new Error(`${dataset.slug} and ${other.dataset.slug} both have a field ${field.name} of ${view.entity}`)
        known.set(field.name, field)
      }
    }
  }
  return fields
}

const fieldsOfView = (dataset: Dataset, view: FieldView): readonly Field[] =>
  Object.entries(view.names).map(([name, columnName]) => ({
    name,
    dataset,
    view,
    columnName,
    column: dataset.columns[columnName]!,
    plan: (view.plan ?? dataset.access?.plan)!,
    isDefault: view.defaults?.includes(name) === true,
  }))

function checkView({ slug, key, grain, access }: Dataset, { id, names, defaults = [], plan }: FieldView): void {
  const wrong = Object.keys(names).find(name => !/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$/.test(name))
  if (wrong !== undefined) throw new Error(`${slug} names a field ${wrong}; a name is snake_case, with one point at most`)
  const absent = defaults.find(name => !Object.hasOwn(names, name))
  if (absent !== undefined) throw new Error(`${slug} has no field ${absent} to answer by default`)
  if (id !== (key ?? grain[0])) throw new Error(`${slug} must find its fields by ${key ?? grain[0]}, not by ${id}`)
  if (plan === undefined && access === undefined) throw new Error(`${slug} is not sold: its fields need a plan of their own`)
}

/** Names of the columns a view uses; may repeat. */
export const viewColumns = (view: FieldView): readonly string[] =>
  [view.id, ...Object.values(view.names), view.role, view.date, ...(view.time === 'announced' ? [view.period, view.announced] : [])].filter(
    column => column !== undefined,
  )
