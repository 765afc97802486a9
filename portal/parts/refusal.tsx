import type { ComponentChildren } from 'preact'
import type { Refused } from '../api/client.ts'
import { say } from './language.ts'

/**
 * Says why the API refused, and by which name support finds the request. Nothing without a refusal.
 *
 * @param children what can be done about it
 */
export function Refusal({ of: refused, children }: { readonly of: Refused | null; readonly children?: ComponentChildren }) {
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
