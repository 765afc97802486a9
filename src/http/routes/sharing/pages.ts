import { Refusal, type Words } from '../../../core/index.ts'

/** A page of a list, as the protocol asks for it. */
export interface Page {
  readonly maxResults: number
  readonly pageToken: string | null
}

const OTHER_TOKEN: Words = {
  en: 'That pageToken is not one of ours, or belongs to another list; send nextPageToken as it was given, or leave it out to begin anew.',
  zh: '此 pageToken 並非由本服務發出，或屬於另一份清單；請原樣傳送 nextPageToken，或省略以重新開始。',
}

/**
 * One page of a list. Its token names the item the next page begins with, so that an item that is added moves no other.
 *
 * @throws Refusal invalid_cursor for a token that names none
 */
export function pageOf<T extends { readonly name: string }>(all: readonly T[], { maxResults, pageToken }: Page) {
  const tokenOf = ({ name }: T): string => Buffer.from(name).toString('base64url')
  const from = pageToken === null ? 0 : all.findIndex(item => tokenOf(item) === pageToken)
  if (from === -1) throw new Refusal('invalid_cursor', {}, OTHER_TOKEN)
  const next = all[from + maxResults]
  return { items: all.slice(from, from + maxResults), ...(next && { nextPageToken: tokenOf(next) }) }
}
