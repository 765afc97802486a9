import { z } from 'zod'
import { type AccountDeps, createBrowserSessions } from '../../../operations/index.ts'
import { answered, type Endpoint, forgetToken, keepToken, type Route, route } from '../../kernel/index.ts'
import { WhoLooks } from './schemas.ts'

const PATH = '/v2/self-serve/browser-session'
const SELF_SERVE = { group: 'self_serve', answer: WhoLooks, whileSuspended: true } as const

const OPEN = {
  ...SELF_SERVE,
  caller: 'self_serve_token',
  summary: 'Store the session in the browser',
  summaryZh: '讓瀏覽器保留登入狀態',
  description:
    'Sets a cookie with the session token. The cookie is not readable by scripts, is not sent with requests from other sites, and expires with the session. Portal pages send `x-portal: 1` instead of a token or key.',
} as const satisfies Endpoint

const LOOK = {
  ...SELF_SERVE,
  caller: 'browser',
  summary: 'Session of this browser',
  summaryZh: '查詢此瀏覽器的登入狀態',
  description:
    'Returns the session of this browser, if there is one. `visitor` describes the data available without an account. Deletes the cookie of an ended session.',
  example: { headers: { 'x-portal': '1' } },
  headers: z.object({
    'x-portal': z.string().optional().meta({
      description: 'Value `1` makes the service read the session cookie. The service ignores cookies without this header.',
      example: '1',
    }),
  }),
} as const satisfies Endpoint

const END = {
  ...SELF_SERVE,
  caller: 'self_serve_token',
  summary: 'Sign out',
  summaryZh: '登出',
  description: 'Ends the session on all devices and deletes the cookie. API keys are not affected.',
} as const satisfies Endpoint

/** Scripts cannot read the token of the session. */
export function browserSessionRoutes(
  deps: AccountDeps & { readonly origin: () => string },
): readonly Route<'browser' | 'self_serve_token'>[] {
  const sessions = createBrowserSessions(deps)
  const forgetting = () => ({ 'set-cookie': forgetToken(deps.origin()) })
  return [
    route(`POST ${PATH}`, OPEN, ({ caller }) => {
      const { view, seconds } = sessions.open(caller)
      return answered(view, { headers: { 'set-cookie': keepToken(caller.token, seconds, deps.origin()) } })
    }),
    route(`GET ${PATH}`, LOOK, ({ caller: { signedIn, isOver } }) =>
      answered(sessions.view(signedIn), { headers: isOver ? forgetting() : {} }),
    ),
    route(`DELETE ${PATH}`, END, ({ caller }) => answered(sessions.end(caller), { headers: forgetting() })),
  ]
}
