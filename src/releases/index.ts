/** The release store on disk: manifests, parts, integrity, the served release and its ancestors. */

export { checksSource, isSourceCheck, readSourceCheck, silentDaysOf } from './completeness.ts'
export { type FileBytes, OPEN_FILE_BYTES, openFileBytes } from './file-bytes.ts'
export {
  readCurrent,
  readManifest,
  releasesOnDisk,
  retainedReleases,
  sha256Of,
  sha256OfText,
} from './files.ts'
export { createVerifier } from './integrity.ts'
export { createLineageReader, type Lineage, type LineageEntry, type LineageReader, type Publication, publishedOn } from './lineage.ts'
export { countReleases, type ListedRelease, listReleases, type ReleaseCounts, STANDINGS } from './listing.ts'
export {
  bucketOf,
  bucketsFor,
  Changes,
  Manifest,
  Measured,
  type MonthPart,
  Part,
  type PartFile,
  partFiles,
  RELEASE_FORM,
  ReleaseId,
  type ReleasePaths,
  ROWS_PER_BUCKET,
  releasePaths,
  Source,
  SourceCheck,
  Spans,
  Total,
  Withdrawal,
} from './manifest.ts'
export { createParsedFiles, type ParsedFiles } from './parsed-files.ts'
export { partsOfKey, partsOfKeys } from './parts-of-key.ts'
export { type PastRelease, type Release, readRelease, type Span } from './release.ts'
export {
  type Note,
  type Pin,
  type Retired,
  readRecordOf,
  readRecords,
  recordedReleases,
  recordFile,
} from './release-records.ts'
export { openReleases, type Releases } from './releases.ts'
export { isReplica, markReplica } from './replica.ts'
export type { RetainedFile } from './retained-files.ts'
export { DOCUMENTS, type ReleaseDocument } from './retained-releases.ts'
export { type RowRun, rowRunOf } from './row-runs.ts'
export type { Scrub, ScrubProgress } from './scrub.ts'
export { readSpans } from './spans.ts'
export {
  type DatasetState,
  describedStates,
  gapLabels,
  gapNotes,
  releaseOf,
  SERVING_STATUSES,
  type ServingStatus,
  stateOf,
  statesOf,
  statusOf,
  warningLabels,
} from './state.ts'
export { createWithdrawalReader, withdrawalFile } from './withdrawals.ts'
