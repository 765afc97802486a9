/**
 * Facts about the security of the page, which the server writes into the head: the names, and the
 * datasets without rows of the security. Empty on other pages.
 */
const facts = document.querySelector<HTMLMetaElement>('meta[name=security]')?.dataset

/** Chinese name of the page's security. Null if unknown. */
export const securityName: string | null = facts?.['zh'] ?? null

/** English name of the page's security. Null if it has none. */
export const securityEnglishName: string | null = facts?.['en'] ?? null

/** Slugs of the datasets that have no rows of the page's security. */
export const withoutRows: ReadonlySet<string> = new Set(facts?.['empty']?.split(' '))
