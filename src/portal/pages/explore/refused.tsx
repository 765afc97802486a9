import type { Refused } from '../../api/client.ts'
import { say, to } from '../../parts/language.ts'

/** Refusals that an account, a plan or credits would lift. */
const LIFTED = new Set(['missing_api_key', 'plan_required', 'credits_exhausted', 'visitor_limit', 'session_required'])

/** Why there is no answer, and what to do next. */
export function RefusedNotice({ refused }: { readonly refused: Pick<Refused, 'code' | 'message'> & Partial<Refused> }) {
  const { code, message, requestId = null, retryAfter = null, status } = refused
  return (
    <div class="notice warn" role="alert">
      <p>
        {message} <code>{code}</code>
        {retryAfter === null ? '' : say({ en: ` Try again in ${retryAfter} s.`, zh: ` 請於 ${retryAfter} 秒後再試。` })}
      </p>
      {LIFTED.has(code) || status === 401 || status === 402 ? (
        <p>
          <a href={to('/account')}>{say({ en: 'Sign in, or see plans', zh: '登入或查看方案' })}</a>
        </p>
      ) : null}
      {requestId === null ? null : (
        <p class="dim">
          <small>{requestId}</small>
        </p>
      )}
    </div>
  )
}
