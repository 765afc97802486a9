import type { WhoLooks } from '../../clients/typescript/src/index.ts'
import { ask } from '../api/client.ts'
import { number, say } from '../parts/language.ts'

let session: Promise<WhoLooks | null> | undefined

/** The browser's session, requested once per page; null if it cannot be read. */
export function browserSession(): Promise<WhoLooks | null> {
  session ??= ask<WhoLooks>({ path: '/v2/self-serve/browser-session' }).then(answer => (answer.ok ? answer.body : null))
  return session
}

/**
 * Shows the signed-in user and the remaining credits in the header's link, or a link to sign in.
 */
export async function showAccount(link: HTMLAnchorElement): Promise<void> {
  const who = await browserSession()
  if (!who?.signed_in) {
    link.textContent = say({ en: 'Sign in', zh: '登入' })
    return
  }
  const left = who.credits_left === null ? '' : ` · ${number(who.credits_left, 0)} ${say({ en: 'credits', zh: '點' })}`
  link.textContent = `${who.email ?? say({ en: 'Account', zh: '帳戶' })}${left}`
}

/** Reads the session again after it may have changed, and updates the header. */
export async function reloadSession(): Promise<WhoLooks | null> {
  session = undefined
  await showAccount(document.querySelector<HTMLAnchorElement>('#account')!)
  return browserSession()
}
