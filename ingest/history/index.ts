/** Release history: differences between releases, pins, retirement. */

export { type Collection, collectReleases, GRACE_MS, planCollection } from './collect.ts'
export { diffReleases } from './diff.ts'
export { DIFFERENCES, type DifferenceKind, type DifferenceSummary, type Differences, type DifferingRow } from './differences.ts'
export type { Kept, Reason } from './needed.ts'
export { noteRelease, pinRelease, unnoteRelease, unpinRelease } from './records.ts'
