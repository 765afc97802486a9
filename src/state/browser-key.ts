/**
 * Prefix of a key id that identifies reads by a signed-in browser. The row of this key has no
 * secret, so it cannot be used as an API key.
 */
const BROWSER_PREFIX = 'browser_'

/**
 * Returns the id of an account's browser key. It is the account id with `browser_` instead of the
 * prefix `acct_`.
 */
export const browserIdOf = (accountId: string): string => `${BROWSER_PREFIX}${accountId.slice(accountId.indexOf('_') + 1)}`

/** SQL condition that is true for API keys and false for browser keys. */
export const IS_API_KEY = `id NOT GLOB '${BROWSER_PREFIX}*'`
