/** Files dropped into a folder: looked for, published, and moved away. */
export { type InboxEvent, type TakenFile, watchInbox } from './watch.ts'
