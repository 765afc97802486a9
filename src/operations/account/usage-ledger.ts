import type { Catalog, Column, Format } from '../../../catalog/index.ts'
import { taipei } from '../../core/index.ts'
import { type Body, ENCODERS, openBody, valueRows } from '../../formats/index.ts'
import { type EntryFilter, usageWindow } from '../../usage/index.ts'
import type { AccountCaller, AccountDeps } from './callers.ts'
import { idsBySlug } from './usage.ts'

export interface LedgerInput extends Omit<EntryFilter, 'window'> {
  /** Matches `WINDOW_PATTERN`. */
  readonly window: string
  readonly format: Format
  readonly bom: boolean
}

export interface LedgerPage {
  readonly body: Body
  readonly rows: number
  /** Null on the last page. */
  readonly next: string | null
}

const COLUMNS: Readonly<Record<string, Column>> = {
  request_id: {
    type: 'text',
    zh: '請求編號',
    doc: 'Id of the response, as in its X-Request-Id header; id of the entry for a grant or refund.',
    docZh: '回應的識別碼，與 X-Request-Id 標頭相同；贈點或退點時為該筆紀錄的識別碼。',
  },
  at: { type: 'timestamp', zh: '時間', doc: 'Time of the read, grant or refund.', docZh: '受理讀取、贈點或退點的時間。' },
  dataset: {
    type: 'text',
    zh: '資料集代號',
    doc: 'Id of the dataset or product; credits for a grant.',
    docZh: '資料集或產品的代號；贈點時為 credits。',
  },
  slug: {
    type: 'text',
    zh: '資料集名稱',
    doc: 'Slug of the dataset or product in paths; credits for a grant.',
    docZh: '資料集或產品在路徑中的名稱；贈點時為 credits。',
  },
  key_id: {
    type: 'text',
    nullable: true,
    zh: '金鑰識別碼',
    doc: 'API key of the read. Starts with browser_ for a signed-in browser; null for a grant.',
    docZh: '讀取所用的金鑰；已登入的瀏覽器以 browser_ 開頭；贈點時為空值。',
  },
  credits: { type: 'integer', zh: '點數', doc: 'Credits charged.', docZh: '扣除的點數。' },
  rows: { type: 'integer', zh: '列數', doc: 'Rows in the response.', docZh: '回應的列數。' },
  kind: {
    type: 'text',
    zh: '類別',
    doc: 'use for a charged read; grant or refund for credits that the operator gave.',
    docZh: 'use 為計費讀取；grant 為營運者贈點，refund 為退點。',
  },
  credited: { type: 'integer', zh: '存入點數', doc: 'Credits granted or refunded.', docZh: '贈送或退還的點數。' },
  reason: {
    type: 'text',
    nullable: true,
    zh: '原因',
    doc: 'Reason of a grant or refund; else null.',
    docZh: '贈點或退點的原因；其餘為空值。',
  },
  refunded_request_id: {
    type: 'text',
    nullable: true,
    zh: '退點的請求',
    doc: 'Request id of the refunded read; else null.',
    docZh: '退點讀取的請求編號；其餘為空值。',
  },
}

/** Newest first. */
export function createUsageLedger({ catalog, control, clock }: AccountDeps & { readonly catalog: Catalog }) {
  const idOf = idsBySlug(catalog)
  return async (caller: AccountCaller, { window: name, format, bom, ...filter }: LedgerInput): Promise<LedgerPage> => {
    const window = usageWindow(name, clock())
    const { entries, more } = await control.usageEntries.page(caller.accountId, { ...filter, window })
    const data = entries.map(({ requestId, at, dataset: slug, keyId, credits, rows, kind, credited, reason, refundedId }) => ({
      request_id: requestId,
      at,
      dataset: idOf(slug),
      slug,
      key_id: keyId,
      credits,
      rows,
      kind,
      credited,
      reason,
      refunded_request_id: refundedId,
    }))
    const next = more ? entries.at(-1)!.requestId : null
    const facts = { window, row_count: data.length, data_count: data.length, next_before: next, as_of: taipei(clock()) }
    const frame = [`${JSON.stringify(facts).slice(0, -1)},"data":[`, ']}'] as const
    const body = await openBody(ENCODERS[format].encode(valueRows(COLUMNS, data), frame, { bom }))
    return { body, rows: data.length, next }
  }
}

export type ReadUsageLedger = ReturnType<typeof createUsageLedger>
