import type { ComponentChildren } from 'preact'
import type { Refused } from '../api/client.ts'
import { say } from './language.ts'

const waitText = (seconds: number): string =>
  seconds < 120
    ? say({ en: `${Math.ceil(seconds)} s`, zh: `${Math.ceil(seconds)} 秒` })
    : say({ en: `${Math.ceil(seconds / 60)} min`, zh: `${Math.ceil(seconds / 60)} 分鐘` })

/**
 * Shows the reason for a refusal, and the request id.
 *
 * @param children next steps
 */
export function Refusal({ refused, children }: { readonly refused: Refused | null; readonly children?: ComponentChildren }) {
  if (!refused) return null
  return (
    <div class="notice warn" role="alert">
      <p>{refused.message}</p>
      {refused.retryAfter !== null && refused.retryAfter > 0 && (
        <p>{say({ en: `Try again in ${waitText(refused.retryAfter)}.`, zh: `請於 ${waitText(refused.retryAfter)}後再試。` })}</p>
      )}
      {refused.requestId && (
        <p class="dim">
          {say({ en: 'Request', zh: '請求編號' })} <code>{refused.requestId}</code>
        </p>
      )}
      {children}
    </div>
  )
}
