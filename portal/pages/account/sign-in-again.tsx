import { say } from '../../parts/language.ts'
import { isProving } from './state.ts'

/**
 * Starts a new sign-in for a signed-in user. Secrets can be shown for 15 minutes after a sign-in.
 */
export function SignInAgain() {
  return (
    <p>
      <button type="button" class="primary" onClick={() => (isProving.value = true)}>
        {say({ en: 'Sign in again', zh: '重新登入' })}
      </button>
    </p>
  )
}
