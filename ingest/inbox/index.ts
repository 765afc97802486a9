/** Finds files dropped into a folder, publishes them and moves them to the archive. */
export { dayOfPath } from './day-of-path.ts'
export { type InboxView, type LeftFile, viewInbox, type WaitingFile } from './view.ts'
export { type InboxEvent, type TakenFile, watchInbox } from './watch.ts'
