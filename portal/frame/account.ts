import type { WhoLooks } from '../../clients/typescript/src/index.ts'
import { type Answer, ask, creditsLeft } from '../api/client.ts'
import { number, say } from '../parts/language.ts'

let session: Promise<Answer<WhoLooks>> | undefined

export function sessionAnswer(): Promise<Answer<WhoLooks>> {
  session ??= ask<WhoLooks>({ path: '/v2/self-serve/browser-session' }, undefined, globalThis.sessionResponse)
  // The body of a response can be read only once.
  globalThis.sessionResponse = undefined
  return session
}

/** Returns the session. Null if the session cannot be read. */
export const browserSession = (): Promise<WhoLooks | null> => sessionAnswer().then(answer => (answer.ok ? answer.body : null))

/** Shows the user and the remaining credits, or a link to the sign-in. */
export async function showAccount(link: HTMLAnchorElement): Promise<void> {
  const who = await browserSession()
  link.title = who?.email ?? ''
  if (!who?.signed_in) {
    // If the session cannot be read, the user may still be signed in. The link therefore does not
    // say "Sign in".
    link.textContent = who === null ? say({ en: 'Account', zh: '帳戶' }) : say({ en: 'Sign in', zh: '登入' })
    return
  }
  const credits = creditsLeft.value ?? who.credits_left
  const left = credits === null ? '' : ` · ${number(credits, 0)} ${say({ en: 'credits', zh: '點' })}`
  link.textContent = `${shortened(who.email ?? say({ en: 'Account', zh: '帳戶' }))}${left}`
}

const MOST_CHARACTERS = 22

/** Not shortened by CSS, which would leave a gap of up to a character before the credits. */
const shortened = (name: string): string => (name.length > MOST_CHARACTERS ? `${name.slice(0, MOST_CHARACTERS - 1)}…` : name)

/** Reads the session again and updates the header. Call it after the session may have changed. */
export async function reloadSession(): Promise<WhoLooks | null> {
  session = undefined
  creditsLeft.value = null
  await showAccount(document.querySelector<HTMLAnchorElement>('#account')!)
  return browserSession()
}
