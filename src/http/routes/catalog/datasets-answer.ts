import { z } from 'zod'
import { COLUMN_TYPES, OPERATORS, POINT_IN_TIME } from '../../../../catalog/index.ts'
import { calendarDay, count, PlanName, timestamp } from '../../kernel/index.ts'
import { DatasetId, Family, FreshnessState, HELD, Labels, ReleaseVersion, ServingStatus } from './dataset-answer.ts'

const DatasetFilter = z
  .object({
    name: z.string().meta({ description: 'Query parameter.' }),
    column: z.string().meta({ description: 'Column it filters.' }),
    operator: z.enum(OPERATORS).meta({
      description:
        'eq equals. in is one of a comma list. from, to are inclusive bounds. period is a fiscal quarter or year. first_of is the first of its values that there is. latest keeps the newest row only.',
    }),
    type: z.enum(COLUMN_TYPES).meta({ description: 'Type of the column.' }),
    required: z.boolean(),
  })
  .meta({ id: 'DatasetFilter' })

const DatasetLinks = z
  .object({ read: z.string(), schema: z.string(), freshness: z.string(), coverage: z.string(), reconciliation: z.string() })
  .meta({ id: 'DatasetLinks', description: 'Paths on this service.' })

const CatalogDataset = z
  .object({
    dataset: DatasetId,
    slug: z.string().meta({ description: 'Name in paths.', example: 'bond-yield-curve' }),
    title: z.string(),
    title_zh: z.string().meta({ description: 'Title in Chinese.' }),
    family: Family,
    description: z.string(),
    grain: z.array(z.string()).meta({ description: 'Columns that identify one row.' }),
    status: ServingStatus,
    minimum_plan: PlanName,
    credits_per_call: count('Credits an answered read costs.'),
    envelope: z
      .enum(['A', 'B', 'C', 'D'])
      .meta({ description: 'Form of the answer: rows are under envelope.data in B, under data elsewhere.' }),
    formats: z.array(z.string()).meta({ description: 'Formats a read can be asked for.' }),
    filters: z.array(DatasetFilter),
    sort_by: z.array(z.string()).meta({ description: 'Columns an answer can be sorted by.' }),
    default_limit: count('Rows of an answer when limit is not sent.'),
    ...HELD,
    dataset_version: z.string(),
    release_version: ReleaseVersion,
    release_date: calendarDay('Day the served release was published; null where none is served.').nullable(),
    data_as_of: calendarDay('Newest day of the data; null where none is served.').nullable(),
    freshness_state: FreshnessState,
    pit_support: z
      .enum(POINT_IN_TIME)
      .meta({ description: 'Whether the data can be seen as of a past day: not at all, or by the day a figure was announced.' }),
    known_gaps: Labels,
    warnings: Labels,
    links: DatasetLinks,
  })
  .meta({ id: 'CatalogDataset' })

export const DatasetCatalog = z
  .object({
    api_version: z.literal('v2'),
    generated_at: timestamp('When the list last changed.'),
    data_count: count('Datasets.'),
    data: z.array(CatalogDataset),
  })
  .meta({ id: 'DatasetCatalog' })
