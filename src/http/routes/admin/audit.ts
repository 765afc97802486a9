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
    data_count: count('Same as `row_count`.'),
    next_before: z.int().nullable().meta({ description: 'Value of `before` for the next page. Null on the last page.' }),
    as_of: timestamp('Time of this response.'),
    data: z
      .array(
        z
          .object({
            id: count('Number of the entry, ascending.'),
            at: timestamp('Time of the action.'),
            actor: z
              .string()
              .meta({ description: '`admin` for the admin token, `operator` for a command or the service, otherwise an account id.' }),
            action: z.string().meta({ description: 'Name of the action, for example `key revoked`.', example: 'credits granted' }),
            account_id: z.string().nullable().meta({ description: 'Account that the action concerns. Null if there is none.' }),
            target: z.string().nullable().meta({ description: 'Id of the changed object. Null if it is the account.' }),
            request_id: z.string().nullable().meta({ description: 'Id of the request. Null for a command.' }),
            facts: z.record(z.string(), z.unknown()).meta({ description: 'Further facts, by name. They contain no secrets.' }),
          })
          .meta({ id: 'AuditEntry' }),
      )
      .meta({ description: 'Newest first.' }),
  })
  .meta({ id: 'AuditLog' })

const AUDIT = {
  group: 'administration',
  caller: 'admin_token',
  summary: 'Audit log: actions with actor and time',
  summaryZh: '稽核紀錄',
  description:
    'All administrative actions, and actions of customers on keys, webhooks and their account. Newest first; entries are never deleted.',
  query: z.object({
    account: text(LONGEST_ID, { doc: 'Account id. Returns entries of this account only.' }),
    action: choice(AUDIT_ACTIONS, { doc: 'Returns entries with this action only.' }),
    actor: text(LONGEST_ID, { doc: 'Returns actions of this actor only: `admin`, `operator` or an account id.', example: 'admin' }),
    from: instant({ doc: 'Returns entries at or after this time only.', example: '2026-06-01' }),
    to: instant({ doc: 'Returns entries before this time only.' }),
    before: integer([1, 2 ** 31], null, { doc: 'Entry id. Returns older entries only. Use `next_before` of the previous response.' }),
    limit: integer([1, MAX_ENTRIES], 100, { doc: 'Maximum number of entries to return.' }),
    ...FORMAT_PARAMS,
  }),
  answer: AuditLog,
  formats: true,
  refusals: ['format_not_supported'],
  example: { query: { actor: 'admin', limit: '20' } },
} as const satisfies Endpoint

/** Declares the operator's route for the audit log. */
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
