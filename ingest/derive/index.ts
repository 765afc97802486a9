/** Datasets computed from others once these are published. */
export { computedFrom, followUp } from './follow-ups.ts'
