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

/** RFC 3339 may name a moment that has no day in Taipei: years end with 9999. */
const END_OF_YEARS = {
  en: 'must lie before the year 10000 in Taipei; leave it out where the grant is not to end',
  zh: '必須早於臺北時間西元 10000 年；若授予不設期限，請省略',
}

const grant = (clock: Clock) =>
  ({
    group: 'administration',
    caller: 'admin_token',
    summary: 'Grant a plan to an e-mail address',
    summaryZh: '授予方案',
    description:
      'Sets the plan in place of any granted before, free of charge, and issues a key at once; the account is made where there is none. A higher plan that is paid for stays in force. A grant with an end takes effect until then, and its end is told by mail a week before. On record.',
    body: z
      .strictObject({
        email: Address.meta({
          description: 'One plain address.',
          wire: ADDRESS_FORM,
          example: 'analyst@example.com',
        }),
        plan_id: PlanName,
        note: z.string().max(500).optional().meta({ description: 'Why; kept on record, shown to nobody.', example: 'conference' }),
        expires_at: z.iso
          .datetime({ offset: true })
          .refine(end => Number.isNaN(Date.parse(end)) || isDay(taipeiDay(new Date(end))), requires(END_OF_YEARS, 'range'))
          .optional()
          .meta({ description: 'When the grant ends, with an offset; never when left out.', example: '2099-12-31T23:59:59+08:00' }),
      })
      // The operation refuses an end that is past, so that a call which is repeated is answered as before; here it is listed beside other mistakes.
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
  description: 'A missing or wrong header is answered as a path that does not exist.',
  refusals: ['unknown_path'],
  example: {},
} as const

const STATE = {
  ...DIAGNOSTICS,
  caller: 'diagnostics_secret',
  summary: 'The state file, the verification of releases, the rows in memory and the processes beside the service',
  summaryZh: '狀態檔與資料驗證診斷',
  answer: StateDiagnostics,
} satisfies Endpoint

const CONFIG = {
  ...DIAGNOSTICS,
  caller: 'diagnostics_probe',
  summary: 'The settings in force, without secrets',
  summaryZh: '設定診斷',
  answer: ConfigDiagnostics,
} satisfies Endpoint

/** For the service's owner: a plan without charge, and facts about the running service. Without their header the latter do not exist. */
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
