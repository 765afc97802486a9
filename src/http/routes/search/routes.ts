import { z } from 'zod'
import { SEARCH } from '../../../../catalog/index.ts'
import { serverTiming } from '../../../core/index.ts'
import { createSearch, type SearchDeps, type SearchInput } from '../../../operations/index.ts'
import { answered, choice, type Endpoint, headersAlone, integer, type Route, requiredText, route } from '../../kernel/index.ts'
import { SEARCH_TYPES, SearchAnswer } from './schemas.ts'

const PATH = '/v2/search'
const Query = z.object({
  q: requiredText(200, {
    doc: 'Search text: a code, a name, or the start of a code or name. Securities have Chinese names, companies and industries also have English short names. Datasets and fields have words in both languages.',
    example: '2330',
  }),
  type: choice(SEARCH_TYPES, { doc: 'Type of hits to return.', absent: 'all', example: 'symbol' }),
  limit: integer([1, 100], 20, { doc: 'Maximum number of hits to return.' }),
  offset: integer([0, 1_000_000_000], 0, { doc: 'Number of hits to skip.' }),
})

const ENDPOINT = {
  summary: 'Find symbols, datasets, fields, themes, indices, brokers and branches',
  summaryZh: '搜尋證券、資料集、欄位、主題、指數、證券商與分公司',
  description:
    'Searches for codes and names. Ignores differences between upper and lower case, full-width and half-width characters, 臺 and 台, and traditional and common simplified characters. One character is enough. Exact codes rank first, then code prefixes, exact names, name prefixes, and other hits that contain all words. If no hit contains all words, the response contains hits with some of the words, and words of five or more letters also match similar words. The search uses at most 24 words or pairs of Chinese characters. Responses without hits are charged. New publications are searchable within a few seconds.',
  group: 'search',
  caller: 'api_key',
  visitors: true,
  query: Query,
  answer: SearchAnswer,
  refusals: ['plan_required', 'credits_exhausted', 'concurrency_limited', 'overloaded'],
  example: { query: { q: '2330' } },
  priced: SEARCH,
} as const satisfies Endpoint

/** Searches are refused with `overloaded`, free of charge, until the first index is built. */
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
