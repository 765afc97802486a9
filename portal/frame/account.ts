import type { WhoLooks } from '../../clients/typescript/src/index.ts'
import { ask } from '../api/client.ts'
import { number, say } from '../parts/language.ts'

let session: Promise<WhoLooks | null> | undefined

/** Who looks; asked once a page, null where it cannot be told. */
export function whoLooks(): Promise<WhoLooks | null> {
  session ??= ask<WhoLooks>({ path: '/v2/self-serve/browser-session' }).then(answer => (answer.ok ? answer.body : null))
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
export async function lookAgain(): Promise<WhoLooks | null> {
  session = undefined
  await showAccount(document.querySelector<HTMLAnchorElement>('#account')!)
  return whoLooks()
}
