/** Reads of one dataset, from parameters to the encoded answer. */

export { type Answers, createAnswers, type MadeAnswer } from './answers.ts'
export { type AsOf, parseAsOf, readAsOf, settledAsOf } from './as-of.ts'
export { MOST_BINS } from './bins.ts'
export { EMPTY_REASONS, type EmptyReason, emptyReason } from './empty.ts'
export { readWarnings } from './envelopes/answer.ts'
export { countRows, estimateRead } from './estimate.ts'
export { etagOf } from './etag.ts'
export { type BoundFilter, clip, fault, fullMatch, LONGEST_VALUE, readValues, repeated, WITH_COMMAS } from './filters.ts'
export {
  bomWithoutCsv,
  COMMON_PARAMS,
  DEFAULT_LIMIT,
  defaultLimit,
  ENVELOPE_FORMS,
  MOST_OFFSET,
  MOST_ROWS,
  notAcceptable,
  type ReadParams,
} from './params.ts'
export { chooseParts, maxMatchingRows, partsMatching } from './parts.ts'
export { MOST_PROFILED, planProfile, planRead, type ReadLimits, type ReadPlan } from './plan.ts'
export { createPreparedReads } from './prepared-read.ts'
export { type ColumnProfile, MOST_VALUES, profileRows, type RowsProfile } from './profile.ts'
export { answerOf, encodeBody, estimatedBytes, type FetchedPage, fetchPage, maxRows, type ReadContext } from './read.ts'
export { firstUpTo } from './slice.ts'
export { dayNumber } from './sort-rows.ts'
export type { KnownSymbols, SimilarSymbol, UnknownSymbol } from './unknown-symbols.ts'
