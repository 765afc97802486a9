import type { Example, Group } from '../kernel/index.ts'
import type { JsonSchema } from './json-schema.ts'

/** A header, or a parameter of the path or the query. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

export interface Response {
  readonly description: string
  readonly headers?: JsonSchema
  /** Absent if there is no body. */
  readonly content?: Readonly<Record<string, Content>>
}

interface Content {
  readonly schema: JsonSchema
  readonly example?: unknown
  /** References, by name. */
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly [Group]
  readonly summary: string
  readonly description: string
  readonly 'x-credits'?: number
  /** Absent if all responses have the same price. */
  readonly 'x-credits-by'?: 'rows' | 'dataset'
  readonly 'x-minimum-plan'?: string
  /** A request that needs only a credential and returns 200. */
  readonly 'x-example-request'?: Example
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> }
  /** By status. Refusals are references to shared responses. */
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
}

/** Contains only the parts that the reference and tests read. */
export interface OpenApi extends JsonSchema {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
  } & JsonSchema
}

/** By status, with references resolved. */
export const responsesIn = ({ components }: OpenApi, { responses }: Operation): Readonly<Record<string, Response>> =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      '$ref' in response ? components.responses[response.$ref.split('/').at(-1)!]! : response,
    ]),
  )

export interface Documented {
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** In the order of the document. */
export const operationsOf = ({ paths }: OpenApi): readonly Documented[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

/** Without an operation, returns the page of the group. */
export const referencePath = ({ tags: [group], operationId }: Pick<Operation, 'tags'> & Partial<Pick<Operation, 'operationId'>>): string =>
  ['/docs/reference', group.replaceAll('_', '-'), ...(operationId === undefined ? [] : [operationId])].join('/')
