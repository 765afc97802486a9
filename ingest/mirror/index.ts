/**
 * Copies releases of another service. Each file is identified by its sha256, and a release is
 * served only when it is complete.
 */

export { DATA_LIMITS, parseJson } from './bounded-json.ts'
export { datasetsToPull } from './listing.ts'
export { type Pulled, pullDataset } from './pull.ts'
export { type Asking, countIn, missingIn, neededIn, openRemote, type Remote, type RemoteAnswer, type RemoteOptions } from './remote.ts'
export { pullTable, type TableDeps } from './table-log.ts'
