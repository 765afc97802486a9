/** OpenAPI and llms.txt, generated from endpoint declarations. */
export { type Documented, type OpenApi, type Operation, operationsOf, type Parameter, referencePath, responsesIn } from './document.ts'
export type { JsonSchema } from './json-schema.ts'
export { llmsIndex, llmsWhole } from './llms.ts'
export { openApi } from './openapi.ts'
export { refusalExample } from './refusals.ts'
export { collectRoutes, type DescribedRoute } from './routes.ts'
export { EXPOSED, GROUPS } from './vocabulary.ts'
