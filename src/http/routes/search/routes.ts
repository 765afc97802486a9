import { z } from 'zod'
import { SEARCH } from '../../../../catalog/index.ts'
import { serverTiming } from '../../../core/index.ts'
import { createSearch, type SearchDeps, type SearchInput } from '../../../operations/index.ts'
import { answered, choice, type Endpoint, headersAlone, integer, type Route, requiredText, route } from '../../kernel/index.ts'
import { SEARCH_TYPES, SearchAnswer } from './schemas.ts'

const PATH = '/v2/search'
const Query = z.object({
  q: requiredText(200, {
    doc: 'A code, or a name as the exchange lists it, or its beginning: in Chinese, and of companies and industries the English short name, too; words of either language for datasets and fields.',
    example: '2330',
  }),
  type: choice(SEARCH_TYPES, { doc: 'Only hits of one type.', absent: 'all', example: 'symbol' }),
  limit: integer([1, 100], 20, { doc: 'Most hits to answer.' }),
  offset: integer([0, 1_000_000_000], 0, { doc: 'Hits to leave out before the first.' }),
})

const ENDPOINT = {
  summary: 'Find symbols, datasets, fields, themes, indices, brokers and branches',
  summaryZh: '搜尋證券、資料集、欄位、主題、指數、證券商與分公司',
  description:
    'Full-width characters, upper and lower case, 臺 and 台, and common simplified characters are taken as the same; one character is enough. Exact codes come first, then beginnings of codes, exact names, beginnings of names, and whatever else has all the words; where nothing has all, words of five letters and more are taken for the nearest there are, and some of the words will do. Twenty-four words or pairs of Chinese characters count, the rest is left out. An answer without hits is charged, too. What was just published is found a few seconds later.',
  group: 'search',
  caller: 'api_key',
  visitors: true,
  query: Query,
  answer: SearchAnswer,
  refusals: ['plan_required', 'credits_exhausted', 'concurrency_limited', 'overloaded'],
  example: { query: { q: '2330' } },
  priced: SEARCH,
} as const satisfies Endpoint

/** Universal search. Until the first index is built it refuses as overloaded, and charges nothing. */
export function searchRoutes(deps: SearchDeps): readonly Route<'api_key'>[] {
  const search = createSearch(deps)
  return [
    route(`GET ${PATH}`, ENDPOINT, async call => {
      const { meta, body } = await search(call.caller, call.query, call)
      if (body === null) return headersAlone({ headers: { 'server-timing': serverTiming(meta.timings) }, charge: meta.charge })
      const headers = { 'x-row-count': meta.rows, 'server-timing': serverTiming(meta.timings), link: linkTo(meta.next, call.query) }
      return answered(body, { headers, charge: meta.charge })
    }),
  ]
}

function linkTo(next: number | null, { q, type, limit }: SearchInput): string | undefined {
  if (next === null) return undefined
  return `<${PATH}?${new URLSearchParams({ q, type, limit: String(limit), offset: String(next) })}>; rel="next"`
}
