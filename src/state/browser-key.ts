/** Begins the id under which reads of a signed-in browser are booked. It stands among the keys and has no secret, so nobody is let in by it. */
const BROWSER = 'browser_'

/** What reads of an account's signed-in browsers are booked under: one id, the account's under another prefix. */
export const browserIdOf = (accountId: string): string => `${BROWSER}${accountId.slice(accountId.indexOf('_') + 1)}`

/** SQL that is true for a key its owner was given. */
export const IS_GIVEN = `id NOT GLOB '${BROWSER}*'`
