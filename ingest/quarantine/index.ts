/** Refused files that are kept: published after all, or let go. */
export { type Accepted, acceptKept, discardKept, rulesFor } from './settle.ts'
