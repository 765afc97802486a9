/** Field queries: single values of many entities, as of a day. */
export { answerFields } from './answer.ts'
export { fieldsNamed, requirePlan } from './entitled.ts'
export { queryExamples } from './examples.ts'
export { fieldList } from './list.ts'
export { MISSING_REASONS, type MissingReason } from './missing.ts'
export { type NewestFacts, openNewestFacts } from './newest.ts'
export { type FieldQuery, MOST_ENTITIES, type QueryParams, readFieldQuery } from './request.ts'
