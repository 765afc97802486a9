/** Datasets computed from others, and derived columns computed again, once what they depend on is published. */
export { publishAdjusted } from './adjusted-prices.ts'
export { computedFrom, followUps, isFollowed, type Outdated, outdated } from './follow-ups.ts'
