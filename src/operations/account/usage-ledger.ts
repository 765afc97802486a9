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
    doc: 'Names the answer, as its header X-Request-Id did.',
    docZh: '回應的代號，與標頭 X-Request-Id 相同。',
  },
  at: { type: 'timestamp', zh: '時間', doc: 'When the read was let in.', docZh: '受理讀取的時間。' },
  dataset: { type: 'text', zh: '資料集代號', doc: 'Id of what was read.', docZh: '所讀取的資料集代號。' },
  slug: { type: 'text', zh: '資料集名稱', doc: 'Its name in paths.', docZh: '在路徑中的名稱。' },
  key_id: {
    type: 'text',
    zh: '金鑰代號',
    doc: 'Key it was read with; browser_ and more for a signed-in browser.',
    docZh: '讀取所用的金鑰；以 browser_ 開頭者為已登入的瀏覽器。',
  },
  credits: { type: 'integer', zh: '點數', doc: 'Credits charged.', docZh: '扣除的點數。' },
  rows: { type: 'integer', zh: '列數', doc: 'Rows in the answer.', docZh: '回應的列數。' },
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
