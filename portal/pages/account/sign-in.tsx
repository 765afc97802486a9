import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { CodeSent, SignedIn } from '../../../clients/typescript/src/index.ts'
import { ask, type Refused } from '../../api/client.ts'
import { LANGUAGE, say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { firstKey, isProving, loadAccount } from './state.ts'

const SECOND_MS = 1_000

/**
 * Form for an e-mail address, then for the code in the e-mail.
 *
 * @param address address of a signed-in user who signs in again
 */
export function SignIn({ address = '' }: { readonly address?: string }) {
  const [email, code, sent, refused, busy] = [
    useSignal(address),
    useSignal(''),
    useSignal<CodeSent | null>(null),
    useSignal<Refused | null>(null),
    useSignal(false),
  ]
  const wait = useSignal(0)
  const codeBox = useRef<HTMLInputElement>(null)
  useEffect(() => codeBox.current?.focus(), [sent.value !== null])
  useEffect(() => {
    if (wait.value <= 0) return
    const timer = setTimeout(() => wait.value--, SECOND_MS)
    return () => clearTimeout(timer)
  }, [wait.value])

  const start = async () => {
    busy.value = true
    const body = { email: email.value.trim(), locale: LANGUAGE === 'zh' ? 'zh-TW' : 'en' }
    const answer = await ask<CodeSent>({ path: '/v2/self-serve/onboarding/start', method: 'POST', body })
    busy.value = false
    refused.value = answer.ok ? null : answer.refused
    if (!answer.ok) return
    sent.value = answer.body
    wait.value = answer.body.resend_after
  }

  const complete = async () => {
    busy.value = true
    refused.value = await enter(sent.value!.flow_id, code.value)
    busy.value = false
    code.value = ''
    codeBox.current?.focus()
  }

  if (!sent.value)
    return (
      <form key="start" class="sign-in" onSubmit={onSubmitOf(start)}>
        <label for="email">{say({ en: 'E-mail address', zh: '電子郵件' })}</label>
        <input
          id="email"
          type="email"
          required
          maxLength={254}
          autocomplete="email"
          value={email.value}
          readOnly={address !== ''}
          onInput={event => (email.value = event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={busy.value}>
          {say({ en: 'Send code', zh: '寄送驗證碼' })}
        </button>
        <Refusal refused={refused.value} />
      </form>
    )
  return (
    <form key="complete" class="sign-in" onSubmit={onSubmitOf(complete)}>
      <p role="status">
        {say({
          en: `An eight-digit code was sent to ${email.value}. It is valid for 10 minutes.`,
          zh: `八位數驗證碼已寄往 ${email.value}，10 分鐘內有效。`,
        })}{' '}
        {sent.value.notice}
      </p>
      <label for="code">{say({ en: 'Code', zh: '驗證碼' })}</label>
      <input
        id="code"
        ref={codeBox}
        type="text"
        required
        inputMode="numeric"
        autocomplete="one-time-code"
        pattern="\s*[0-9]{8}\s*"
        title={say({ en: 'Eight digits', zh: '八位數字' })}
        value={code.value}
        onInput={event => (code.value = event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={busy.value}>
        {say({ en: 'Sign in', zh: '登入' })}
      </button>
      <Refusal refused={refused.value} />
      <p>
        <button type="button" disabled={busy.value || wait.value > 0} onClick={() => void start()}>
          {say({ en: 'Send another code', zh: '重新寄送' })}
          {wait.value > 0 ? say({ en: ` (${wait.value} s)`, zh: `（${wait.value} 秒）` }) : ''}
        </button>{' '}
        <button type="button" onClick={() => (sent.value = null)}>
          {say({ en: 'Change address', zh: '更換電子郵件' })}
        </button>
      </p>
    </form>
  )
}

/**
 * Exchanges the code for a session cookie that scripts cannot read. The token is stored nowhere
 * else.
 */
async function enter(flow: string, code: string): Promise<Refused | null> {
  const answer = await ask<SignedIn>({
    path: '/v2/self-serve/onboarding/complete',
    method: 'POST',
    body: { flow_id: flow, code: code.trim() },
  })
  if (!answer.ok) return answer.refused
  const { self_serve_token: token, api_key: key } = answer.body
  const session = await ask({ path: '/v2/self-serve/browser-session', method: 'POST', headers: { 'x-self-serve-token': token } })
  // The key is shown even without a cookie, because it cannot be shown again.
  if (key) firstKey.value = key
  if (!session.ok) return session.refused
  isProving.value = false
  await loadAccount()
  // The form disappears, so the focus must move. It moves to the first key if there is one,
  // otherwise to the page.
  if (!key) document.querySelector<HTMLElement>('#page')!.focus()
  return null
}

/** Returns a handler that submits the form without leaving the page. */
const onSubmitOf = (work: () => Promise<void>) => (event: Event) => {
  event.preventDefault()
  void work()
}
