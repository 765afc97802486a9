import { z } from 'zod'
import { ENTITIES, ENTITY_TYPES, fieldsOf, QUERY } from '../../../../catalog/index.ts'
import { type Grant, serverTiming, taipeiDay } from '../../../core/index.ts'
import { fieldList, MOST_ENTITIES, queryExamples, requestedFields, requiredPlan, requirePlan } from '../../../field-query/index.ts'
import { ENCODERS } from '../../../formats/index.ts'
import { createDryQueryFields, createQueryFields, type QueryDeps, type QueryMeta } from '../../../operations/index.ts'
import {
  choice,
  DRY_RUN_PARAM,
  DryRunAnswer,
  day,
  dispositionOf,
  dryRunAnswer,
  type Endpoint,
  encoded,
  FORMAT_PARAMS,
  flag,
  formatOf,
  type Headers,
  headersAlone,
  isDryRun,
  type LeastPlan,
  labelList,
  list,
  type Route,
  requiredChoice,
  route,
  type SentQuery,
  text,
} from '../../kernel/index.ts'
import { ExamplesAnswer, FieldsAnswer, QueryAnswer } from './schemas.ts'

const LONGEST_LIST = 8_192
const { credits } = QUERY.access

const QUERY_FIELDS = {
  summary: 'Fields of up to 100 entities across datasets, as of a day',
  summaryZh: '跨資料集查詢欄位，可指定日期',
  description: `Returns one value per entity and field, as known on the day \`as_of_date\`. Entities are companies, firms, branches, indices or bond tenors. Financial figures belong to the newest period known on this day. The figures come from the release that was served on this day, so later publications never change the response. For days before the first release, the figures belong to the newest period that was announced by \`as_of_date\`. \`missing\` lists each requested field without a value, with the reason. A response costs ${credits} credit. Queries for an earlier day count as three concurrent reads.`,
  group: 'search',
  caller: 'api_key',
  query: z.object({
    entity_type: requiredChoice(ENTITY_TYPES, {
      doc: `Entity type of the ids. ${ENTITY_TYPES.map(type => `${type}: ${ENTITIES[type].doc}`).join(' ')}`,
      example: 'company',
    }),
    entity_id: text(LONGEST_LIST, { doc: 'Id of one entity.', example: '2330' }),
    entity_ids: text(LONGEST_LIST, {
      doc: `Ids of entities, separated by commas. A query has at most ${MOST_ENTITIES} ids.`,
      example: '2330,2317',
    }),
    'entity_ids[]': list({ doc: 'Id of one entity. Repeat the parameter for several entities.' }),
    fields: text(LONGEST_LIST, {
      doc: 'Names of fields, as listed by /v2/query/fields, separated by commas. Default: all default fields that the plan includes. Required if the plan includes no default field.',
      example: 'theme.industry,institutional.foreign_net_buy,earnings.eps',
    }),
    'fields[]': list({ doc: 'Name of one field. Repeat the parameter for several fields.' }),
    as_of_date: day({
      doc: 'Taipei day as of which the values were known. Must not be in the future. Default: today.',
      example: '2026-05-15',
    }),
    minimal_fields: flag(false, { doc: 'If `true`, returns only the values, without day, period and release.' }),
    ...FORMAT_PARAMS,
    dry_run: flag(false, { doc: DRY_RUN_PARAM }),
  }),
  answer: QueryAnswer,
  formats: true,
  dryRun: DryRunAnswer,
  refusals: [
    'invalid_parameter',
    'plan_required',
    'format_not_supported',
    'credits_exhausted',
    'concurrency_limited',
    'overloaded',
    'query_timeout',
    'release_retired',
  ],
  example: { query: { entity_type: 'company', entity_id: '2330', fields: 'theme.industry,theme.sector' } },
  priced: QUERY,
} as const satisfies Endpoint

const LIST_FIELDS = {
  summary: 'Fields available for queries',
  summaryZh: '可查詢的欄位',
  description: 'Lists the fields with name, meaning, unit, dataset and minimum plan. Free of charge.',
  group: 'search',
  caller: 'api_key',
  visitors: true,
  query: z.object({
    entity_type: choice(ENTITY_TYPES, { doc: 'Entity type whose fields to return. Default: all entity types.', example: 'company' }),
  }),
  answer: FieldsAnswer,
  refusals: ['invalid_parameter'],
  example: { query: { entity_type: 'company' } },
} as const satisfies Endpoint

const LIST_EXAMPLES = {
  summary: 'Example field queries',
  summaryZh: '欄位查詢範例',
  description: 'Returns example URLs, which work with a key of the stated plan. Entity types without data have no example. Free of charge.',
  group: 'search',
  caller: 'api_key',
  visitors: true,
  answer: ExamplesAnswer,
  example: {},
} as const satisfies Endpoint

/** Facts that only JSON bodies contain. */
const headersOf = ({ gaps, warnings, missing }: QueryMeta): Headers => ({
  'x-known-gaps': labelList(gaps),
  'x-warnings': labelList(warnings),
  'x-missing': [...(missing ?? [])].map(([reason, count]) => `${reason}=${count}`).join(', ') || undefined,
})

export function queryRoutes(deps: QueryDeps): readonly Route<'api_key'>[] {
  const fields = fieldsOf(deps.catalog.values())
  const queryFields = createQueryFields(deps, fields)
  // Checks the plan before other parameters. A dry run needs no plan.
  const entitle = ({ plan }: Grant, sent: SentQuery) => isDryRun(sent) || requirePlan(requestedFields(fields, sent), plan)
  const visitors: LeastPlan = ({ query }) => requiredPlan(requestedFields(fields, query))
  const dryQueryFields = createDryQueryFields(deps, fields)
  return [
    route(
      'GET /v2/query',
      { ...QUERY_FIELDS, visitors },
      async call => {
        const format = formatOf(call)
        const input = { ...call.query, sentAs: format }
        if (isDryRun(call.sent)) return dryRunAnswer(await dryQueryFields(call.caller, input), call)
        const { meta, body } = await queryFields(call.caller, input, call)
        const encoder = ENCODERS[format]
        const file = dispositionOf(format, 'query')
        const headers = { ...headersOf(meta), 'server-timing': serverTiming(meta.timings), 'content-disposition': file }
        const { charge } = meta
        return body === null
          ? headersAlone({ headers, charge, encoder })
          : encoded(body, { headers: { 'x-row-count': meta.rows, ...headers }, charge, encoder })
      },
      { entitle },
    ),
    route('GET /v2/query/fields', LIST_FIELDS, ({ query }) => fieldList(fields, query.entity_type, credits)),
    route('GET /v2/query/examples', LIST_EXAMPLES, () => queryExamples(fields, deps.releases, taipeiDay(deps.clock()), credits)),
  ]
}
