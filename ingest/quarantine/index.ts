/** Refused files: accept or discard them. */
export { type Accepted, acceptKept, discardKept, rulesFor } from './settle.ts'
