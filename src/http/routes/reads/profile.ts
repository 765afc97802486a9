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
    unit: z.string().nullable().meta({ description: 'Of the values and of the edges; null where they have none.' }),
    count: count('Rows with a value.'),
    nulls: count('Rows without one.'),
    distinct: count('Different values, counted exactly.'),
    min: Value.nullable().meta({ description: 'Least value, of text by its bytes; null without values, and of JSON.' }),
    max: Value.nullable(),
    histogram: z
      .array(z.object({ from: Edge, to: Edge, count: count('Rows from `from` on and before `to`.') }).meta({ id: 'ProfileBin' }))
      .readonly()
      .nullable()
      .meta({
        description: `Of numbers and days: up to ${MOST_BINS} bins between round edges, in ascending order, empty ones included. Null of other types, and without values.`,
      }),
    top: z
      .array(z.object({ value: Value, count: count('Rows with this value.') }).meta({ id: 'ProfileValue' }))
      .readonly()
      .nullable()
      .meta({ description: `Of text and booleans: up to ${MOST_VALUES} values, the most frequent first. Null of other types.` }),
    others: z
      .object({ values: count('Different values that `top` leaves out.'), count: count('Their rows.') })
      .nullable()
      .meta({ description: 'Null where there is no `top`.' }),
  })
  .meta({ id: 'ProfiledColumn' })

const Profile = z
  .object({
    ...DATASET_NAMES,
    release: z.string().nullable().meta({ description: 'The release the rows are of; null where there is none.' }),
    data_as_of: calendarDay('Newest day the release holds; null where there is none.').nullable(),
    filters: z.record(z.string(), z.string().nullable()).meta({ description: 'The parameters as they were applied, null where not sent.' }),
    row_count: count('Rows that match.'),
    empty_reason: z.enum(EMPTY_REASONS).nullable().meta({ description: 'Why there are no rows; null where there are.' }),
    known_gaps: z.array(z.string()).readonly(),
    warnings: z.array(z.string()).readonly(),
    data_count: count('Columns.'),
    data: z.array(ProfiledColumn).readonly(),
  })
  .meta({ id: 'DatasetProfile' })

const QUERY = z.object({
  columns: text(4_000, { doc: 'Columns to count, separated by commas; all when absent.' }),
  range: text(4_000, {
    doc: 'Counts rows whose figures lie between two ends, as the read of the dataset takes it; only of datasets with columns of numbers.',
  }),
  release: text(40, { doc: 'Counts rows of that release instead of the newest.' }),
})

const DatasetKey = z.object({
  dataset_key: z.string().meta({ description: 'Slug or id of a dataset.', example: 'securities-firm-master' }),
})

const PROFILE = {
  summary: 'What the rows of a read hold, column by column: counts, ends, histogram or most frequent values',
  summaryZh: '讀取結果的欄位概況：筆數、空值、相異值、極值、分布或最常見的值',
  description: `Takes every filter of the dataset’s read, under the same names and as required as there (\`filters\` of GET /v2/datasets lists them), except latest. Everything is counted over all rows that match, of one release, up to ${MOST_PROFILED.toLocaleString('en')} of them; more are refused with 422. Costs what one read of the dataset costs; 304 is free.`,
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
  summary: 'What a cross-section holds, column by column: counts, ends, histogram or most frequent values',
  summaryZh: '橫斷面的欄位概況：筆數、空值、相異值、極值、分布或最常見的值',
  description: `The same over all keys of one day. Takes the parameters that filter the cross-section, \`date\` among them. Costs what one read of the dataset costs; 304 is free.`,
  query: QUERY.extend({ date: text(10, { doc: 'The day; required.', example: '2026-06-30' }) }),
  example: { path: { dataset_key: 'daily-prices' }, query: { date: '2026-06-30' } },
} as const satisfies Endpoint

/** Profiles of datasets and of their cross-sections. */
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
        headers: { etag: meta.etag, ...releaseHeaders(meta), 'server-timing': serverTiming(meta.timings) },
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

function bodyOf({ dataset, release, sent, rows, columns, empty }: DatasetProfile): Buffer {
  const state = { dataset, release }
  const body: z.input<typeof Profile> = {
    dataset: dataset.id,
    slug: dataset.slug,
    release: release?.id ?? null,
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
