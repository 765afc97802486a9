import type { Example, Group } from '../kernel/index.ts'
import type { JsonSchema } from './json-schema.ts'

/** A request value outside the body. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

/** What comes of a request. */
export interface Response {
  readonly description: string
  readonly headers?: JsonSchema
  /** Absent where nothing is sent. */
  readonly content?: Readonly<Record<string, Content>>
}

/** A body, sent or answered, of one media type. */
interface Content {
  readonly schema: JsonSchema
  readonly example?: unknown
  /** By name, each a reference to one of the document's examples. */
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>
}

/** One method of one path. */
export interface Operation {
  readonly operationId: string
  readonly tags: readonly [Group]
  readonly summary: string
  readonly description: string
  readonly 'x-credits'?: number
  /** What the price goes by where it is not one for all answers. */
  readonly 'x-credits-by'?: 'rows' | 'dataset'
  readonly 'x-minimum-plan'?: string
  /** A request that is answered 200 with nothing but the credential; absent where none can be. */
  readonly 'x-example-request'?: Example
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> }
  /** By status; refusals refer to responses of the document. */
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
}

/** The parts of the document that are read again, for the reference and by tests. */
export interface OpenApi extends JsonSchema {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
  } & JsonSchema
}

/** The responses of an operation by status, references followed. */
export const responsesIn = ({ components }: OpenApi, { responses }: Operation): Readonly<Record<string, Response>> =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      '$ref' in response ? components.responses[response.$ref.split('/').at(-1)!]! : response,
    ]),
  )

/** One documented operation, with where it is. */
export interface Documented {
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** Every operation of the document, in its order. */
export const operationsOf = ({ paths }: OpenApi): readonly Documented[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

/** The page of an operation in the reference, or of its group where it names no operation. */
export const referencePath = ({ tags: [group], operationId }: Pick<Operation, 'tags'> & Partial<Pick<Operation, 'operationId'>>): string =>
  ['/docs/reference', group.replaceAll('_', '-'), ...(operationId === undefined ? [] : [operationId])].join('/')
