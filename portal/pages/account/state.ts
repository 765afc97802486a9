import { signal } from '@preact/signals'
import type { Account, ClosedAccount, IssuedKey, Key, Keys } from '../../../clients/typescript/src/index.ts'
import { ask, type Refused } from '../../api/client.ts'
import { forget } from '../../api/use.ts'
import { reloadSession, sessionAnswer } from '../../frame/account.ts'
import { say } from '../../parts/language.ts'

export const KEYS_PATH = '/v2/self-serve/api-keys'
export const WEBHOOKS_PATH = '/v2/self-serve/webhooks'

/** API keys of the account, newest first. Empty while they are loading. */
export const keys = signal<readonly Key[]>([])

/** @returns the refusal, or null */
export async function listKeys(): Promise<Refused | null> {
  const answer = await ask<Keys>({ path: KEYS_PATH })
  if (!answer.ok) return answer.refused
  keys.value = answer.body.data
  return null
}

/** Reads by a page have no key, so their usage is recorded under the id of the browser session. */
export function nameOfKey(id: string): string {
  if (id.startsWith('browser_')) return say({ en: 'pages in a browser', zh: '瀏覽器頁面' })
  const key = keys.value.find(one => one.key_id === id)
  return key ? `${key.name} …${key.last4}` : id
}

/** State of the sign-in. `unknown` means that the session could not be read. */
export const stage = signal<'asking' | 'unknown' | 'nobody' | 'signed_in' | 'closed'>('asking')
export const account = signal<Account | null>(null)
/** API key that the first sign-in created. Set until the user hides the key. */
export const firstKey = signal<IssuedKey | null>(null)
/**
 * True while a signed-in user signs in again to see secrets. The page can show secrets for 15
 * minutes after that sign-in.
 */
export const isProving = signal(false)
export const closed = signal<ClosedAccount | null>(null)
/** Why the account cannot be shown, or why the session cannot be ended. */
export const trouble = signal<Refused | null>(null)

/** Loads the account, and reloads the session in the header if necessary. */
export async function loadAccount(): Promise<void> {
  forget()
  if (stage.value !== 'asking') await reloadSession()
  const session = await sessionAnswer()
  if (!session.ok) {
    trouble.value = session.refused
    stage.value = 'unknown'
    return
  }
  if (!session.body.signed_in) {
    trouble.value = null
    account.value = null
    keys.value = []
    if (stage.value !== 'closed') stage.value = 'nobody'
    return
  }
  const answer = await ask<Account>({ path: '/v2/self-serve/account' })
  trouble.value = answer.ok ? null : answer.refused
  if (answer.ok) account.value = answer.body
  stage.value = 'signed_in'
}

/** Ends the session. Sets `trouble` if this fails. */
export async function signOut(): Promise<void> {
  firstKey.value = null
  const answer = await ask({ path: '/v2/self-serve/browser-session', method: 'DELETE' })
  if (answer.ok) await loadAccount()
  else trouble.value = answer.refused
}
