/** Prefix of a key that records reads of signed-in browsers. The key has no secret. */
const BROWSER_PREFIX = 'browser_'

export const browserIdOf = (accountId: string): string => `${BROWSER_PREFIX}${accountId.slice(accountId.indexOf('_') + 1)}`

/** SQL condition that excludes keys of browsers. */
export const IS_API_KEY = `id NOT GLOB '${BROWSER_PREFIX}*'`
