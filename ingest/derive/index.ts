/** Computes derived datasets and columns after their inputs are published. */
export { publishAdjusted } from './adjusted-prices.ts'
export { inComputingOrder, publishComputed } from './computed.ts'
export { type Computed, declarationFault, isComputed } from './declaration.ts'
export { computedFrom, followServed, followUps, isFollowed, type Outdated, outdated, retaining } from './follow-ups.ts'
