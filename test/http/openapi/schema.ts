import type { ErrorObject } from 'ajv'
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { z } from 'zod'

type Schema = Readonly<Record<string, unknown>>

/** The JSON Schema (2020-12) of a documented body. */
export const documented = (schema: z.ZodType): Schema => z.toJSONSchema(schema, { io: 'output', target: 'draft-2020-12' }) as Schema

/**
 * The schema in which unknown keys are errors for all objects that declare properties. Objects
 * without declared properties (maps) stay open.
 */
export function closed(schema: Schema): Schema {
  const [typed, inner] = [schema['additionalProperties'], Object.entries(schema).map(([word, value]) => [word, closedValue(word, value)])]
  const open = typed === undefined || typed === true || (typeof typed === 'object' && typed !== null && Object.keys(typed).length === 0)
  return { ...Object.fromEntries(inner), ...(schema['properties'] !== undefined && open ? { additionalProperties: false } : {}) }
}

/**
 * Keywords whose value is one schema, a list of schemas, or schemas by name. The values of other
 * keywords are data.
 */
const SINGLE = new Set(['items', 'additionalProperties', 'not', 'contains'])
const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const NAMED = new Set(['properties', '$defs', 'patternProperties'])

function closedValue(word: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (SINGLE.has(word)) return closed(value as Schema)
  if (LISTS.has(word)) return (value as readonly Schema[]).map(closed)
  if (NAMED.has(word)) return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, closed(schema as Schema)]))
  return value
}

const where = ({ instancePath, message, params }: ErrorObject): string =>
  [instancePath || '/', message, ...Object.values(params).map(String)].join(' ')

function newAjv(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true, ...options })
  formats.default(ajv)
  return ajv.addVocabulary(['example', 'wire'])
}

const checkWith = (validate: ValidateFunction) => (body: unknown) => (validate(body) ? [] : validate.errors!.map(where))

/**
 * Checks bodies against a declared schema. Unknown keys are errors.
 *
 * @param schema as declared by a route, or JSON Schema of the OpenAPI document
 * @returns the errors of a body
 */
export const checker = (schema: z.ZodType | Schema): ((body: unknown) => readonly string[]) =>
  checkWith(newAjv().compile(closed(schema instanceof z.ZodType ? documented(schema) : schema)))

/**
 * Checks bodies against schemas with references to shared ones. Unknown keys are errors. Shared
 * schemas are compiled once.
 *
 * @param shared schemas by name, referenced as `<id>#/$defs/<name>`
 */
export function sharedChecker(id: string, shared: Schema): (schema: Schema, body: unknown) => readonly string[] {
  // The document is not validated here, because another test does that. Inlined references would
  // compile shared schemas repeatedly.
  const ajv = newAjv({ validateSchema: false, inlineRefs: false, code: { optimize: false } }).addSchema(closed({ $id: id, $defs: shared }))
  const made = new Map<string, (body: unknown) => readonly string[]>()
  return (schema, body) => {
    const text = JSON.stringify(schema)
    const check = made.get(text) ?? checkWith(ajv.compile(closed(schema)))
    made.set(text, check)
    return check(body)
  }
}
