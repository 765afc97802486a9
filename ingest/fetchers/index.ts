/** Fetches files of feeds over HTTP, from the sources that the feeds declare. */
export { type Fetcher, type FetcherOptions, openFetcher, type Verdict } from './fetcher.ts'
export { filled, type Period, periodOf, periodsBetween } from './period.ts'
export { createRawCaptures, type RawCapture, type RawCaptures, requestKey } from './raw-captures.ts'
export { type PublicSource, sourceOf } from './sources.ts'
