import { ask } from '../api/client.ts'
import { number, say } from '../parts/language.ts'

/** Who looks, as the service knows them. */
export interface BrowserSession {
  readonly signed_in: boolean
  readonly email: string | null
  readonly plan: string | null
  readonly credits_left: number | null
  /** What a visitor without an account may read; null where the operator allows none. */
  readonly visitor: { readonly plan: string; readonly row_limit: number } | null
}

let session: Promise<BrowserSession | null> | undefined

/** Who looks; asked once a page, null where it cannot be told. */
export function whoLooks(): Promise<BrowserSession | null> {
  session ??= ask<BrowserSession>({ path: '/v2/self-serve/browser-session' }).then(answer => (answer.ok ? answer.body : null))
  return session
}

/** Says in the header's link who is signed in and what they have left, or that one can sign in. */
export async function showAccount(link: HTMLAnchorElement): Promise<void> {
  const who = await whoLooks()
  if (!who?.signed_in) {
    link.textContent = say({ en: 'Sign in', zh: '登入' })
    return
  }
  const left = who.credits_left === null ? '' : ` · ${number(who.credits_left, 0)} ${say({ en: 'credits', zh: '點' })}`
  link.textContent = `${who.email ?? say({ en: 'Account', zh: '帳戶' })}${left}`
}

/** Asks anew who looks, once that may have changed, and says it in the header. */
export async function lookAgain(): Promise<BrowserSession | null> {
  session = undefined
  await showAccount(document.querySelector<HTMLAnchorElement>('#account')!)
  return whoLooks()
}
