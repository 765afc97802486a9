/**
 * Prefix of the key row under which reads of signed-in browsers are recorded. The row has no
 * secret, so it cannot be used as a key.
 */
const BROWSER_PREFIX = 'browser_'

/**
 * Id of an account's browser row: the account id, with `browser_` instead of the prefix `acct_`.
 */
export const browserIdOf = (accountId: string): string => `${BROWSER_PREFIX}${accountId.slice(accountId.indexOf('_') + 1)}`

/** SQL condition: the row is an API key, not a browser row. */
export const IS_API_KEY = `id NOT GLOB '${BROWSER_PREFIX}*'`
