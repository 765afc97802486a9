/**
 * Prefix of the key id under which reads of signed-in browsers are recorded. The key's row has no
 * secret, so it cannot be used as an API key.
 */
const BROWSER_PREFIX = 'browser_'

/**
 * Id of the browser key of an account: the account id, with `browser_` instead of the prefix
 * `acct_`.
 */
export const browserIdOf = (accountId: string): string => `${BROWSER_PREFIX}${accountId.slice(accountId.indexOf('_') + 1)}`

/** SQL condition: the row is an API key, not the key of a browser. */
export const IS_API_KEY = `id NOT GLOB '${BROWSER_PREFIX}*'`
