import { Refusal, type Words } from '../../../core/index.ts'

export interface Page {
  readonly maxResults: number
  readonly pageToken: string | null
}

const OTHER_TOKEN: Words = {
  en: 'The pageToken is invalid or belongs to another list. Send nextPageToken unchanged, or omit it to start over.',
  zh: 'pageToken 無效，或屬於另一份清單。請原樣傳送 nextPageToken，或省略以重新開始。',
}

/**
 * The token identifies the next item, so that new items do not shift later pages.
 * @throws Refusal invalid_cursor for an unknown token
 */
export function pageOf<T extends { readonly name: string }>(all: readonly T[], { maxResults, pageToken }: Page) {
  const tokenOf = ({ name }: T): string => Buffer.from(name).toString('base64url')
  const from = pageToken === null ? 0 : all.findIndex(item => tokenOf(item) === pageToken)
  if (from === -1) throw new Refusal('invalid_cursor', {}, OTHER_TOKEN)
  const next = all[from + maxResults]
  return { items: all.slice(from, from + maxResults), ...(next && { nextPageToken: tokenOf(next) }) }
}
