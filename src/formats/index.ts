/** Rows to bytes. */
export { encodeJsonRows } from './json-rows.ts'
export type { Page } from './page.ts'
