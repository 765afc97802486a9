/** Datasets computed from others once these are published. */
export { computedFrom, type FollowUp, followUp } from './follow-ups.ts'
