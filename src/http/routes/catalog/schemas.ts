import { z } from 'zod'
import { CADENCES, COLUMN_TYPES, FAMILIES, OPERATORS, POINT_IN_TIME } from '../../../../catalog/index.ts'
import { FRESHNESS_STATES } from '../../../calendar/index.ts'
import { SERVING_STATUSES } from '../../../releases/index.ts'
import { calendarDay, count, DATASET_NAMES, LIMITS, money, PlanName, timestamp } from '../../kernel/index.ts'
import { AsOf, KNOWN_GAPS, Labels } from './labels.ts'

export const Family = z.enum(FAMILIES).meta({ id: 'Family', description: 'Family of the dataset.' })

export const ServingStatus = z.enum(SERVING_STATUSES).meta({
  id: 'ServingStatus',
  description:
    'Serving status. `building`: the dataset has no release yet. `verified`, `reference`, `preview`: the newest release is served. `degraded`: the newest release is damaged, so an older release is served. `unavailable`: no release passes its integrity check, so reads return 503.',
})

export const FreshnessState = z.enum(FRESHNESS_STATES).meta({
  id: 'FreshnessState',
  description:
    'Freshness of the dataset. `fresh`: contains all expected data. `due`: overdue by less than 12 hours (daily data), 2 days (weekly data) or 3 days (monthly and quarterly data). `late`: overdue by more than these times, or the newest release is damaged. `static`: has no due dates. `building`: never published.',
})

export const HELD = {
  row_count: count('Number of rows. Null if no release passes its integrity check.').nullable(),
  symbols_count: count(
    'Number of distinct keys. Keys are tickers, tenors, firms, branches or indices, depending on the dataset. Null if no release passes its integrity check.',
  ).nullable(),
  first_date: z.iso.date().nullable().meta({ description: 'First day of the data. Null if the dataset has no rows or no dates.' }),
  last_date: z.iso.date().nullable().meta({ description: 'Last day of the data. Null if the dataset has no rows or no dates.' }),
}

export const ReleaseVersion = z
  .string()
  .nullable()
  .meta({ description: 'Id of the served release, as in the `X-Release` header. Null if no release is served.' })

const STANDING = {
  last_published_at: timestamp('Publication time of the served release. Null if no release is served.').nullable(),
  cadence: z.enum(CADENCES).meta({
    description:
      'Schedule of new data. Data with the cadence `quarter` is due at the statutory filing deadlines. Data with the cadence `on_change` has no due date.',
  }),
  next_expected_at: timestamp(
    'Due time of the next data. Null for the cadence `on_change`, for datasets with the known gap `no_scheduled_producer`, and if no release is served.',
  ).nullable(),
  lag_days: count(
    'Delay of the data. For the cadence `trading_day`, the number of missing trading days. For other cadences, the number of full days since the oldest missing data was due. Null for the cadence `on_change`, and if no release is served.',
  ).nullable(),
}

const DatasetFilter = z
  .object({
    name: z.string().meta({ description: 'Name of the query parameter.' }),
    column: z.string().meta({ description: 'Column that the parameter filters.' }),
    operator: z.enum(OPERATORS).meta({
      description:
        'Condition of the filter. `eq`: equal to the value. `in`: in a list of values separated by commas. `from` and `to`: inclusive bounds. `period`: a fiscal quarter or year. `first_of`: one of `values`, by default the first of `values` that has rows. `latest`: only the newest row.',
    }),
    type: z.enum(COLUMN_TYPES).meta({ description: 'Type of the column.' }),
    required: z.boolean(),
  })
  .meta({ id: 'DatasetFilter' })

const DatasetLinks = z
  .object({
    read: z.string(),
    cross_section: z.string().optional().meta({
      description: 'Path of the operation that returns the rows of all keys for one day. Absent if the dataset is not a daily series.',
    }),
    profile: z.string().meta({ description: 'Path of the operation that returns statistics of each column.' }),
    schema: z.string(),
    freshness: z.string(),
    coverage: z.string(),
    reconciliation: z.string(),
  })
  .meta({ id: 'DatasetLinks', description: 'Paths of operations for this dataset.' })

const CatalogDataset = z
  .object({
    ...DATASET_NAMES,
    title: z.string(),
    title_zh: z.string().meta({ description: 'Title in Chinese.' }),
    family: Family,
    description: z.string(),
    description_zh: z.string().meta({ description: 'Description in Chinese.' }),
    grain: z.array(z.string()).meta({ description: 'Columns that identify a row.' }),
    status: ServingStatus,
    minimum_plan: PlanName,
    credits_per_call: count('Price of a successful read, in credits.'),
    envelope: z.enum(['A', 'B', 'C', 'D']).meta({
      description:
        'Structure of the response. For the structure `B`, rows are in `envelope.data`. For other structures, rows are in `data`.',
    }),
    formats: z.array(z.string()).meta({ description: 'Formats available for reads.' }),
    filters: z.array(DatasetFilter),
    sort_by: z
      .array(z.string())
      .meta({ description: 'Columns that the parameter `sort_by` accepts. The parameter `sort` accepts all columns.' }),
    default_limit: count('Number of rows that a read returns if `limit` is not sent.'),
    ...HELD,
    dataset_version: z.string(),
    release_version: ReleaseVersion,
    release_date: calendarDay('Publication day of the served release. Null if no release is served.').nullable(),
    data_as_of: calendarDay('Newest day of the data. Null if no release is served.').nullable(),
    freshness_state: FreshnessState,
    ...STANDING,
    pit_support: z.enum(POINT_IN_TIME).meta({
      description: 'Support of point-in-time reads. `publication_date`: reads with `as_of` also omit rows that were announced later.',
    }),
    as_of: AsOf,
    source: z
      .object({
        attribution: z.string().meta({ description: 'Attribution of the data source.', example: 'Taiwan Stock Exchange' }),
        attribution_zh: z.string().meta({ description: '`attribution` in Chinese.' }),
        url: z.string().meta({ description: 'URL of the source.' }),
      })
      .meta({
        id: 'DatasetSource',
        description:
          'Source of the data. If `warnings` contains `synthetic_sample_data`, the rows are samples and do not come from this source.',
      }),
    ...KNOWN_GAPS,
    warnings: Labels,
    links: DatasetLinks,
  })
  .meta({ id: 'CatalogDataset' })

export const DatasetCatalog = z
  .object({
    api_version: z.literal('v2'),
    generated_at: timestamp('Time of the last change of the list.'),
    data_count: count('Number of datasets in `data`.'),
    data: z.array(CatalogDataset),
  })
  .meta({ id: 'DatasetCatalog' })

export const Freshness = z
  .object({
    ...DATASET_NAMES,
    freshness_state: FreshnessState,
    freshness_as_of: calendarDay(
      'Day up to which all expected data is available. A day counts when both markets have reported their data of the day. A quarter counts when most companies have filed their figures. For datasets with rows on few days, this is the last day that was checked for rows. Null if no release is served.',
    ).nullable(),
    last_published_at: STANDING.last_published_at,
    cadence: STANDING.cadence,
    expected_at: timestamp(
      'Time at which the newest expected data was due. If the market is closed on a monthly or quarterly due date, data is due on the next trading day. Null for the cadence `on_change`, and if no release is served.',
    ).nullable(),
    next_expected_at: STANDING.next_expected_at,
    lag_days: STANDING.lag_days,
    release_version: ReleaseVersion,
    note: z
      .string()
      .nullable()
      .meta({ description: 'Note on the dates, as a sentence in the language of `Accept-Language`. Null if there is no note.' }),
    warnings: Labels,
  })
  .meta({ id: 'Freshness' })

const COUNTS_SAMPLES = z.boolean().meta({ description: 'True if the counted rows are synthetic samples.' })

const Metric = z
  .object({
    name: z.string().meta({ example: 'total_rows' }),
    value: count('Number of counted items.'),
    basis: z.enum(['rows', 'distinct_tickers']).meta({ description: 'Unit of the count, for example rows.' }),
    method: z.enum(['exact', 'approximate']),
    counted_at: timestamp('Time of the count. Rows are counted at publication. A total has the time of the newest count that it includes.'),
    dataset: z.string().nullable().meta({ description: 'Id of the dataset. Null for a total over all served datasets.' }),
    slug: z.string().nullable().meta({ description: 'Name of the dataset in paths. Null for a total.' }),
    synthetic: COUNTS_SAMPLES,
  })
  .meta({ id: 'Metric' })

export const CatalogStats = z
  .object({
    generated_at: timestamp('Time of this response. The response is valid for `cache_ttl_seconds` seconds.'),
    cache_ttl_seconds: z.literal(600),
    metrics: z.array(Metric),
    warnings: Labels,
  })
  .meta({ id: 'CatalogStats' })

const Tier = z
  .object({
    plan_id: PlanName,
    name: z.string(),
    rank: z.int().min(0).meta({ description: 'A plan includes all features of plans with a lower rank.' }),
    price: z.object({ amount: money('Price per month.'), currency: z.literal('TWD'), period: z.literal('month') }),
    included_credits: count('Credits that the plan includes per calendar month in Taipei.'),
    ...LIMITS,
    formats: z.array(z.string()).meta({ description: 'Formats available for reads.' }),
    features: z.array(z.string()).meta({ description: 'Features of the plan, as snake_case words.' }),
  })
  .meta({ id: 'Tier' })

export const TierList = z.object({ data: z.array(Tier), data_count: count('Number of plans in `data`.') }).meta({ id: 'TierList' })

const Product = z
  .object({
    ...DATASET_NAMES,
    family: Family,
    title: z.string(),
    minimum_plan: PlanName,
    credits_per_call: count('Price of a successful read, in credits.'),
    status: ServingStatus,
  })
  .meta({ id: 'Product' })

export const ProductList = z
  .object({ data: z.array(Product), data_count: count('Number of datasets in `data`.') })
  .meta({ id: 'ProductList' })

const IndexClose = z
  .object({
    index_code: z.string(),
    name: z.string(),
    name_zh: z.string().meta({ description: 'Name in Chinese.' }),
    value: z.number().meta({ description: 'Closing value, in index points.' }),
    change: z.number().nullable().meta({
      description: 'Change since the previous close, in index points. Negative for a fall. Null if the report has no comparison.',
    }),
    change_pct: z
      .number()
      .nullable()
      .meta({ description: 'Change since the previous close, in percent. Null if the report has no comparison.' }),
    trade_date: calendarDay('Trading day of the close.'),
    source: z.string(),
  })
  .meta({ id: 'IndexClose' })

export const MarketIndices = z
  .object({
    as_of: calendarDay('Newest `trade_date` of the indices. Null if no index has data.').nullable(),
    data: z.array(IndexClose),
    data_count: count('Number of indices in `data`.'),
    warnings: Labels,
  })
  .meta({ id: 'MarketIndices' })

export const Coverage = z
  .object({
    ...DATASET_NAMES,
    ...HELD,
    start_year: z.int().nullable().meta({ description: 'Year of `first_date`. Null if `first_date` is null.' }),
    update_timing: z.string().meta({ description: 'Due time of new data, in words, in Taipei time.' }),
    update_timing_zh: z.string().meta({ description: '`update_timing` in Chinese.' }),
    delisted_included: z.boolean().meta({ description: 'True if the dataset includes delisted securities.' }),
    markets: z.array(z.string()),
    coverage_type: z.string().meta({ description: 'Kind of coverage over time, for example `daily_time_series`.' }),
    scope: z.string().meta({ description: 'Subject of the dataset, for example `government_bond_curve`.' }),
    completeness_ratio: z.number().min(0).max(1).nullable().meta({
      description:
        'Share of cells with a value, from 0 to 1. Excludes provenance columns and columns that do not apply to every row. Null if no release was measured. In this case, reads return 0.',
    }),
    ...KNOWN_GAPS,
    warnings: Labels,
    counted_at: timestamp('Time of the count, which is made at publication. Null if no release is served.').nullable(),
  })
  .meta({ id: 'Coverage' })

export const CoveredDays = z
  .object({
    ...DATASET_NAMES,
    release_version: z.string().nullable().meta({ description: 'Release that contains the rows. Null if no release is served.' }),
    column: z.string().nullable().meta({ description: 'Name of the date column. Null if rows have no date.' }),
    days_with_rows: count('Number of days with rows.'),
    days_without_rows: count(
      'Number of trading days without rows between the first and the last day. Null for datasets without rows on every trading day.',
    ).nullable(),
    data_count: count('Number of days in `data`.'),
    data: z.array(z.object({ date: calendarDay('Day of the rows.'), rows: count('Number of rows.') }).meta({ id: 'CoveredDay' })),
  })
  .meta({ id: 'CoveredDays' })

export const SymbolCoverage = z
  .object({
    ...DATASET_NAMES,
    symbol: z.string().meta({ description: 'Symbol as written in the dataset.' }),
    covered: z
      .boolean()
      .nullable()
      .meta({ description: 'True if the dataset has rows of the symbol. Null if no release passes its integrity check.' }),
    first_date: calendarDay('First day with rows of the symbol. Null if there are no rows or no dates.').nullable(),
    last_date: calendarDay('Last day with rows of the symbol. Null if there are no rows or no dates.').nullable(),
    row_count: count('Number of rows of the symbol. Null if no release passes its integrity check.').nullable(),
    warnings: Labels,
  })
  .meta({ id: 'SymbolCoverage' })

export const CoverageList = z
  .object({ data: z.union([z.array(Coverage), z.array(SymbolCoverage)]), data_count: count('Number of datasets in `data`.') })
  .meta({ id: 'CoverageList', description: 'List of `Coverage` objects, or of `SymbolCoverage` objects if `symbol` was sent.' })

export const CoverageOverview = z
  .object({
    datasets_count: count('Number of datasets in the catalog.'),
    datasets_with_rows: count('Number of datasets with rows.'),
    row_count: count('Total number of rows of all datasets.'),
    tickers_count: count('Number of distinct tickers over all datasets whose key is a ticker.'),
    first_date: calendarDay('Earliest day of any dataset. Null if no dataset has rows with dates.').nullable(),
    last_date: calendarDay('Latest day of any dataset. Null if no dataset has rows with dates.').nullable(),
    markets: z.array(z.string()),
    counted_at: timestamp('Time of the newest row count. Null if no release is served.').nullable(),
    synthetic: COUNTS_SAMPLES,
    warnings: Labels,
    data: z.array(Coverage),
    data_count: count('Number of datasets in `data`.'),
  })
  .meta({ id: 'CoverageOverview' })
