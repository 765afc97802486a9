import { z } from 'zod'
import { CADENCES, COLUMN_TYPES, FAMILIES, OPERATORS, POINT_IN_TIME } from '../../../../catalog/index.ts'
import { FRESHNESS_STATES } from '../../../calendar/index.ts'
import { SERVING_STATUSES } from '../../../releases/index.ts'
import { calendarDay, count, DATASET_NAMES, LIMITS, money, PlanName, timestamp } from '../../kernel/index.ts'
import { KNOWN_GAPS, Labels } from './labels.ts'

export const Family = z.enum(FAMILIES).meta({ id: 'Family', description: 'Family the dataset belongs to.' })

export const ServingStatus = z.enum(SERVING_STATUSES).meta({
  id: 'ServingStatus',
  description:
    'building: no release yet. verified, reference, preview: served. degraded: the newest release is damaged and an older one is served. unavailable: no release passes its check; reads are refused with 503.',
})

export const FreshnessState = z.enum(FRESHNESS_STATES).meta({
  id: 'FreshnessState',
  description:
    'fresh: holds everything that should be out. due: the newest is overdue by less than 12 hours (trading days), 2 days (weeks) or 3 days (months, quarters). late: by more, or the newest release is damaged. static: changes only when its source does. building: never published.',
})

/** Days and numbers of what the served release holds. */
export const HELD = {
  row_count: count('Rows; null while no release passes its check.').nullable(),
  symbols_count: count(
    'Distinct keys: tickers where the dataset is by ticker, else tenors, firms, branches or indices; null while no release passes its check.',
  ).nullable(),
  first_date: z.iso.date().nullable().meta({ description: 'First day of the data; null without rows, or without dates.' }),
  last_date: z.iso.date().nullable().meta({ description: 'Last day of the data; null without rows, or without dates.' }),
}

export const ReleaseVersion = z
  .string()
  .nullable()
  .meta({ description: 'The served release, as reads name it in X-Release; null where none is served.' })

/** When data came last and is due next. */
const STANDING = {
  last_published_at: timestamp('When the served release was published; null where none is served.').nullable(),
  cadence: z
    .enum(CADENCES)
    .meta({ description: 'How often new data is due. quarter follows the statutory filing deadlines. on_change has no date.' }),
  next_expected_at: timestamp(
    'When data newer than what is held is due next; null for on_change, where nothing is served, and for a dataset with the known gap no_scheduled_producer, which nobody has promised.',
  ).nullable(),
  lag_days: count(
    'trading_day: trading days that are missing. Slower cadences: whole days since the oldest missing data was due. Null for on_change and where nothing is served.',
  ).nullable(),
}

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
  .object({
    read: z.string(),
    cross_section: z.string().optional().meta({ description: 'Rows of one day, of every key; absent where rows are no series by day.' }),
    profile: z.string().meta({ description: 'What its rows hold, column by column.' }),
    schema: z.string(),
    freshness: z.string(),
    coverage: z.string(),
    reconciliation: z.string(),
  })
  .meta({ id: 'DatasetLinks', description: 'Paths on this service.' })

const CatalogDataset = z
  .object({
    ...DATASET_NAMES,
    title: z.string(),
    title_zh: z.string().meta({ description: 'Title in Chinese.' }),
    family: Family,
    description: z.string(),
    description_zh: z.string().meta({ description: 'Description in Chinese.' }),
    grain: z.array(z.string()).meta({ description: 'Columns that identify one row.' }),
    status: ServingStatus,
    minimum_plan: PlanName,
    credits_per_call: count('Credits an answered read costs.'),
    envelope: z
      .enum(['A', 'B', 'C', 'D'])
      .meta({ description: 'Form of the answer: rows are under envelope.data in B, under data elsewhere.' }),
    formats: z.array(z.string()).meta({ description: 'Formats a read can be asked for.' }),
    filters: z.array(DatasetFilter),
    sort_by: z.array(z.string()).meta({ description: 'Columns that sort_by takes; sort takes every column.' }),
    default_limit: count('Rows of an answer when limit is not sent.'),
    ...HELD,
    dataset_version: z.string(),
    release_version: ReleaseVersion,
    release_date: calendarDay('Day the served release was published; null where none is served.').nullable(),
    data_as_of: calendarDay('Newest day of the data; null where none is served.').nullable(),
    freshness_state: FreshnessState,
    ...STANDING,
    pit_support: z
      .enum(POINT_IN_TIME)
      .meta({ description: 'Whether the data can be seen as of a past day: not at all, or by the day a figure was announced.' }),
    source: z
      .object({
        attribution: z
          .string()
          .meta({ description: 'Who publishes what the dataset is made from, as it is to be named.', example: 'Taiwan Stock Exchange' }),
        attribution_zh: z.string().meta({ description: 'The same in Chinese.' }),
        url: z.string().meta({ description: 'Where they publish it.' }),
      })
      .meta({
        id: 'DatasetSource',
        description: 'Where the data comes from; while warnings say synthetic_sample_data, its form alone does.',
      }),
    ...KNOWN_GAPS,
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

export const Freshness = z
  .object({
    ...DATASET_NAMES,
    freshness_state: FreshnessState,
    freshness_as_of: calendarDay(
      'Day up to which nothing that usually comes is outstanding: a day that only one of two markets has reported, or a quarter few companies have filed for, does not count yet; where most days have no rows, the last day looked at. Null where nothing is served.',
    ).nullable(),
    last_published_at: STANDING.last_published_at,
    cadence: STANDING.cadence,
    expected_at: timestamp(
      'When the newest data that should exist was due. A month’s or quarter’s date on which the market is closed moves to the next trading day. Null for on_change and where nothing is served.',
    ).nullable(),
    next_expected_at: STANDING.next_expected_at,
    lag_days: STANDING.lag_days,
    release_version: ReleaseVersion,
    note: z
      .string()
      .nullable()
      .meta({ description: 'What the dates do not say, in a sentence in the language of Accept-Language; null where they say all.' }),
    warnings: Labels,
  })
  .meta({ id: 'Freshness' })

const COUNTS_SAMPLES = z.boolean().meta({ description: 'True where rows counted are samples, made up.' })

const Metric = z
  .object({
    name: z.string().meta({ example: 'total_rows' }),
    value: count('The number counted.'),
    basis: z.enum(['rows', 'distinct_tickers']).meta({ description: 'What is counted.' }),
    method: z.enum(['exact', 'approximate']),
    counted_at: timestamp('When it was counted: at publication; of a total, the newest of its parts.'),
    dataset: z.string().nullable().meta({ description: 'Id of the dataset; null for a total over all that are served.' }),
    slug: z.string().nullable().meta({ description: 'Its name in paths; null for a total.' }),
    synthetic: COUNTS_SAMPLES,
  })
  .meta({ id: 'Metric' })

export const CatalogStats = z
  .object({
    generated_at: timestamp('When this answer was made; it stands for cache_ttl_seconds.'),
    cache_ttl_seconds: z.literal(600),
    metrics: z.array(Metric),
    warnings: Labels,
  })
  .meta({ id: 'CatalogStats' })

const Tier = z
  .object({
    plan_id: PlanName,
    name: z.string(),
    rank: z.int().min(0).meta({ description: 'A plan includes everything of those with a lower rank.' }),
    price: z.object({ amount: money('Price.'), currency: z.literal('TWD'), period: z.literal('month') }),
    included_credits: count('Credits a calendar month in Taipei.'),
    ...LIMITS,
    formats: z.array(z.string()).meta({ description: 'Formats a read can be asked for.' }),
    features: z.array(z.string()).meta({ description: 'What the plan lets one do, as snake_case words.' }),
  })
  .meta({ id: 'Tier' })

export const TierList = z.object({ data: z.array(Tier), data_count: count('Plans.') }).meta({ id: 'TierList' })

const Product = z
  .object({
    ...DATASET_NAMES,
    family: Family,
    title: z.string(),
    minimum_plan: PlanName,
    credits_per_call: count('Credits an answered read costs.'),
    status: ServingStatus,
  })
  .meta({ id: 'Product' })

export const ProductList = z.object({ data: z.array(Product), data_count: count('Datasets.') }).meta({ id: 'ProductList' })

const IndexClose = z
  .object({
    index_code: z.string(),
    name: z.string(),
    name_zh: z.string().meta({ description: 'Name in Chinese.' }),
    value: z.number().meta({ description: 'Close, in index points.' }),
    change: z
      .number()
      .nullable()
      .meta({ description: 'Points gained since the close before, negative when lost; null where not compared.' }),
    change_pct: z.number().nullable().meta({ description: 'The same in percent of the close before.' }),
    trade_date: calendarDay('Trading day of the close.'),
    source: z.string(),
  })
  .meta({ id: 'IndexClose' })

export const MarketIndices = z
  .object({
    as_of: calendarDay('Newest trade_date; null when no index has data.').nullable(),
    data: z.array(IndexClose),
    data_count: count('Indices.'),
    warnings: Labels,
  })
  .meta({ id: 'MarketIndices' })

export const Coverage = z
  .object({
    ...DATASET_NAMES,
    ...HELD,
    start_year: z.int().nullable().meta({ description: 'Year of first_date.' }),
    update_timing: z.string().meta({ description: 'When new data is due, in words; times are Taipei.' }),
    update_timing_zh: z.string().meta({ description: 'The same in Chinese.' }),
    delisted_included: z.boolean().meta({ description: 'Whether securities that left the market stay in it.' }),
    markets: z.array(z.string()),
    coverage_type: z.string().meta({ description: 'How it is covered in time, for example daily_time_series.' }),
    scope: z.string().meta({ description: 'What kind of thing is covered, for example government_bond_curve.' }),
    completeness_ratio: z.number().min(0).max(1).nullable().meta({
      description:
        'Share of cells that hold a value; provenance, and columns that do not apply to every row, are left out; null where nothing is released or measured, which reads call 0.',
    }),
    ...KNOWN_GAPS,
    warnings: Labels,
    counted_at: timestamp('When the numbers were counted: at publication; null where nothing is served.').nullable(),
  })
  .meta({ id: 'Coverage' })

export const CoveredDays = z
  .object({
    ...DATASET_NAMES,
    release_version: z.string().nullable().meta({ description: 'The release the rows are of; null where none is served.' }),
    column: z.string().nullable().meta({ description: 'Column of the days; null where rows have none.' }),
    days_with_rows: count('Days that have rows.'),
    days_without_rows: count(
      'Trading days between the first and the last day that have none; null where data does not come every trading day.',
    ).nullable(),
    data_count: count('Days.'),
    data: z.array(z.object({ date: calendarDay('A day.'), rows: count('Rows of it.') }).meta({ id: 'CoveredDay' })),
  })
  .meta({ id: 'CoveredDays' })

export const SymbolCoverage = z
  .object({
    ...DATASET_NAMES,
    symbol: z.string().meta({ description: 'The symbol as the dataset writes it.' }),
    covered: z.boolean().nullable().meta({ description: 'Whether there are rows of it; null while no release passes its check.' }),
    first_date: calendarDay('First day of its rows; null without rows, or without dates.').nullable(),
    last_date: calendarDay('Last day of its rows; null without rows, or without dates.').nullable(),
    row_count: count('Rows of it; null while no release passes its check.').nullable(),
    warnings: Labels,
  })
  .meta({ id: 'SymbolCoverage' })

export const CoverageList = z
  .object({ data: z.union([z.array(Coverage), z.array(SymbolCoverage)]), data_count: count('Datasets.') })
  .meta({ id: 'CoverageList', description: 'Rows of Coverage; with symbol, rows of SymbolCoverage.' })

export const CoverageOverview = z
  .object({
    datasets_count: count('Datasets on sale.'),
    datasets_with_rows: count('Of them, those that hold rows now.'),
    row_count: count('Rows of all datasets together.'),
    tickers_count: count('Distinct tickers over all datasets that are by ticker.'),
    first_date: calendarDay('Earliest day of any dataset.').nullable(),
    last_date: calendarDay('Latest day of any dataset.').nullable(),
    markets: z.array(z.string()),
    counted_at: timestamp('Newest of the rows’ counts; null where nothing is served.').nullable(),
    synthetic: COUNTS_SAMPLES,
    warnings: Labels,
    data: z.array(Coverage),
    data_count: count('Datasets.'),
  })
  .meta({ id: 'CoverageOverview' })
