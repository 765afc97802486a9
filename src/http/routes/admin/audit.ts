import { z } from 'zod'
import { ENCODERS } from '../../../formats/index.ts'
import { type AccountDeps, createReadAuditLog } from '../../../operations/index.ts'
import { AUDIT_ACTIONS } from '../../../state/index.ts'
import {
  choice,
  count,
  dispositionOf,
  type Endpoint,
  encoded,
  FORMAT_PARAMS,
  formatOf,
  instant,
  integer,
  type Route,
  route,
  text,
  timestamp,
} from '../../kernel/index.ts'
import { linkToOlder } from '../accounts/usage-query.ts'

const LONGEST_ID = 100
const MAX_ENTRIES = 10_000
const PATH = '/v2/admin/audit'

const AuditLog = z
  .object({
    row_count: count('Number of entries in this response.'),
    data_count: count('Number of entries in this response, equal to `row_count`.'),
    next_before: z.int().nullable().meta({ description: 'Value of `before` for the next page. Null on the last page.' }),
    as_of: timestamp('Time of this response.'),
    data: z
      .array(
        z
          .object({
            id: count('Id of the entry. Later entries have higher ids.'),
            at: timestamp('Time of the action.'),
            actor: z
              .string()
              .meta({ description: 'Actor of the action: `admin` (admin token), `operator` (a command or the service) or an account id.' }),
            action: z.string().meta({ description: 'Name of the action, for example `key revoked`.', example: 'credits granted' }),
            account_id: z
              .string()
              .nullable()
              .meta({ description: 'Id of the account that the action concerns. Null if the action concerns no account.' }),
            target: z.string().nullable().meta({ description: 'Id of the changed object. Null if the account itself was changed.' }),
            request_id: z.string().nullable().meta({ description: 'Id of the request that caused the action. Null for a command.' }),
            facts: z.record(z.string(), z.unknown()).meta({ description: 'Further facts about the action, by name, without secrets.' }),
          })
          .meta({ id: 'AuditEntry' }),
      )
      .meta({ description: 'Entries of the audit log, newest first.' }),
  })
  .meta({ id: 'AuditLog' })

const AUDIT = {
  group: 'administration',
  caller: 'admin_token',
  summary: 'Audit log: actions with actor and time',
  summaryZh: '稽核紀錄',
  description:
    'Lists all administrative actions, and all actions of customers on keys, webhooks and accounts, newest first. Entries are never deleted.',
  query: z.object({
    account: text(LONGEST_ID, { doc: 'Account id. Returns only entries of this account.' }),
    action: choice(AUDIT_ACTIONS, { doc: 'Action whose entries to return.' }),
    actor: text(LONGEST_ID, { doc: 'Actor whose entries to return: `admin`, `operator` or an account id.', example: 'admin' }),
    from: instant({ doc: 'Returns only entries at or after this time.', example: '2026-06-01' }),
    to: instant({ doc: 'Returns only entries before this time.' }),
    before: integer([1, 2 ** 31], null, {
      doc: 'Cursor: `next_before` of the previous page. Returns entries before the entry with this id.',
    }),
    limit: integer([1, MAX_ENTRIES], 100, { doc: 'Maximum number of entries to return.' }),
    ...FORMAT_PARAMS,
  }),
  answer: AuditLog,
  formats: true,
  refusals: ['format_not_supported'],
  example: { query: { actor: 'admin', limit: '20' } },
} as const satisfies Endpoint

export function auditRoutes(deps: Pick<AccountDeps, 'control' | 'clock'>): readonly Route<'admin_token'>[] {
  const read = createReadAuditLog(deps)
  return [
    route(`GET ${PATH}`, AUDIT, async call => {
      const format = formatOf(call)
      const { account: accountId, ...filter } = call.query
      const { body, rows, next } = await read({ ...filter, accountId, format })
      const headers = {
        'x-row-count': rows,
        link: linkToOlder(PATH, call.query, next),
        'content-disposition': dispositionOf(format, 'audit-log'),
      }
      return encoded(body, { headers, encoder: ENCODERS[format] })
    }),
  ]
}
