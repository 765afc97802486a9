import { say } from '../../parts/language.ts'
import { isProving } from './state.ts'

/** Begins a sign-in of somebody who is signed in: secrets are shown for a quarter of an hour after one. */
export function ProveAnew() {
  return (
    <p>
      <button type="button" class="primary" onClick={() => (isProving.value = true)}>
        {say({ en: 'Sign in again', zh: '重新登入' })}
      </button>
    </p>
  )
}
