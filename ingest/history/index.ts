/** Releases as history: what tells two of them apart, which are kept for good, and which are let go. */

export { diffReleases } from './diff.ts'
export { DIFFERENCES, type DifferenceKind, type DifferenceSummary, type Differences, type DifferingRow } from './differences.ts'
