/** The release store on disk: manifests, integrity, which release is served, and its lineage. */
export { bucketOf, bucketsFor, ROWS_PER_BUCKET } from './buckets.ts'
export { retainedReleases } from './fallback.ts'
export { type Lineage, publishedOn } from './history.ts'
export { createLineageReader, type Publication } from './line.ts'
export { checksSource, isSourceCheck, readSourceCheck } from './look.ts'
export { Changes, Manifest, Measured, Part, ReleaseId, releasePaths, Source, SourceCheck, Spans, Total } from './manifest.ts'
export { type PastRelease, type Release, readCurrent, readManifest, readRelease, readSpans, type Span, sha256OfText } from './release.ts'
export { openReleases, type Releases } from './releases.ts'
export { sha256Of } from './sha256.ts'
export {
  type DatasetState,
  gapLabels,
  releaseOf,
  SERVING_STATUSES,
  type ServingStatus,
  statesOf,
  statusOf,
  warningLabels,
} from './state.ts'
export { createVerifier } from './verify.ts'
