import { z } from 'zod'
import { LABEL_PATTERN, LABEL_WORDS } from '../../../core/index.ts'
import { type AccountDeps, createAdjustCredits, createIdempotentCall } from '../../../operations/index.ts'
import { count, type Endpoint, namedCall, REPEATABLE, type Route, requires, route, timestamp } from '../../kernel/index.ts'
import { Credits } from '../accounts/schemas.ts'

const MAX_CREDITS = 1_000_000_000

const reason = z
  .string()
  .refine(text => LABEL_PATTERN.test(text), requires(LABEL_WORDS, 'pattern'))
  .trim()
  .min(1)
  .max(500)
  .meta({
    description: 'Reason, shown to the customer in the usage ledger. Surrounding spaces are removed.',
    pattern: `(?=.*\\S)${LABEL_PATTERN.source}`,
    example: 'outage of 30 June',
  })

const GivenCredits = z
  .object({
    entry_id: z.string().meta({ description: 'Id of the entry, shown as `request_id` in the usage ledger.' }),
    kind: z.enum(['grant', 'refund']),
    account_id: z.string(),
    at: timestamp('Time of the entry. The credits apply to the calendar month of this time.'),
    credited: count('Number of credits granted or refunded.'),
    reason: z.string(),
    refunded_request_id: z.string().nullable().meta({ description: 'Request id of the refunded read. Null for a grant.' }),
    credits: Credits,
  })
  .meta({ id: 'GivenCredits' })

const COMMON = {
  group: 'administration',
  caller: 'admin_token',
  headers: REPEATABLE,
  answer: GivenCredits,
} as const

const GRANT = {
  ...COMMON,
  summary: 'Grant credits to an account',
  summaryZh: '贈送點數',
  description:
    'Adds credits to the current month, in addition to the credits of the plan. The added credits expire at the end of the month. The usage ledger shows the grant and its reason to the customer. The audit log records the action.',
  body: z.strictObject({
    account: z.string().max(254).meta({ description: 'Account id or e-mail address.', example: 'analyst@example.com' }),
    credits: z.number().int().min(1).max(MAX_CREDITS).meta({ description: 'Number of credits to add.', example: 500 }),
    reason,
  }),
  refusals: ['unknown_id', 'conflict'],
} as const satisfies Endpoint

const REFUND = {
  ...COMMON,
  summary: 'Refund a charged read',
  summaryZh: '退還讀取的點數',
  description:
    'Adds the price of the read to the credits of the current month, even if the read was in an earlier month. A second refund of the same read is refused with `already_refunded`. The usage ledger shows the refund and its reason to the customer. The audit log records the action.',
  body: z.strictObject({
    request_id: z.string().max(100).meta({
      description: 'Request id of the charged read, from X-Request-Id or the usage ledger.',
      example: 'req_01jz0000000123456789abcdef',
    }),
    reason,
  }),
  refusals: ['unknown_id', 'conflict', 'already_refunded'],
} as const satisfies Endpoint

export function creditRoutes(deps: AccountDeps): readonly Route<'admin_token'>[] {
  const [adjust, once] = [createAdjustCredits(deps), createIdempotentCall(deps)]
  const ownerOf = ({ account_id: accountId }: { readonly account_id: string }) => ({ accountId, keyId: null })
  return [
    route('POST /v2/admin/credits/grant', GRANT, call =>
      once(namedCall(call, call.caller, 'credits/grant'), ownerOf, () => adjust.grant(call.caller, call.body, call)),
    ),
    route('POST /v2/admin/credits/refund', REFUND, call =>
      once(namedCall(call, call.caller, 'credits/refund'), ownerOf, () => adjust.refund(call.caller, call.body, call)),
    ),
  ]
}
