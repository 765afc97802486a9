import { z } from 'zod'
import { asOfWords, type Dataset, type Filter, FORMATS, type Operator, rangeColumns } from '../../../../catalog/index.ts'
import { DAY_PATTERN, MOMENT_PATTERN } from '../../../core/index.ts'
import {
  type COMMON_PARAMS,
  DEFAULT_LIMIT,
  defaultLimit,
  ENVELOPE_FORMS,
  LONGEST_VALUE,
  MOST_OFFSET,
  MOST_ROWS,
} from '../../../read/index.ts'
import { RELEASE_FORM } from '../../../releases/index.ts'
import { DRY_RUN_PARAM, DryRunAnswer, type Endpoint, type Example } from '../../kernel/index.ts'
import { envelopeSchema } from './schemas.ts'

/**
 * Building all schemas takes a third of the start time, so each is built on demand.
 * @param unlisted the reason for omitting the path from the documentation
 */
export function datasetEndpoint(dataset: Dataset, unlisted?: string) {
  const { title, titleZh, description } = dataset
  return {
    summary: title,
    summaryZh: titleZh,
    description: `${description} One row per ${dataset.grain.join(', ')}.`,
    group: 'datasets',
    caller: 'api_key',
    visitors: true,
    get query() {
      return z.object({ ...filterParams(dataset), ...commonParams(dataset), ...envelopeParam(dataset) })
    },
    unparsed: true,
    answer: z.lazy(() => envelopeSchema(dataset)),
    formats: true,
    dryRun: DryRunAnswer,
    refusals: [
      'credits_exhausted',
      'plan_required',
      'format_not_supported',
      'unknown_id',
      'release_retired',
      'concurrency_limited',
      'integrity',
      'overloaded',
      'data_unavailable',
      ...(dataset.emptyUntilReleased ? [] : (['dataset_building'] as const)),
      'query_timeout',
    ],
    example: exampleOf(dataset),
    priced: dataset,
    ...(unlisted !== undefined && { unlisted }),
  } as const satisfies Endpoint
}

/** The example for the rows of one day has no `limit`, because the read returns all rows. */
function exampleOf({ filters, sectionOf }: Dataset): Example {
  const required = Object.entries(filters).filter(([, filter]) => filter.required)
  const query = Object.fromEntries(required.map(([name, { example }]) => [name, example!]))
  return { query: sectionOf ? query : { ...query, limit: String(DEFAULT_LIMIT) } }
}

const param = (required: boolean, description: string, wire: object, example?: unknown): z.ZodType =>
  (required ? z.string() : z.string().optional()).meta({ description, wire, ...(example === undefined ? {} : { example }) })

const filterParams = ({ filters, columns }: Dataset): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => {
      const date = columns[filter.column]!.type === 'date'
      return [name, param(filter.required === true, filter.doc, wireOf(filter, date), exampleValue(filter))]
    }),
  )

/** These operators do not take dates, even for a date column. */
const WORDS: ReadonlySet<Operator> = new Set(['latest', 'first_of', 'period'])

/** Used for text columns without a pattern. */
const ANY_TEXT = { type: 'string', pattern: `^[^\\u0000-\\u001f\\u007f-\\u009f]{1,${LONGEST_VALUE}}$` }

function wireOf({ op, pattern, values, fold }: Filter, date: boolean): object {
  if (op === 'latest') return { type: 'boolean' }
  if (date && !WORDS.has(op)) return { type: 'string', format: 'date', pattern: DAY_PATTERN.source }
  if (values) return { type: 'string', enum: values }
  if (pattern === undefined) return ANY_TEXT
  const form = fold === 'upper' ? inAnyCase(pattern) : pattern
  // The number of repetitions has no upper bound, because RE2 (Go) rejects more than 1,000 nested
  // repetitions.
  return { type: 'string', pattern: op === 'in' ? `^(${form})(,(${form}))*$` : `^(${form})$` }
}

/** For example, `TW[A-Z]` becomes `[Tt][Ww][A-Za-z]`. The service converts values to capitals. */
const inAnyCase = (pattern: string): string =>
  pattern.replaceAll(/\[[^\]]*\]|\\.|[A-Z]/g, part => {
    if (part.startsWith('\\')) return part
    const letters = part.replace(/^\[|\]$/g, '')
    const small = (letters.match(/[A-Z]-[A-Z]|[A-Z]/g) ?? []).map(capitals => capitals.toLowerCase())
    return `[${letters}${small.filter(one => !letters.includes(one)).join('')}]`
  })

/** The pattern cannot exclude repeated names. */
function namesOf(names: readonly string[]): string {
  const one = `\\s*(${names.join('|')})\\s*`
  return `^${one}(,${one}){0,${names.length - 1}}$`
}

const exampleValue = ({ op, example }: Filter): unknown => (op === 'latest' && example !== undefined ? example === 'true' : example)

const envelopeParam = ({ envelope }: Dataset): Record<string, z.ZodType> =>
  envelope.kind === 'A-bare'
    ? {
        envelope: param(
          false,
          'Content of the body. `full` adds source, quality, gaps and warnings. With `bare`, gaps and warnings are in headers.',
          {
            type: 'string',
            enum: ENVELOPE_FORMS,
            default: 'bare',
          },
        ),
      }
    : {}

const sortParams = ({ sortable }: Dataset): Record<string, z.ZodType> =>
  sortable.length > 0
    ? {
        sort_by: param(false, 'Column to sort by. Rows with equal values are in the default order.', {
          type: 'string',
          enum: sortable,
        }),
        sort_order: param(false, 'Sort direction.', { type: 'string', enum: ['asc', 'desc'] }),
      }
    : {}

const rangeParam = (dataset: Dataset): Record<string, z.ZodType> => {
  const [first] = rangeColumns(dataset)
  if (first === undefined) return {}
  const doc = `Numeric ranges to match, separated by commas. \`${first}:100..250\` includes both ends. \`${first}:..<250\` excludes 250.`
  return { range: param(false, doc, { type: 'string' }, `${first}:0..`) }
}

const commonParams = (dataset: Dataset): Partial<Record<(typeof COMMON_PARAMS)[number], z.ZodType>> => ({
  limit: param(false, 'Maximum number of rows to return, up to the plan’s maximum rows per response.', {
    type: 'integer',
    minimum: 1,
    maximum: MOST_ROWS,
    default: defaultLimit(dataset),
  }),
  offset: param(false, 'Number of rows to skip. The `Link` header has the URL of the next page.', {
    type: 'integer',
    minimum: 0,
    maximum: MOST_OFFSET,
    default: 0,
  }),
  sort: param(
    false,
    'Columns to sort by, separated by commas. A `-` before a name means descending order. Nulls are last.',
    { type: 'string' },
    `-${Object.keys(dataset.columns)[0]}`,
  ),
  ...sortParams(dataset),
  columns: param(
    false,
    `Columns to return, separated by commas. Default: all columns. Names: ${Object.keys(dataset.columns).join(', ')}.`,
    { type: 'string', pattern: namesOf(Object.keys(dataset.columns)) },
    Object.keys(dataset.columns).slice(0, 2).join(','),
  ),
  ...rangeParam(dataset),
  format: param(false, 'Format of the response. Default: as in the `Accept` header.', {
    type: 'string',
    enum: FORMATS,
    default: FORMATS[0],
  }),
  bom: param(false, 'Adds a byte order mark to CSV, so that Excel recognizes UTF-8.', { type: 'boolean', default: false }),
  release: param(false, 'Id of the retained release to read, as in the response header `X-Release`. Default: the newest release.', {
    type: 'string',
    pattern: RELEASE_FORM.source,
  }),
  as_of: param(false, `Day (end of the day in Taipei) or RFC 3339 time. ${asOfWords(dataset).en} Not with \`release\`.`, {
    type: 'string',
    pattern: MOMENT_PATTERN.source,
  }),
  dry_run: param(false, DRY_RUN_PARAM, { type: 'boolean', default: false }),
})
