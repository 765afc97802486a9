import { signal } from '@preact/signals'
import type { Account, ClosedAccount, IssuedKey, Key, Keys } from '../../../clients/typescript/src/index.ts'
import { ask, type Refused } from '../../api/client.ts'
import { forget } from '../../api/use.ts'
import { lookAgain, whoLooks } from '../../frame/account.ts'
import { say } from '../../parts/language.ts'

/** Where the keys of the account are listed and made. */
export const KEYS_PATH = '/v2/self-serve/api-keys'
/** Where the webhook endpoints of the account are listed and made. */
export const WEBHOOKS_PATH = '/v2/self-serve/webhooks'

/** The keys of the account, newest first; empty until they are known. */
export const keys = signal<readonly Key[]>([])

/** Reads the keys anew. @returns why they cannot be read */
export async function listKeys(): Promise<Refused | null> {
  const answer = await ask<Keys>({ path: KEYS_PATH })
  if (!answer.ok) return answer.refused
  keys.value = answer.body.data
  return null
}

/** What a key is called, for those who gave it its name; reads on pages are booked under an id of their own. */
export function nameOfKey(id: string): string {
  if (id.startsWith('browser_')) return say({ en: 'pages in a browser', zh: '瀏覽器頁面' })
  const key = keys.value.find(one => one.key_id === id)
  return key ? `${key.name} …${key.last4}` : id
}

/** Where the page stands. */
export const stage = signal<'asking' | 'nobody' | 'signed_in' | 'closed'>('asking')
export const account = signal<Account | null>(null)
/** The key that came with the first sign-in, until it is put away. */
export const firstKey = signal<IssuedKey | null>(null)
/** True while somebody signed in has to prove it anew: secrets are shown a quarter of an hour after that. */
export const isProving = signal(false)
export const closed = signal<ClosedAccount | null>(null)
/** Why the account cannot be shown, or its session not be ended, although somebody is signed in. */
export const trouble = signal<Refused | null>(null)

/** Reads the account, and anew what the header says of it unless that has just been asked for. */
export async function look(): Promise<void> {
  forget()
  const who = await (stage.value === 'asking' ? whoLooks() : lookAgain())
  if (!who?.signed_in) {
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

/** Ends the session of this browser; where that fails, `trouble` says why. */
export async function signOut(): Promise<void> {
  firstKey.value = null
  const answer = await ask({ path: '/v2/self-serve/browser-session', method: 'DELETE' })
  if (answer.ok) await look()
  else trouble.value = answer.refused
}
