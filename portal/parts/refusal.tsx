import type { ComponentChildren } from 'preact'
import type { Refused } from '../api/client.ts'
import { say } from './language.ts'

/**
 * The reason for a refusal, and the request id for support. Renders nothing without a refusal.
 *
 * @param children next steps
 */
export function Refusal({ refused, children }: { readonly refused: Refused | null; readonly children?: ComponentChildren }) {
  if (!refused) return null
  return (
    <div class="notice warn" role="alert">
      <p>{refused.message}</p>
      {refused.requestId && (
        <p class="dim">
          {say({ en: 'Request', zh: '請求編號' })} <code>{refused.requestId}</code>
        </p>
      )}
      {children}
    </div>
  )
}
