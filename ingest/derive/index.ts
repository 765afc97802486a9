/** Datasets computed from others, and derived columns computed again, once what they depend on is published. */
export { computedFrom, followUp } from './follow-ups.ts'
