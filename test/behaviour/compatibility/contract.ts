import { writeFileSync } from 'node:fs'
import { type OpenApi, type Operation, operationsOf, responsesIn } from '../../../src/http/openapi/index.ts'
import { clientTypes, TYPES } from '../../clients/typescript-types.ts'
import { service } from '../../support.ts'

/** The accepted contract, one fact per line. `npm run contract` accepts the current one. */
export const CONTRACT = 'test/behaviour/compatibility/contract.txt'

type Schema = Readonly<Record<string, unknown>>

/**
 * Suffix of facts about what a request must contain. Adding such a fact breaks callers. All other
 * facts break callers when they are removed.
 */
const REQUIRED = ' is required'

/**
 * The facts that callers rely on: operations and their credentials; parameters with type and
 * values; request bodies; the fields of each answer with type and whether they are required.
 * Descriptions, examples and bounds are not included.
 */
export function factsOf(api: OpenApi): readonly string[] {
  const facts = operationsOf(api).flatMap(({ method, path, operation }) => factsOfOperation(api, `${method} ${path}`, operation))
  return [...new Set(facts)].sort()
}

/** Facts whose removal or addition breaks callers that rely on the accepted contract. */
export function breaks(accepted: readonly string[], now: readonly string[]): readonly string[] {
  const [before, after] = [new Set(accepted), new Set(now)]
  const gone = accepted.filter(fact => !after.has(fact) && !fact.endsWith(REQUIRED))
  const isAccepted = (fact: string): boolean => accepted.includes(fact.split(' ').slice(0, 2).join(' '))
  const demanded = now.filter(fact => fact.endsWith(REQUIRED) && !before.has(fact) && isAccepted(fact))
  return [...gone.map(fact => `gone: ${fact}`), ...demanded.map(fact => `new: ${fact}`)]
}

function factsOfOperation(api: OpenApi, name: string, operation: Operation): readonly string[] {
  const { parameters = [], requestBody, security } = operation
  const sent = requestBody?.content['application/json']?.schema
  return [
    name,
    `${name} called with ${security.flatMap(Object.keys).sort().join(' or ') || 'nothing'}`,
    ...parameters.flatMap(parameter => {
      const place = `${name} ${parameter.in} ${parameter.name}`
      return [
        `${place}: ${typesOf(alternativesOf(api, parameter.schema, []).map(([shape]) => shape))}`,
        ...valuesOf(parameter.schema).map(value => `${place} takes ${value}`),
        ...(parameter.required ? [place + REQUIRED] : []),
      ]
    }),
    ...(sent ? bodyOf(api, `${name} body`, sent).map(fact => fact.replace(ALWAYS, REQUIRED)) : []),
    ...Object.entries(responsesIn(api, operation)).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([type, { schema }]) => bodyOf(api, `${name} ${status} ${type}`, schema)),
    ),
  ]
}

const ALWAYS = ' is always there'
const valuesOf = ({ enum: values = [] }: Schema): readonly unknown[] => values as readonly unknown[]
/** The name of one of the two schemas of refusals. Undefined for other schemas. */
const refusalName = ({ $ref }: Schema): string | undefined => ['refusal', 'problem'].find(name => $ref === `#/components/schemas/${name}`)

/** Schemas on the path to a field, to detect recursion. A recursive schema is listed once. */
type Way = readonly string[]

/** Alternatives of a schema with resolved references, each with its path. */
function alternativesOf(api: OpenApi, schema: Schema, way: Way): readonly (readonly [Schema, Way])[] {
  const { $ref, anyOf, oneOf } = schema
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!
    return way.includes(name) ? [] : alternativesOf(api, api.components.schemas[name]!, [...way, name])
  }
  const among = (anyOf ?? oneOf) as readonly Schema[] | undefined
  return among ? among.flatMap(one => alternativesOf(api, one, way)) : [[schema, way]]
}

/**
 * JSON types of a value, joined to one text. An added or removed type therefore changes the fact.
 */
const typesOf = (shapes: readonly Schema[]): string => [...new Set(shapes.flatMap(typeOf))].sort().join('|')

function typeOf({ type, const: only, enum: values }: Schema): readonly string[] {
  // A constant null has a second type in its description, which its values never have.
  if (type !== undefined && only !== null) return (Array.isArray(type) ? type : [type]) as readonly string[]
  const allowed = (values as readonly unknown[] | undefined) ?? (only === undefined ? [] : [only])
  return allowed.length === 0 ? ['any'] : allowed.map(value => (value === null ? 'null' : typeof value))
}

/**
 * Fields of a body. Nested fields have their path as name. The fields of the two refusal schemas
 * are listed once, under the name of the schema.
 */
function fieldsOf(api: OpenApi, place: string, schemas: readonly (readonly [Schema, Way])[]): readonly string[] {
  const found = schemas.flatMap(([schema, way]) => alternativesOf(api, schema, way))
  const objects = found.filter(([{ properties }]) => properties !== undefined)
  const names = [...new Set(objects.flatMap(([{ properties }]) => Object.keys(properties as Schema)))]
  const always = (name: string): boolean => objects.every(([{ required = [] }]) => (required as readonly string[]).includes(name))
  const inside = (key: string): typeof schemas =>
    found.flatMap(([shape, way]) => (isSchema(shape[key]) ? [[shape[key], way] as const] : []))
  const [items, rest] = [inside('items'), inside('additionalProperties')]
  return [
    `${place}: ${typesOf(found.map(([shape]) => shape))}`,
    ...names.flatMap(name => {
      const inner = objects.flatMap(([{ properties }, way]) => {
        const schema = (properties as Record<string, Schema>)[name]
        return schema ? [[schema, way] as const] : []
      })
      return [...fieldsOf(api, `${place}.${name}`, inner), ...(always(name) ? [`${place}.${name}${ALWAYS}`] : [])]
    }),
    ...(items.length > 0 ? fieldsOf(api, `${place}[]`, items) : []),
    ...(rest.length > 0 ? fieldsOf(api, `${place}.*`, rest) : []),
  ]
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

/** Facts of a body. Refusals are listed under the name of their schema. */
const bodyOf = (api: OpenApi, place: string, schema: Schema): readonly string[] => {
  const name = refusalName(schema)
  return name === undefined ? fieldsOf(api, place, [[schema, []]]) : [`${place} ${name}`, ...fieldsOf(api, name, [[schema, []]])]
}

// Only if this file is the program. `npm run` starts it through `src/run.mjs`, which imports it.
if (process.argv[1] === import.meta.filename) {
  const s = await service({ examples: false })
  const api = (await s.get('/openapi.json')).json() as OpenApi
  writeFileSync(CONTRACT, `${factsOf(api).join('\n')}\n`)
  writeFileSync(TYPES, clientTypes(api))
  await s.close()
}
