import type { Words } from '../../core/index.ts'

/** An old cursor is refused, because the next page could skip or repeat items. */
export const RELEASES_CHANGED: Words = {
  en: 'The served releases changed after this cursor was issued. Omit cursor to start over.',
  zh: '此游標發出後，服務中的版本已更換。請省略 cursor 重新開始。',
}
