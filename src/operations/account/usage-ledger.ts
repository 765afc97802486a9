import type { Catalog, Column, Format } from '../../../catalog/index.ts'
import { taipei } from '../../core/index.ts'
import { type Body, ENCODERS, openBody, valueRows } from '../../formats/index.ts'
import { type EntryFilter, usageWindow } from '../../usage/index.ts'
import type { AccountCaller, AccountDeps } from './callers.ts'
import { idsBySlug } from './usage.ts'

/** Filters and format of a page. */
export interface LedgerInput extends Omit<EntryFilter, 'window'> {
  /** A name of `WINDOW_PATTERN`. */
  readonly window: string
  readonly format: Format
  /** CSV starts with a byte order mark. */
  readonly bom: boolean
}

export interface LedgerPage {
  readonly body: Body
  readonly rows: number
  /** Value of `before` for the next page; null for the last page. */
  readonly next: string | null
}

const COLUMNS: Readonly<Record<string, Column>> = {
  request_id: {
    type: 'text',
    zh: '請求代號',
    doc: 'Id of the response, as in its X-Request-Id header.',
    docZh: '回應的識別碼，與 X-Request-Id 標頭相同。',
  },
  at: { type: 'timestamp', zh: '時間', doc: 'Time at which the read was admitted.', docZh: '受理讀取的時間。' },
  dataset: { type: 'text', zh: '資料集代號', doc: 'Id of the dataset or product.', docZh: '資料集或產品的代號。' },
  slug: { type: 'text', zh: '資料集名稱', doc: 'Slug of the dataset or product in paths.', docZh: '資料集或產品在路徑中的名稱。' },
  key_id: {
    type: 'text',
    zh: '金鑰代號',
    doc: 'API key of the read. Starts with browser_ for a signed-in browser.',
    docZh: '讀取所用的金鑰；已登入的瀏覽器以 browser_ 開頭。',
  },
  credits: { type: 'integer', zh: '點數', doc: 'Credits charged.', docZh: '扣除的點數。' },
  rows: { type: 'integer', zh: '列數', doc: 'Rows in the response.', docZh: '回應的列數。' },
}

/** Lists the account's charged answers, newest first, in any format. */
export function createUsageLedger({ catalog, control, clock }: AccountDeps & { readonly catalog: Catalog }) {
  const idOf = idsBySlug(catalog)
  return async (caller: AccountCaller, { window: name, format, bom, ...filter }: LedgerInput): Promise<LedgerPage> => {
    const window = usageWindow(name, clock())
    const { entries, more } = await control.usageEntries.page(caller.accountId, { ...filter, window })
    const data = entries.map(({ requestId, at, dataset: slug, keyId, credits, rows }) => ({
      request_id: requestId,
      at,
      dataset: idOf(slug),
      slug,
      key_id: keyId,
      credits,
      rows,
    }))
    const next = more ? entries.at(-1)!.requestId : null
    const facts = { window, row_count: data.length, next_before: next, as_of: taipei(clock()) }
    const frame = [`${JSON.stringify(facts).slice(0, -1)},"data":[`, ']}'] as const
    const body = await openBody(ENCODERS[format].encode(valueRows(COLUMNS, data), frame, { bom }))
    return { body, rows: data.length, next }
  }
}

export type ReadUsageLedger = ReturnType<typeof createUsageLedger>
