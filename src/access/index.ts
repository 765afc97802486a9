/**
 * Admission and metering: authentication, rate limits, concurrency, charging. Turns a key into a
 * Grant.
 */
export type { ReadSlot, Weight } from './charging.ts'
export type { Floods } from './floods.ts'
export { createGate, type Gate, type Metering, type QuotaStatus } from './gate.ts'
export { createLocalReader } from './local-reader.ts'
export type { FileName, SignedFile } from './signed-files.ts'
export type { VisitorTerms } from './visitors.ts'
