import type { Words } from '../../core/index.ts'

/** Why a page does not go on where the one before ended: items may have moved, and be told twice or not at all. */
export const SERVED_ANEW: Words = {
  en: 'Other releases are served than when this cursor was given; leave cursor out to begin anew.',
  zh: '此游標發出後，服務中的版本已更換；請省略 cursor 重新開始。',
}
