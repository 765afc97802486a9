/** Field queries: single values of many entities, as of a day. */
export { answerFields, isUnbuilt, type QueryLabels, queryLabels } from './answer.ts'
export { fieldList, queryExamples } from './field-list.ts'
export { MISSING_REASONS, type MissingReason } from './lookup.ts'
export { type NewestFacts, openNewestFacts } from './newest.ts'
export { type FieldQuery, MOST_ENTITIES, type QueryParams, readFieldQuery, requestedFields, requiredPlan, requirePlan } from './request.ts'
export { encodeFields } from './table.ts'
