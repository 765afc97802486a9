import { z } from 'zod'
import type { Catalog } from '../../../../catalog/index.ts'
import { ENCODERS } from '../../../formats/index.ts'
import { type AccountCaller, type AccountDeps, createUsageLedger } from '../../../operations/index.ts'
import { type Answered, dispositionOf, encoded, FORMAT_PARAMS, formatOf, integer, type RouteCall, text } from '../../kernel/index.ts'
import { linkToOlder, usageQuery } from './usage-query.ts'
import { UsageLedger } from './usage-schemas.ts'

const LONGEST_ID = 100
const MOST_ENTRIES = 100_000

const ledgerQuery = (catalog: Catalog) =>
  z.object({
    ...usageQuery(catalog).shape,
    key_id: text(LONGEST_ID, { doc: 'Id of a key. Returns only reads with this key.' }),
    before: text(LONGEST_ID, { doc: 'Cursor: `next_before` of the previous page. Returns entries before the entry with this request id.' }),
    limit: integer([1, MOST_ENTRIES], 1_000, { doc: 'Maximum number of entries to return.' }),
    ...FORMAT_PARAMS,
  })

/** Shared by the routes for API keys and for signed-in customers. */
export const usageLedgerEndpoint = (catalog: Catalog) => ({
  summary: 'List charged reads, grants and refunds of credits',
  summaryZh: '逐筆列出計費的請求、贈點與退點',
  description:
    'Lists the ledger entries of all keys of the account, newest first. The ledger has one entry per charged response, and one entry per grant or refund of credits by the operator. Refused and failed reads have no entry. The service writes an entry before it sends the response, or as soon as possible if it cannot write. For the same window, the sums of `credits` and `credited` equal the figures of the usage summary. Free of charge.',
  query: ledgerQuery(catalog),
  answer: UsageLedger,
  formats: true as const,
  refusals: ['format_not_supported'] as const,
  example: { query: { window: 'today', limit: '100' } },
})

type LedgerEndpoint = ReturnType<typeof usageLedgerEndpoint>
type LedgerCall = Pick<RouteCall<LedgerEndpoint & { readonly group: 'account'; readonly caller: 'api_key' }>, 'query' | 'accepted'> & {
  readonly caller: AccountCaller
}

/** @param path the path of the route, for the link to the next page */
export function usageLedgerHandler(deps: AccountDeps & { readonly catalog: Catalog }, path: string) {
  const read = createUsageLedger(deps)
  return async (call: LedgerCall): Promise<Answered<never>> => {
    const format = formatOf(call)
    const { key_id: keyId, ...wanted } = call.query
    const { body, rows, next } = await read(call.caller, { ...wanted, keyId, format })
    const headers = {
      'x-row-count': rows,
      link: linkToOlder(path, call.query, next),
      'content-disposition': dispositionOf(format, 'usage-ledger'),
    }
    return encoded(body, { headers, encoder: ENCODERS[format] })
  }
}
