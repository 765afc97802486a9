/** Files dropped into a folder: looked for, published, and moved away. */
export { dayOfPath } from './day-of-path.ts'
export { type InboxView, type LeftFile, viewInbox, type WaitingFile } from './view.ts'
export { type InboxEvent, type TakenFile, watchInbox } from './watch.ts'
