/** Computes derived datasets and columns after their inputs are published. */
export { publishAdjusted } from './adjusted-prices.ts'
export { inComputingOrder, publishComputed } from './computed.ts'
export { type Computed, declarationFault, isComputed } from './declaration.ts'
export { computedFrom, followUps, isFollowed, type Outdated, outdated } from './follow-ups.ts'
