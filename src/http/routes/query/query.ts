import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ENTITIES, ENTITY_TYPES, type Fields, fieldsOf, QUERY } from '../../../../catalog/index.ts'
import { type Grant, type Stopwatch, serverTiming, stopwatch, taipeiDay } from '../../../core/index.ts'
import {
  answerFields,
  type FieldQuery,
  fieldList,
  fieldsNamed,
  MOST_ENTITIES,
  type NewestFacts,
  queryExamples,
  readFieldQuery,
  requirePlan,
} from '../../../fields/index.ts'
import { type Releases, releaseOf } from '../../../releases/index.ts'
import {
  admitRequest,
  answerCharged,
  day,
  type Endpoint,
  flag,
  readQuery,
  requiredWord,
  several,
  text,
  withSecondTry,
  word,
} from '../../kernel/index.ts'
import type { ReadParts } from '../reads/datasets.ts'
import { ExamplesAnswer, FieldsAnswer, QueryAnswer } from './query-answer.ts'

export interface QueryRouteParts extends ReadParts {
  readonly newest: NewestFacts
}

const LONGEST_LIST = 8_192
/** Answers to a key are kept by nobody but its caller, and asked for again. */
const PRIVATE = 'private, no-cache'
const { credits } = QUERY.access

const QUERY_FIELDS = {
  summary: 'Fields of up to 100 entities, across datasets, as of a day',
  summaryZh: '跨資料集查詢欄位，可指定日期',
  description: `What was true of companies, firms, branches, indices or bond tenors on a day, one value per field. Of financial figures: the newest period known here that day, from the release that was served then, so nothing published later changes the answer; for days before the first release, the newest period announced by then. Every field asked for is answered with a value or named in missing with the reason. An answer costs ${credits} credit.`,
  group: 'search',
  caller: 'api_key',
  query: z.object({
    entity_type: requiredWord(ENTITY_TYPES, {
      doc: `What the ids name. ${ENTITY_TYPES.map(type => `${type}: ${ENTITIES[type].doc}`).join(' ')}`,
      example: 'company',
    }),
    entity_id: text(LONGEST_LIST, { doc: 'One id.', example: '2330' }),
    entity_ids: text(LONGEST_LIST, { doc: `Ids separated by commas; at most ${MOST_ENTITIES} in all.`, example: '2330,2317' }),
    'entity_ids[]': several({ doc: 'One id each time it is sent.' }),
    fields: text(LONGEST_LIST, {
      doc: 'Field names separated by commas, from /v2/query/fields. When none is named: the default fields that the plan includes.',
      example: 'industry,foreign_net_buy,earnings.eps',
    }),
    'fields[]': several({ doc: 'One field name each time it is sent.' }),
    as_of_date: day({ doc: 'Day in Taipei as of which the answer was true, not after today; today when absent.', example: '2026-05-15' }),
    minimal_fields: flag(false, { doc: 'true sends each field as its value alone: its day, period and release are left out.' }),
  }),
  answer: QueryAnswer,
  refusals: ['invalid_parameter', 'plan_required', 'credits_exhausted', 'concurrency_limited', 'overloaded', 'query_timeout'],
  example: { query: { entity_type: 'company', entity_id: '2330', fields: 'industry,sector' } },
  credits,
  minimumPlan: QUERY.access.plan,
} as const satisfies Endpoint

const LIST_FIELDS = {
  summary: 'Fields that can be queried',
  summaryZh: '可查詢的欄位',
  description: 'Name, meaning, unit, dataset and least plan of every field. Costs nothing.',
  group: 'search',
  caller: 'api_key',
  query: z.object({ entity_type: word(ENTITY_TYPES, { doc: 'Fields of one entity type; of all when absent.', example: 'company' }) }),
  answer: FieldsAnswer,
  refusals: ['invalid_parameter'],
  example: { query: { entity_type: 'company' } },
} as const satisfies Endpoint

const LIST_EXAMPLES = {
  summary: 'Field queries to try',
  summaryZh: '欄位查詢範例',
  description:
    'Addresses that can be called as they stand by a key of the plan they name, about entities that are served; none of a type of which nothing is served yet. Costs nothing.',
  group: 'search',
  caller: 'api_key',
  answer: ExamplesAnswer,
  example: {},
} as const satisfies Endpoint

/** Fields of entities across datasets: what the catalog declares under `fields`, and nothing else. */
export function queryRoutes(app: FastifyInstance, parts: QueryRouteParts): void {
  const fields = fieldsOf(parts.catalog.values())
  app.get('/v2/query', { config: { endpoint: QUERY_FIELDS } }, (request, reply) => runQuery(fields, parts, request, reply))
  app.get('/v2/query/fields', { config: { endpoint: LIST_FIELDS } }, (request, reply) => {
    admitRequest(parts.gate, request, reply)
    reply.header('cache-control', PRIVATE)
    return fieldList(fields, readQuery(LIST_FIELDS.query, request.query).entity_type, credits)
  })
  app.get('/v2/query/examples', { config: { endpoint: LIST_EXAMPLES } }, (request, reply) => {
    admitRequest(parts.gate, request, reply)
    readQuery(z.object({}), request.query)
    reply.header('cache-control', PRIVATE)
    return queryExamples(fields, parts.releases, taipeiDay(parts.clock()), credits)
  })
}

/** admit → plan → parameters → run → settle. */
async function runQuery(fields: Fields, parts: QueryRouteParts, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { gate, clock } = parts
  const time = stopwatch()
  const grant = admitRequest(gate, request, reply, QUERY)
  try {
    requirePlan(fieldsNamed(fields, request.query as Record<string, unknown>), grant.plan)
    time.lap('admit')
    const query = readFieldQuery(fields, readQuery(QUERY_FIELDS.query, request.query), grant.plan, taipeiDay(clock()))
    time.lap('plan')
    const answer = () => answerQuery(query, grant, parts, request, reply, time)
    return await withSecondTry(answer, () => reportReadFailures(query, parts.releases))
  } catch (error) {
    gate.recordFailure(grant, QUERY)
    throw error
  }
}

/** Looks for damage in every release the query reads. */
function reportReadFailures({ fields }: FieldQuery, releases: Releases): Promise<unknown> {
  const read = new Set(fields.map(({ dataset }) => releaseOf(dataset, releases)))
  return Promise.all([...read].map(release => release && releases.reportReadFailure(release)))
}

async function answerQuery(
  query: FieldQuery,
  grant: Grant,
  parts: QueryRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  time: Stopwatch,
): Promise<unknown> {
  reply.type('application/json; charset=utf-8').header('cache-control', PRIVATE)
  const asked = { requestId: request.id, endpoint: '/v2/query', planId: grant.plan }
  const { body, rows, charged } = await answerCharged(parts, grant, QUERY, request, reply, async () => {
    const answer = await answerFields(query, parts.catalog, parts, asked)
    time.lap('fetch')
    return answer
  })
  time.lap('settle')
  reply.header('x-row-count', rows).header('server-timing', serverTiming(time.laps))
  parts.log('read', {
    request_id: request.id,
    dataset: QUERY.slug,
    account: grant.accountId,
    key: grant.keyId,
    rows,
    credits: charged,
    ms: time.laps,
  })
  return body
}
