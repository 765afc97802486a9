/** Computes derived datasets and columns after their inputs are published. */
export { publishAdjusted } from './adjusted-prices.ts'
export { computedFrom, followUps, isFollowed, type Outdated, outdated } from './follow-ups.ts'
