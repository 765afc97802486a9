/** Copies releases of another service: each file by its sha256, served only when complete. */

export { datasetsToPull } from './listing.ts'
export { type Pulled, pullDataset } from './pull.ts'
export { type Asking, missingIn, neededIn, openRemote, type Remote, type RemoteOptions } from './remote.ts'
