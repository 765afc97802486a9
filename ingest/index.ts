/** Converts files to published releases. */
export { type Checked, checkFiles } from './check-files.ts'

export { type FetchedFeed, type FetchFeedOptions, fetchFeed } from './fetch-feed.ts'
export { hostsWithoutConsent, newestDueDay, type WantedDays } from './fetch-plan.ts'
export { type FeedFiles, type Ingested, ingestFiles, ingestTogether } from './ingest.ts'
export type { QuarantineChange } from './intake/index.ts'
export { type Published, publishFiles } from './publish-files.ts'
export type { Result } from './read-feed.ts'
