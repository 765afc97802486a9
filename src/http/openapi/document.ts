import type { Example, Group } from '../kernel/index.ts'
import type { JsonSchema } from './json-schema.ts'

/** A request value that is not in the body. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

/** A response to a request. */
export interface Response {
  readonly description: string
  readonly headers?: JsonSchema
  /** Absent if there is no body. */
  readonly content?: Readonly<Record<string, Content>>
}

/** A request or response body of one media type. */
interface Content {
  readonly schema: JsonSchema
  readonly example?: unknown
  /** Examples by name, as references to examples of the document. */
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>
}

/** One method of one path. */
export interface Operation {
  readonly operationId: string
  readonly tags: readonly [Group]
  readonly summary: string
  readonly description: string
  readonly 'x-credits'?: number
  /** Basis of the price, if the price is not the same for all responses. */
  readonly 'x-credits-by'?: 'rows' | 'dataset'
  readonly 'x-minimum-plan'?: string
  /** A request that returns 200 and needs only the credential. Absent if there is none. */
  readonly 'x-example-request'?: Example
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> }
  /** Responses by status. Refusals refer to responses of the document. */
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
}

/** The parts of the document that the reference and tests read. */
export interface OpenApi extends JsonSchema {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
  } & JsonSchema
}

/** The responses of an operation by status, with references resolved. */
export const responsesIn = ({ components }: OpenApi, { responses }: Operation): Readonly<Record<string, Response>> =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      '$ref' in response ? components.responses[response.$ref.split('/').at(-1)!]! : response,
    ]),
  )

/** One documented operation, with its method and path. */
export interface Documented {
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** All operations of the document, in order. */
export const operationsOf = ({ paths }: OpenApi): readonly Documented[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

/** Page of an operation in the reference. Without an operation, the page of its group. */
export const referencePath = ({ tags: [group], operationId }: Pick<Operation, 'tags'> & Partial<Pick<Operation, 'operationId'>>): string =>
  ['/docs/reference', group.replaceAll('_', '-'), ...(operationId === undefined ? [] : [operationId])].join('/')
