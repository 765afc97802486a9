/** Releases of another service, copied: each file by its sha256, and none served before it is whole. */

export { datasetsToPull } from './listing.ts'
export { type Pulled, pullDataset } from './pull.ts'
export { type Asking, missingIn, neededIn, openRemote, type Remote, type RemoteOptions } from './remote.ts'
