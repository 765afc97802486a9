import { say } from '../../parts/language.ts'
import { isProving } from './state.ts'

/** Signs a signed-in user in again. For the next 15 minutes, the page can show secrets. */
export function SignInAgain() {
  return (
    <p>
      <button type="button" class="primary" onClick={() => (isProving.value = true)}>
        {say({ en: 'Sign in again', zh: '重新登入' })}
      </button>
    </p>
  )
}
