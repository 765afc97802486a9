/** What a caller can do, one file each: caller and input in, answer and what is known of it out; no HTTP. */
export type { Call, Charge, Meta } from './metering.ts'
export { createQueryFields, type QueryAnswer, type QueryDeps, type QueryFields } from './query-fields.ts'
export { createReadDataset, type ReadAnswer, type ReadDataset, type ReadDeps, type ReadInput, type ReadMeta } from './read-dataset.ts'
export { createSearch, type RunSearch, type SearchAnswer, type SearchDeps, type SearchInput } from './search.ts'
