import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { meets, type PlanId, SEARCH } from '../../../../catalog/index.ts'
import type { Gate } from '../../../access/index.ts'
import { type Log, type Stopwatch, serverTiming, stopwatch } from '../../../core/index.ts'
import type { Entity, Hit, Search } from '../../../search/index.ts'
import { admitRequest, answerCharged, type Endpoint, readQuery, requiredText, whole, word } from '../../kernel/index.ts'
import { SEARCH_TYPES, SearchAnswer } from './search-answer.ts'

export interface SearchParts {
  readonly gate: Gate
  readonly search: Search
  readonly log: Log
}

const PATH = '/v2/search'
const HINT =
  'Companies, brokers and other names are found as the exchanges list them, in Chinese: try a code such as 2330, or a Chinese name such as 台積電.'

const Query = z.object({
  q: requiredText(200, {
    doc: 'A code, or a name as the exchange lists it, in Chinese, or its beginning; words of either language for datasets and fields.',
    example: '台積',
  }),
  type: word(SEARCH_TYPES, { doc: 'Only hits of one type.', absent: 'all', example: 'symbol' }),
  limit: whole([1, 100], 20, { doc: 'Most hits to answer.' }),
  offset: whole([0, 1_000_000_000], 0, { doc: 'Hits to leave out before the first.' }),
})

const ENDPOINT = {
  summary: 'Find symbols, datasets, fields, themes, indices, brokers and branches',
  summaryZh: '搜尋證券、資料集、欄位、主題、指數、證券商與分公司',
  description:
    'Full-width characters, upper and lower case, 臺 and 台, and common simplified characters are taken as the same; one character is enough. Exact codes come first, then beginnings of codes, exact names, beginnings of names, and whatever else has all the words; where nothing has all, words of five letters and more are taken for the nearest there are, and some of the words will do. Twenty-four words or pairs of Chinese characters count, the rest is left out. An answer without hits is charged, too. What was just published is found a few seconds later.',
  group: 'search',
  caller: 'api_key',
  query: Query,
  answer: SearchAnswer,
  refusals: ['plan_required', 'credits_exhausted', 'concurrency_limited', 'overloaded'],
  example: { query: { q: '2330' } },
  credits: SEARCH.access.credits,
  minimumPlan: SEARCH.access.plan,
} as const satisfies Endpoint

/** Universal search. Until the first index is built it refuses as overloaded, and charges nothing. */
export function searchRoutes(app: FastifyInstance, parts: SearchParts): void {
  app.get(PATH, { config: { endpoint: ENDPOINT } }, async (request, reply) => {
    const time = stopwatch()
    const grant = admitRequest(parts.gate, request, reply, SEARCH)
    try {
      parts.gate.checkPlan(grant, SEARCH)
      const query = readQuery(Query, request.query)
      time.lap('admit')
      const { body, rows, charged } = await answerCharged(parts, grant, SEARCH, request, reply, () => find(query, grant.plan, parts, time))
      time.lap('settle')
      describe(reply, query, body, time)
      parts.log('read', logged(request, { account: grant.accountId, key: grant.keyId, rows, credits: charged, ms: time.laps }))
      return body
    } catch (error) {
      parts.gate.recordFailure(grant, SEARCH)
      throw error
    }
  })
}

type Asked = z.output<typeof Query>
type Body = z.output<typeof SearchAnswer>

async function find({ q, type, limit, offset }: Asked, plan: PlanId, { search }: SearchParts, time: Stopwatch) {
  const index = await search.current()
  const { facets, page } = index.find(q)
  const data = page(type, offset, limit).map(hit => hitView(hit, plan))
  const total = type === 'all' ? Object.values(facets).reduce((sum, count) => sum + count, 0) : facets[type]
  const body: Body = { q, type, limit, offset, total, data_count: data.length, data, facets, ...(total === 0 && { hint: HINT }) }
  time.lap('search')
  return { body, rows: data.length }
}

/** A read that the caller's plan includes, the first there is. Above the plan: what a symbol's coverage says for nothing, another thing's first read. */
function urlOf({ type, reads, url }: Entity, plan: PlanId): string {
  const read = reads.find(read => meets(plan, read.plan)) ?? (type === 'symbol' ? undefined : reads[0])
  return read?.url ?? url
}

const hitView = ({ entity, score, matchedOn }: Hit, plan: PlanId): Body['data'][number] => ({
  type: entity.type,
  id: entity.id,
  title: entity.title,
  subtitle: entity.subtitle,
  market: entity.market,
  score,
  matched_on: matchedOn,
  datasets: [...entity.datasets],
  url: urlOf(entity, plan),
  query_field: entity.queryField,
})

function describe(reply: FastifyReply, { q, type, limit, offset }: Asked, { total, data_count: rows }: Body, time: Stopwatch): void {
  reply.header('cache-control', 'private, no-cache').header('x-row-count', rows).header('server-timing', serverTiming(time.laps))
  const next = offset + limit
  const params = new URLSearchParams({ q, type, limit: String(limit), offset: String(next) })
  if (next < total) reply.header('link', `<${PATH}?${params}>; rel="next"`)
}

/** What was searched for is the caller's own affair and stays out of the log. */
const logged = (request: FastifyRequest, facts: Readonly<Record<string, unknown>>) => ({
  request_id: request.id,
  dataset: SEARCH.slug,
  release: null,
  ...facts,
})
