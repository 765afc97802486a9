import { z } from 'zod'
import { type Catalog, crossSection, type Dataset, type Fields, listedFields } from '../../../catalog/index.ts'
import { type CatalogStateDeps, cachePerState, createCatalogState, datasetsView, schemaView } from '../../coverage/index.ts'
import { requireDataset } from '../../operations/index.ts'
import { type Tool, tool } from '../tool.ts'

const Filter = z.object({
  name: z.string(),
  column: z.string(),
  operator: z.string().meta({ description: 'Condition: eq, in (values separated by commas), from, to and others.' }),
  required: z.boolean(),
  description: z.string(),
  example: z.string().nullable(),
})

const Column = z.object({
  name: z.string(),
  type: z.string(),
  unit: z.string().nullable(),
  nullable: z.boolean(),
  label_zh: z.string(),
  description: z.string(),
  query_field: z.string().nullable().meta({ description: 'Field name in get_fields. Null if get_fields has no such field.' }),
})

const DatasetSummary = z.object({
  dataset: z.string().meta({ description: 'Slug of the dataset.' }),
  title: z.string(),
  title_zh: z.string(),
  minimum_plan: z.string(),
  credits: z.int().meta({ description: 'Price of one get_rows call, in credits.' }),
  data_as_of: z.string().nullable(),
  freshness: z.string(),
})

const DatasetDescription = z.object({
  ...DatasetSummary.shape,
  description: z.string(),
  grain: z.array(z.string()).meta({ description: 'Columns that identify a row.' }),
  default_sort: z.string(),
  rows: z.int().nullable(),
  first_date: z.string().nullable(),
  last_date: z.string().nullable(),
  release: z.string().nullable(),
  source: z.string(),
  as_of: z.string().meta({ description: 'Rows that the argument as_of of get_rows returns.' }),
  known_gaps: z.array(z.string()),
  warnings: z.array(z.string()),
  filters: z.array(Filter),
  cross_section_filters: z
    .array(Filter)
    .nullable()
    .meta({ description: 'Filters of get_rows with cross_section. Null if the dataset has no cross-section.' }),
  columns: z.array(Column),
})

/** Tool that lists and describes datasets. */
export function describeDatasetTool(deps: CatalogStateDeps, fields: Fields): Tool {
  const state = createCatalogState(deps)
  const list = cachePerState(datasetsView)
  return tool(
    {
      name: 'describe_dataset',
      title: 'Describe a dataset',
      description:
        'Describes one dataset: columns (type, unit, meaning), filters, first and last day, known gaps, plan and price. Lists all datasets if dataset is omitted. Price: none; no key required.',
      input: z.strictObject({
        dataset: z
          .string()
          .min(1)
          .max(100)
          .optional()
          .meta({ description: 'Slug of a dataset, for example daily-prices. Default: all datasets.' }),
      }),
      output: z.object({
        datasets: z.array(DatasetSummary).optional().meta({ description: 'All datasets. Absent if a dataset was specified.' }),
        dataset: DatasetDescription.optional(),
      }),
    },
    async ({ dataset: name }) => {
      const views = list(state()).data
      if (name === undefined) return { datasets: views.map(summaryOf) }
      const dataset = requireDataset(deps.catalog, name)
      const view = views.find(({ slug }) => slug === dataset.slug)!
      return { dataset: descriptionOf(dataset, view, fields, deps.catalog) }
    },
  )
}

type View = ReturnType<typeof datasetsView>['data'][number]

const summaryOf = ({
  slug,
  title,
  title_zh,
  minimum_plan,
  credits_per_call,
  data_as_of,
  freshness_state,
}: View): z.input<typeof DatasetSummary> => ({
  dataset: slug,
  title,
  title_zh,
  minimum_plan,
  credits: credits_per_call,
  data_as_of,
  freshness: freshness_state,
})

function descriptionOf(dataset: Dataset, view: View, fields: Fields, catalog: Catalog): z.input<typeof DatasetDescription> {
  const section = crossSection(dataset)
  const names = queryFieldsOf(catalog.get(dataset.slug)!, fields)
  return {
    ...summaryOf(view),
    description: view.description,
    grain: [...view.grain],
    default_sort: dataset.order.map(([column, direction]) => (direction === 'desc' ? `-${column}` : column)).join(','),
    rows: view.row_count,
    first_date: view.first_date,
    last_date: view.last_date,
    release: view.release_version,
    source: view.source.attribution,
    as_of: view.as_of.description,
    known_gaps: [...view.known_gaps],
    warnings: [...view.warnings],
    filters: filtersOf(dataset),
    cross_section_filters: section ? filtersOf(section) : null,
    columns: schemaView(dataset).columns.map(({ name, type, unit, nullable, label_zh, description }) => ({
      name,
      type,
      unit,
      nullable,
      label_zh,
      description,
      query_field: names.get(name) ?? null,
    })),
  }
}

const filtersOf = ({ filters }: Dataset): z.input<typeof Filter>[] =>
  Object.entries(filters).map(([name, { column, op, required, doc, example }]) => ({
    name,
    column,
    operator: op,
    required: required === true,
    description: doc,
    example: example ?? null,
  }))

/** Names of query fields by column. */
const queryFieldsOf = (dataset: Dataset, fields: Fields): ReadonlyMap<string, string> =>
  new Map(
    [...fields.values()].flatMap(byName =>
      listedFields(byName)
        .filter(field => field.dataset === dataset)
        .map(({ columnName, name }) => [columnName, name] as const),
    ),
  )
