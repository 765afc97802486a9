/** Reads of one dataset: parameters → filters → plan → SQL → page → answer. */
export { type Answers, createAnswers, type MadeAnswer } from './answers.ts'
export { EMPTY_REASONS, type EmptyReason } from './empty.ts'
export { estimateRead } from './estimate.ts'
export { etagOf, matchesEtag } from './etag.ts'
export { clip, fault, fullMatch, LONGEST_VALUE, readValues, repeated, WITH_COMMAS } from './filters.ts'
export {
  COMMON_PARAMS,
  DEFAULT_LIMIT,
  defaultLimit,
  ENVELOPE_FORMS,
  MOST_OFFSET,
  MOST_ROWS,
  markWithoutCsv,
  notAcceptable,
  type ReadParams,
} from './params.ts'
export { partsThatHold } from './parts.ts'
export { nextPage, planRead, type ReadPlan } from './plan.ts'
export { type Question, questionOf } from './question.ts'
export { answerOf, encodeAtOnce, encodeBody, type FetchedPage, fetchPage, likelyBytes, pageAtHand } from './read.ts'
