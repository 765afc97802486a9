/** The seam between accounts and data: a secret goes in, a Grant comes out, usage goes back. Authentication, rate limits, charging. */
export type { Turn, Weight } from './charging.ts'
export type { Floods } from './floods.ts'
export { createGate, type Gate, type Metering, type QuotaStatus } from './gate.ts'
export { createLocalReader } from './local-reader.ts'
export type { FileName, SignedFile } from './signed-files.ts'
export type { VisitorTerms } from './visitors.ts'
