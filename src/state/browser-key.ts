/**
 * Key id of reads by signed-in browsers. The row has no secret, so API requests cannot use the key.
 */
const BROWSER_PREFIX = 'browser_'

export const browserIdOf = (accountId: string): string => `${BROWSER_PREFIX}${accountId.slice(accountId.indexOf('_') + 1)}`

/** SQL condition that excludes browser keys. */
export const IS_API_KEY = `id NOT GLOB '${BROWSER_PREFIX}*'`
