import { z } from 'zod'
import { COLUMN_TYPES, type CrossSection, crossSections, type Dataset } from '../../../../catalog/index.ts'
import { serverTiming } from '../../../core/index.ts'
import { createProfileDataset, type DatasetProfile, requireDataset, requiredPlanOf } from '../../../operations/index.ts'
import { type ColumnProfile, EMPTY_REASONS, MOST_BINS, MOST_PROFILED, MOST_VALUES } from '../../../read/index.ts'
import { gapLabels, warningLabels } from '../../../releases/index.ts'
import {
  calendarDay,
  count,
  DATASET_NAMES,
  type Endpoint,
  encoded,
  headersAlone,
  type LeastPlan,
  type Route,
  releaseHeaders,
  route,
  text,
  unchanged,
} from '../../kernel/index.ts'
import type { ReadDeps } from './routes.ts'
import { withoutSection } from './unknown.ts'

const Value = z.union([z.string(), z.number(), z.boolean()])
const Edge = z.union([z.string(), z.number()])

const ProfiledColumn = z
  .object({
    name: z.string(),
    type: z.enum(COLUMN_TYPES),
    unit: z.string().nullable().meta({ description: 'Unit of the values and bin edges. Null if the values have no unit.' }),
    count: count('Number of rows with a value.'),
    nulls: count('Number of rows without a value.'),
    distinct: count('Exact number of distinct values.'),
    min: Value.nullable().meta({
      description: 'Minimum value. Text is compared by bytes. Null for JSON columns, and if there are no values.',
    }),
    max: Value.nullable(),
    histogram: z
      .array(
        z
          .object({ from: Edge, to: Edge, count: count('Number of rows from `from`, inclusive, to `to`, exclusive.') })
          .meta({ id: 'ProfileBin' }),
      )
      .readonly()
      .nullable()
      .meta({
        description: `Histogram of numbers or dates: up to ${MOST_BINS} bins with rounded edges, in ascending order, including empty bins. Null for other types, and if there are no values.`,
      }),
    top: z
      .array(z.object({ value: Value, count: count('Number of rows with this value.') }).meta({ id: 'ProfileValue' }))
      .readonly()
      .nullable()
      .meta({
        description: `Most frequent values of text and booleans: up to ${MOST_VALUES} values, most frequent first. Null for other types.`,
      }),
    others: z
      .object({ values: count('Number of distinct values not in `top`.'), count: count('Number of rows with these values.') })
      .nullable()
      .meta({ description: 'Totals of the values that are not in `top`. Null if `top` is null.' }),
  })
  .meta({ id: 'ProfiledColumn' })

const Profile = z
  .object({
    ...DATASET_NAMES,
    release: z.string().nullable().meta({ description: 'Release that contains the rows. Null if no release is served.' }),
    as_of: z.string().optional().meta({ description: 'Value of `as_of` in the request. Absent if not sent.' }),
    data_as_of: calendarDay('Newest day of the release. Null if no release is served.').nullable(),
    filters: z
      .record(z.string(), z.string().nullable())
      .meta({ description: 'Filter parameters with their applied values. A value is null if the parameter was not sent.' }),
    row_count: count('Number of matching rows.'),
    empty_reason: z.enum(EMPTY_REASONS).nullable().meta({ description: 'Reason why there are no rows. Null if there are rows.' }),
    known_gaps: z.array(z.string()).readonly(),
    warnings: z.array(z.string()).readonly(),
    data_count: count('Number of columns in `data`.'),
    data: z.array(ProfiledColumn).readonly(),
  })
  .meta({ id: 'DatasetProfile' })

const QUERY = z.object({
  columns: text(4_000, { doc: 'Columns for which to return statistics, separated by commas. Default: all columns.' }),
  range: text(4_000, {
    doc: 'Numeric ranges of the rows to count, in the syntax of `range` in reads. Only for datasets with numeric columns.',
  }),
  release: text(40, { doc: 'Id of the retained release whose rows to count. Default: the newest release.' }),
  as_of: text(40, {
    doc: 'Day or RFC 3339 time. Counts the rows that a read with the same `as_of` returns. Not together with `release`.',
  }),
})

const DatasetKey = z.object({
  dataset_key: z.string().meta({ description: 'Slug or id of a dataset.', example: 'securities-firm-master' }),
})

const PROFILE = {
  summary: 'Column statistics of a read: counts, minimum, maximum, histogram or most frequent values',
  summaryZh: '讀取結果的欄位概況：筆數、空值、相異值、極值、分布或最常見的值',
  description: `Returns statistics of each column over all matching rows of one release. Accepts the filters that GET /v2/datasets lists for the dataset, except \`latest\`. Returns 422 if more than ${MOST_PROFILED.toLocaleString('en')} rows match. Costs as much as one read of the dataset. A 304 is free of charge.`,
  group: 'datasets',
  caller: 'api_key',
  path: DatasetKey,
  query: QUERY,
  unparsed: true,
  answer: Profile,
  pricedBy: 'dataset',
  refusals: [
    'unknown_dataset',
    'plan_required',
    'credits_exhausted',
    'unknown_id',
    'release_retired',
    'concurrency_limited',
    'integrity',
    'overloaded',
    'data_unavailable',
    'dataset_building',
    'query_timeout',
  ],
  example: { path: { dataset_key: 'securities-firm-master' } },
} as const satisfies Endpoint

const SECTION = {
  ...PROFILE,
  summary: 'Column statistics of one day: counts, minimum, maximum, histogram or most frequent values',
  summaryZh: '單日全部資料的欄位概況：筆數、空值、相異值、極值、分布或最常見的值',
  description: `Returns statistics of each column over the rows of all keys on one day. Accepts the filters of the cross-section, including \`date\`. Costs as much as one read of the dataset. A 304 is free of charge.`,
  query: QUERY.extend({ date: text(10, { doc: 'Day of the cross-section. Required.', example: '2026-06-30' }) }),
  example: { path: { dataset_key: 'daily-prices' }, query: { date: '2026-06-30' } },
} as const satisfies Endpoint

export function profileRoutes(deps: ReadDeps): readonly Route<'api_key'>[] {
  const { catalog } = deps
  const visitors: LeastPlan = ({ params }) => requiredPlanOf(catalog, params['dataset_key']!)
  const profile = createProfileDataset(deps, bodyOf)
  const sections = new Map(crossSections(catalog).map(section => [section.slug, section]))
  const sectionOf = (name: string): CrossSection => {
    const section = sections.get(requireDataset(catalog, name).slug)
    if (!section) throw withoutSection(name, catalog)
    return section
  }
  const profileRoute = (path: string, endpoint: typeof PROFILE | typeof SECTION, named: (name: string) => Dataset) =>
    route(`GET ${path}`, { ...endpoint, visitors }, async call => {
      const input = { dataset: named(call.params.dataset_key), params: call.sent, isKnown: (etag: string) => call.isKnown(etag) }
      const { meta, body } = await profile(call.caller, input, call)
      const beside = {
        headers: {
          etag: meta.etag,
          ...releaseHeaders(meta),
          'x-as-of': meta.asOf ?? undefined,
          'server-timing': serverTiming(meta.timings),
        },
        charge: meta.charge,
      }
      if (call.planOnly) return headersAlone(beside)
      return body === null ? unchanged(beside) : encoded(body, beside)
    })
  return [
    profileRoute('/v2/datasets/:dataset_key/profile', PROFILE, name => requireDataset(catalog, name)),
    profileRoute('/v2/datasets/:dataset_key/cross-section/profile', SECTION, sectionOf),
  ]
}

function bodyOf({ dataset, release, asOf, sent, rows, columns, empty }: DatasetProfile): Buffer {
  const state = { dataset, release }
  const body: z.input<typeof Profile> = {
    dataset: dataset.id,
    slug: dataset.slug,
    release: release?.id ?? null,
    ...(asOf !== null && { as_of: asOf }),
    data_as_of: release?.manifest.data_as_of ?? null,
    filters: sent,
    row_count: rows,
    empty_reason: empty,
    known_gaps: gapLabels(state),
    warnings: warningLabels(state),
    data_count: columns.length,
    data: columns.map(viewOf),
  }
  return Buffer.from(JSON.stringify(body))
}

const viewOf = ({ name, column: { type, unit }, ...found }: ColumnProfile) => ({ name, type, unit: unit ?? null, ...found })
