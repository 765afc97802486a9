/**
 * Prefix of the key row that records reads of signed-in browsers. The row has no secret, so it
 * admits no caller.
 */
const BROWSER_PREFIX = 'browser_'

/** Id of an account's browser row: the account id with another prefix. */
export const browserIdOf = (accountId: string): string => `${BROWSER_PREFIX}${accountId.slice(accountId.indexOf('_') + 1)}`

/** SQL condition: the row is an API key and not a browser row. */
export const IS_API_KEY = `id NOT GLOB '${BROWSER_PREFIX}*'`
