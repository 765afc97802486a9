import { z } from 'zod'
import {
  type Column,
  type ColumnType,
  type Dataset,
  type Envelope,
  type EnvelopeA,
  type EnvelopeB,
  type EnvelopeC,
  type EnvelopeD,
  type Measure,
  PLAN_IDS,
  RELEASED_STATUSES,
  SOURCE_ROLES,
} from '../../../../catalog/index.ts'
import { FRESHNESS_STATES } from '../../../calendar/index.ts'
import { EMPTY_REASONS } from '../../../read/index.ts'
import type { ServingStatus } from '../../../releases/index.ts'

type Shape = Readonly<Record<string, z.ZodType>>
type Shaped<E extends Envelope> = (dataset: Dataset, rows: z.ZodType, envelope: E) => z.ZodType

const words = (description: string) => z.array(z.string()).meta({ description })
const Count = z.int().min(0)
const Rows = z
  .int()
  .min(0)
  .meta({ examples: [1] })
const Day = z.iso.date().nullable()
const Sent = z.string().nullable()
const Synthetic = z.literal(true).optional().meta({ description: 'True if the rows are synthetic samples. Absent otherwise.' })
const EmptyReason = z.enum(EMPTY_REASONS).optional().meta({ description: 'Reason why there are no rows. Absent if there are rows.' })
const UnknownSymbols = z
  .array(
    z.object({
      symbol: z.string(),
      did_you_mean: z
        .array(z.object({ symbol: z.string(), name: z.string() }))
        .meta({ description: 'Similar tickers, best match first, at most 3.' }),
    }),
  )
  .optional()
  .meta({
    id: 'unknown_symbols',
    description: 'Requested tickers that no served dataset has, at most 10. Absent if all tickers are known.',
  })
/** Fields about missing rows. */
const Absence: Shape = { empty_reason: EmptyReason, unknown_symbols: UnknownSymbols }
const Staleness = { freshness_state: z.enum(FRESHNESS_STATES), freshness_as_of: Day }
const Gaps = words('Known gaps of the dataset, as labels.')
const Warnings = words('Warnings to show with the data, as labels.')

export function envelopeSchema(dataset: Dataset): z.ZodType {
  const rows = z.array(rowSchema(dataset))
  const shaped = SHAPES[dataset.envelope.kind] as Shaped<Envelope>
  return shaped(dataset, rows, dataset.envelope)
}

const SHAPES: { readonly [K in Envelope['kind']]: Shaped<Extract<Envelope, { kind: K }>> } = {
  A: shapeA,
  'A-bare': shapeBare,
  B: shapeB,
  C: shapeC,
  D: shapeD,
}

const measureSchema = ({ as }: Measure): z.ZodType => (as === 'count' ? Count : z.array(z.string()))
const shapeOf = (entries: readonly (readonly [string, z.ZodType])[]): Shape => Object.fromEntries(entries)
/** Some parameters also have a second name. */
const echoed = ({ filters }: Dataset): Shape =>
  shapeOf(Object.entries(filters).flatMap(([param, { echo = param }]) => [[echo, Sent] as const, [param, Sent] as const]))
/** Every response repeats these parameters. */
const Page: Shape = {
  limit: Count,
  offset: Count,
  range: Sent,
  sort: Sent,
  sort_by: z.string(),
  sort_order: z.enum(['asc', 'desc']),
  columns: Sent.meta({ description: 'Requested columns. Null if all columns were requested.' }),
  release: Sent.meta({ description: 'Release that contains the rows. Null if no release is served.' }),
  as_of: z.string().optional().meta({ description: 'Value of `as_of` in the request. Absent if not sent.' }),
}
const Filters = (dataset: Dataset): z.ZodType =>
  z.object({ ...echoed(dataset), ...Page }).meta({ description: 'Parameters of the request with their applied values.' })

function shapeA(dataset: Dataset, rows: z.ZodType, { dates, measures = [] }: Pick<EnvelopeA, 'dates' | 'measures'>): z.ZodObject {
  const span = dates ? { [dates.first]: Day, [dates.last]: Day } : {}
  const measured = shapeOf(measures.map(measure => [measure.name, measureSchema(measure)]))
  return z.object({
    dataset_id: z.literal(dataset.id),
    request_context: z.object({
      scope: z.string(),
      coverage_type: z.string(),
      filters: Filters(dataset),
      ...span,
    }),
    quality: z.object({ row_count: Rows, sensitive_fields_exposed: z.boolean(), ...measured, ...Staleness, ...Absence }),
    lineage: z.object({ source_families: z.array(z.string()), semantics: z.string(), synthetic: Synthetic }),
    error: z.null(),
    data: rows,
    data_count: Rows,
    known_gaps: Gaps,
    warnings: Warnings,
    envelope: z.object({ dataset_id: z.literal(dataset.id), scope: z.string(), row_count: Rows }),
  })
}

function shapeBare(dataset: Dataset, rows: z.ZodType): z.ZodType {
  const { shape } = shapeA(dataset, rows, {})
  const full = Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, (field as z.ZodType).optional()]))
  return z
    .object({ ...full, dataset_id: z.literal(dataset.id), row_count: Rows, data: rows })
    .meta({ description: 'Body of the response. Optional fields are present only with `envelope=full`.' })
}

const contextShape = ({ family }: Dataset): Shape => ({
  ticker: Sent,
  as_of_date: Day.meta({ description: 'Newest day of the release. The requested day is in `query`.' }),
  family: z.literal(family),
  field_group_type: z.string(),
  dataset_view: z.string(),
  supported_sort_by: z.array(z.string()),
  supported_filter_fields: z.array(z.string()),
})

const Quality = z
  .object({
    ...Staleness,
    completeness_ratio: z.number().min(0).max(1).meta({
      description:
        'Share of cells with a value in the release, from 0 to 1. Excludes provenance columns and columns that do not apply to every row. 0 if no release was measured. In this case, the coverage endpoint returns null.',
    }),
    quality_status: z.enum([...RELEASED_STATUSES, 'degraded', 'building'] as const satisfies readonly ServingStatus[]),
    ...Absence,
  })
  .meta({ id: 'quality' })

const Lineage = z
  .object({ source_role: z.string(), selected_source: z.string(), fallback_chain: z.array(z.string()), policy_notes: z.array(z.string()) })
  .meta({ id: 'lineage' })

const NoError = z
  .object({ error_code: z.null(), error_message: z.null(), blocking_gate: z.null(), dataset: z.string(), request_id: z.string() })
  .meta({ id: 'no_error', description: 'Always null in successful responses.' })

const releaseShape = (dataset: Dataset): Shape => ({
  api_version: z.literal('v2'),
  dataset: z.literal(dataset.id),
  dataset_version: z.string(),
  release_version: z.string().nullable(),
  release_date: Day,
  data_as_of: Day,
})

/** Some parameters also have a second name. */
const queryShape = (dataset: Dataset, aliases: NonNullable<EnvelopeB['aliases']>): Shape => ({
  ...echoed(dataset),
  as_of_date: Sent.meta({ description: 'Requested day. If no day was requested, the newest day of the release.' }),
  ...Page,
  ...shapeOf(Object.keys(aliases).map(name => [name, Sent])),
})

const Plan = z.enum(PLAN_IDS)

const Meta = z.object({
  rows_returned: Rows,
  mandatory_contract_fields_present: z.array(z.string()),
  plan: Plan,
  row_limit: Count,
  is_limited: z.boolean().meta({ description: 'True if more rows match than the plan allows per response.' }),
})

function shapeB(dataset: Dataset, rows: z.ZodType, { aliases = {} }: EnvelopeB): z.ZodObject {
  return z.object({
    api_version: z.literal('v2'),
    endpoint: z.string(),
    request_id: z.string(),
    plan_id: Plan,
    dataset: z.literal(dataset.id),
    query: z.object(queryShape(dataset, aliases)),
    meta: Meta,
    envelope: z.object({
      ...releaseShape(dataset),
      request_context: z.object(contextShape(dataset)),
      data: rows,
      quality: Quality,
      lineage: Lineage,
      error: NoError,
    }),
    known_gaps: Gaps,
    warnings: Warnings,
  })
}

function shapeC(dataset: Dataset, rows: z.ZodType, { counts, filters }: EnvelopeC): z.ZodObject {
  const counted = shapeOf(Object.keys(counts).map(name => [name, Count]))
  const repeated = shapeOf(Object.keys(filters).map(name => [name, Sent]))
  return z.object({
    ...releaseShape(dataset),
    request_context: z.object({
      ...contextShape(dataset),
      scope: z.string(),
      coverage_type: z.string(),
      ...counted,
      ...repeated,
      filters: Filters(dataset),
    }),
    data: rows,
    quality: Quality,
    lineage: Lineage,
    error: NoError,
    dataset_id: z.literal(dataset.id),
    data_count: Rows,
    known_gaps: Gaps,
    warnings: Warnings,
  })
}

function shapeD(dataset: Dataset, rows: z.ZodType, { freshness }: EnvelopeD): z.ZodObject {
  const at = z.iso.datetime({ offset: true }).nullable()
  return z.object({
    dataset: z.literal(dataset.id),
    source_role: z.enum(SOURCE_ROLES),
    ...(freshness ? { freshness: at } : {}),
    lineage: z.object({ provider: z.string(), ingested_at: at, trace_id: z.string(), synthetic: Synthetic }),
    data: rows,
    quality: z.object({ ...Staleness, ...Absence }),
    known_gaps: Gaps,
    warnings: Warnings,
  })
}

const CELL: Readonly<Record<ColumnType, () => z.ZodType>> = {
  text: () => z.string(),
  date: () => z.iso.date(),
  timestamp: () => z.iso.datetime({ offset: true }),
  number: () => z.number(),
  integer: () => z.int(),
  boolean: () => z.boolean(),
  json: () => z.unknown(),
}

/** Cached, because several reads have the same rows. */
const rowSchemas = new WeakMap<Dataset, z.ZodType>()

/** `columns` may omit any column. Only nullable columns are ever null. */
function rowSchema(read: Dataset): z.ZodType {
  const dataset = read.sectionOf ?? read
  const known = rowSchemas.get(dataset) ?? describeRow(dataset)
  rowSchemas.set(dataset, known)
  return known
}

function describeRow({ columns, id, title, example }: Dataset): z.ZodType {
  const shape = Object.entries(columns).map(([name, column]) => [name, cellSchema(column).optional()] as const)
  return z
    .object(Object.fromEntries(shape))
    .meta({ id: `${id.replaceAll('-', '_')}_row`, description: `One row of ${title}.`, examples: example.slice(0, 1) })
}

function cellSchema({ type, nullable, unit, doc, zh }: Column): z.ZodType {
  const cell = CELL[type]()
  const description = `${zh}. ${doc}${unit ? ` Unit: ${unit}.` : ''}`
  return (nullable && type !== 'json' ? cell.nullable() : cell).meta({ description })
}
