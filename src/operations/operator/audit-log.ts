import type { Column, Format, Row } from '../../../catalog/index.ts'
import { taipei } from '../../core/index.ts'
import { type Body, ENCODERS, openBody, valueRows } from '../../formats/index.ts'
import type { AuditFilter, AuditRecord } from '../../state/index.ts'
import type { AccountDeps } from '../account/callers.ts'

export interface AuditInput extends AuditFilter {
  readonly format: Format
  readonly bom: boolean
}

export interface AuditPage {
  readonly body: Body
  readonly rows: number
  /** Null on the last page. */
  readonly next: number | null
}

const COLUMNS: Readonly<Record<string, Column>> = {
  id: { type: 'integer', zh: '序號', doc: 'Number of the entry, ascending.', docZh: '紀錄序號，依序遞增。' },
  at: { type: 'timestamp', zh: '時間', doc: 'Time of the action.', docZh: '操作時間。' },
  actor: {
    type: 'text',
    zh: '操作者',
    doc: 'admin for the admin API, operator for a command or the service, else the id of the account.',
    docZh: 'admin 為管理 API，operator 為指令或服務本身，其餘為帳戶識別碼。',
  },
  action: { type: 'text', zh: '動作', doc: 'Name of the action, for example `key revoked`.', docZh: '操作的名稱。' },
  account_id: {
    type: 'text',
    nullable: true,
    zh: '帳戶',
    doc: 'Account that the action concerns; null if there is none.',
    docZh: '相關帳戶；無則為空值。',
  },
  target: {
    type: 'text',
    nullable: true,
    zh: '對象',
    doc: 'Id of the changed object; null for none.',
    docZh: '變更對象的識別碼；無則為空值。',
  },
  request_id: {
    type: 'text',
    nullable: true,
    zh: '請求編號',
    doc: 'Id of the request; null for a command.',
    docZh: '請求編號；由指令執行時為空值。',
  },
  facts: { type: 'json', zh: '內容', doc: 'Further facts of the action, without secrets.', docZh: '操作的其他內容，不含密鑰。' },
}

export const auditEntryView = ({ id, at, actor, action, accountId, target, requestId, facts }: AuditRecord) => ({
  id,
  at,
  actor,
  action,
  account_id: accountId,
  target,
  request_id: requestId,
  facts: JSON.parse(facts) as unknown,
})

export const auditRows = (entries: readonly AuditRecord[]) => valueRows(COLUMNS, entries.map(auditEntryView) as readonly Row[])

/** Newest entry first. */
export const createReadAuditLog =
  ({ control, clock }: Pick<AccountDeps, 'control' | 'clock'>) =>
  async ({ format, bom, ...filter }: AuditInput): Promise<AuditPage> => {
    const { entries, more } = control.audit.page(filter)
    const next = more ? entries.at(-1)!.id : null
    const facts = { row_count: entries.length, data_count: entries.length, next_before: next, as_of: taipei(clock()) }
    const frame = [`${JSON.stringify(facts).slice(0, -1)},"data":[`, ']}'] as const
    const body = await openBody(ENCODERS[format].encode(auditRows(entries), frame, { bom }))
    return { body, rows: entries.length, next }
  }
