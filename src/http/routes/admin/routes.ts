import { z } from 'zod'
import { type Clock, isDay, taipeiDay } from '../../../core/index.ts'
import {
  type AccountDeps,
  createDiagnostics,
  createGrantPlan,
  createIdempotentCall,
  type DiagnosticsDeps,
  END_IN_FUTURE,
} from '../../../operations/index.ts'
import { type Endpoint, namedCall, PlanName, REPEATABLE, type Route, requires, route } from '../../kernel/index.ts'
import { ADDRESS_FORM, Address } from '../accounts/sign-in.ts'
import { ConfigDiagnostics, PlanGrant, StateDiagnostics } from './schemas.ts'

/** Some times in 9999 are in the year 10000 in Taipei. */
const END_OF_YEARS = {
  en: 'must be before the year 10000 in Taipei: omit it for a grant without an end',
  zh: '必須早於臺北時間西元 10000 年；若授予不設期限，請省略',
}

const grant = (clock: Clock) =>
  ({
    group: 'administration',
    caller: 'admin_token',
    summary: 'Grant a plan to an e-mail address',
    summaryZh: '授予方案',
    description:
      'Grants the plan free of charge, replaces any earlier grant, and creates a key. Creates an account if the address has none. A higher paid plan stays in effect. The customer receives a mail one week before the end of the grant. The audit log records the action.',
    body: z
      .strictObject({
        email: Address.meta({
          description: 'One e-mail address, without a display name.',
          wire: ADDRESS_FORM,
          example: 'analyst@example.com',
        }),
        plan_id: PlanName,
        note: z
          .string()
          .max(500)
          .optional()
          .meta({ description: 'Reason, stored with the grant and not shown to the owner.', example: 'conference' }),
        expires_at: z.iso
          .datetime({ offset: true })
          .refine(end => Number.isNaN(Date.parse(end)) || isDay(taipeiDay(new Date(end))), requires(END_OF_YEARS, 'range'))
          .optional()
          .meta({ description: 'End of the grant, RFC 3339 with an offset. Default: no end.', example: '2099-12-31T23:59:59+08:00' }),
      })
      // The operation checks the time, too. This check lists the fault together with other faults.
      .refine(({ expires_at: end }) => !(Date.parse(String(end)) <= clock().getTime()), {
        path: ['expires_at'],
        when: ({ value, issues }) => value !== undefined && issues.length > 0,
        ...requires(END_IN_FUTURE, 'range'),
      }),
    headers: REPEATABLE,
    answer: PlanGrant,
    refusals: ['conflict', 'key_not_revealable'],
    example: { body: { email: 'analyst@example.com', plan_id: 'pro', note: 'conference' } },
  }) satisfies Endpoint

const DIAGNOSTICS = {
  group: 'administration',
  description: 'Returns 404 if the credential is missing or wrong, as for an unknown path.',
  refusals: ['unknown_path'],
  example: {},
} as const

const STATE = {
  ...DIAGNOSTICS,
  caller: 'diagnostics_secret',
  summary: 'State file, release verification, rows in memory, and supervised processes',
  summaryZh: '狀態檔與資料驗證診斷',
  answer: StateDiagnostics,
} satisfies Endpoint

const CONFIG = {
  ...DIAGNOSTICS,
  caller: 'diagnostics_probe',
  summary: 'Current settings, without secrets',
  summaryZh: '設定診斷',
  answer: ConfigDiagnostics,
} satisfies Endpoint

/** Without the correct header, diagnostics return 404. */
export function adminRoutes(
  deps: AccountDeps & DiagnosticsDeps,
): readonly Route<'admin_token' | 'diagnostics_secret' | 'diagnostics_probe'>[] {
  const [grantPlan, once, diagnostics] = [createGrantPlan(deps), createIdempotentCall(deps), createDiagnostics(deps)]
  return [
    route('POST /v2/admin/grant-plan', grant(deps.clock), call => {
      const named = namedCall(call, call.caller, 'grant-plan')
      const make = () => grantPlan(call.caller, call.body, call)
      return once(named, ({ account_id: accountId, api_key: key }) => ({ accountId, keyId: key.key_id }), make)
    }),
    route('GET /internal/db-diagnostics', STATE, () => diagnostics.state()),
    route('GET /internal/diagnostics-config', CONFIG, () => diagnostics.config()),
  ]
}
