/** Shared by all routes: endpoint declarations, parsing, credentials, refusals, shutdown. */

export { dispositionOf, FORMAT_PARAMS, formatOf } from './accepted-format.ts'
export { type AdmissionDeps, type Callers, LONGEST_SIGNATURE, type Looker } from './admission.ts'
export {
  type Answered,
  answered,
  codedSoFar,
  encoded,
  type Headers,
  headersAlone,
  type Immutable,
  inProtocol,
  keepable,
  notFound,
  sharedView,
  unchanged,
  unready,
} from './answer.ts'
export { forgetToken, keepToken } from './browser.ts'
export { type ByteRange, rangeOf } from './byte-range.ts'
export { answersOn, boundConnections } from './connections.ts'
export { shareAcrossOrigins } from './cross-origin.ts'
export { DRY_RUN_PARAM, DRY_RUN_TYPE, DryRunAnswer, dryRunAnswer, isDryRun, SqlDryRunAnswer } from './dry-run.ts'
export { type Caller, type Endpoint, type Example, type Group, isTagged, type LeastPlan } from './endpoint.ts'
export { asRefusal, handleErrors, OURS } from './errors.ts'
export { type QueryOf, readQuery, type SentQuery } from './input.ts'
export { keepAnswers } from './kept-answers.ts'
export { labelList } from './labels.ts'
export { type Listener, type OverAnswer, openListener } from './listener.ts'
export { acceptable } from './negotiation.ts'
export { choice, datasetName, day, flag, formed, instant, integer, list, pattern, requiredChoice, requiredText, text } from './params.ts'
export { errorBody, FORM_VARIES, formFor, languageNamed, PLAIN_FORM, refusalHeaders } from './refusal-form.ts'
export { releaseHeaders } from './release-headers.ts'
export { checkShape, createProxyWarning } from './request-shape.ts'
export { oneOfWords, requires, unmet } from './requirements.ts'
export { type Checks, type Handler, type Route, type RouteCall, route, serveRoutes } from './route.ts'
export { calendarDay, count, DATASET_NAMES, LIMITS, MINOR_UNITS, money, namedCall, PlanName, REPEATABLE, timestamp } from './values.ts'
