import { writeFileSync } from 'node:fs'
import { type OpenApi, type Operation, operationsOf, responsesIn } from '../../../src/http/openapi/index.ts'
import { clientTypes, TYPES } from '../../clients/typescript-types.ts'
import { service } from '../../support.ts'

/** The published contract as it was last accepted: one fact a line. `npm run contract` accepts today's. */
export const CONTRACT = 'test/behaviour/compatibility/contract.txt'

type Schema = Readonly<Record<string, unknown>>

/** What a request must bring. More of it breaks callers; every other fact breaks them when it goes. */
const REQUIRED = ' is required'

/**
 * The facts callers rely on: operations, who may call them, parameters with type and values, bodies, and of every answer the fields with
 * type and whether they are always there. Sentences, examples and bounds are not among them.
 */
export function factsOf(api: OpenApi): readonly string[] {
  const facts = operationsOf(api).flatMap(({ method, path, operation }) => factsOfOperation(api, `${method} ${path}`, operation))
  return [...new Set(facts)].sort()
}

/** Facts whose loss, or appearance, breaks a caller who was right by the accepted contract. */
export function breaks(accepted: readonly string[], now: readonly string[]): readonly string[] {
  const [before, after] = [new Set(accepted), new Set(now)]
  const gone = accepted.filter(fact => !after.has(fact) && !fact.endsWith(REQUIRED))
  const known = (fact: string): boolean => accepted.includes(fact.split(' ').slice(0, 2).join(' '))
  const demanded = now.filter(fact => fact.endsWith(REQUIRED) && !before.has(fact) && known(fact))
  return [...gone.map(fact => `gone: ${fact}`), ...demanded.map(fact => `new: ${fact}`)]
}

function factsOfOperation(api: OpenApi, name: string, operation: Operation): readonly string[] {
  const { parameters = [], requestBody, security } = operation
  const sent = requestBody?.content['application/json']?.schema
  return [
    name,
    `${name} called with ${security.flatMap(Object.keys).sort().join(' or ') || 'nothing'}`,
    ...parameters.flatMap(one => {
      const at = `${name} ${one.in} ${one.name}`
      return [
        `${at}: ${typesOf(alternativesOf(api, one.schema, []).map(([shape]) => shape))}`,
        ...valuesOf(one.schema).map(value => `${at} takes ${value}`),
        ...(one.required ? [at + REQUIRED] : []),
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
/** The name of the shape of refusals that a schema is; undefined for any other schema. */
const refusalName = ({ $ref }: Schema): string | undefined => ['refusal', 'problem'].find(name => $ref === `#/components/schemas/${name}`)

/** Names of the schemas on the way to a field: one that contains itself is listed once. */
type Way = readonly string[]

/** Alternatives of a schema, references followed, each with the way to it. */
function alternativesOf(api: OpenApi, schema: Schema, way: Way): readonly (readonly [Schema, Way])[] {
  const { $ref, anyOf, oneOf } = schema
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!
    return way.includes(name) ? [] : alternativesOf(api, api.components.schemas[name]!, [...way, name])
  }
  const among = (anyOf ?? oneOf) as readonly Schema[] | undefined
  return among ? among.flatMap(one => alternativesOf(api, one, way)) : [[schema, way]]
}

/** JSON types a value may have, joined: a type more or less is another fact. */
const typesOf = (shapes: readonly Schema[]): string => [...new Set(shapes.flatMap(typeOf))].sort().join('|')

function typeOf({ type, const: only, enum: values }: Schema): readonly string[] {
  if (type !== undefined) return (Array.isArray(type) ? type : [type]) as readonly string[]
  const allowed = (values as readonly unknown[] | undefined) ?? (only === undefined ? [] : [only])
  return allowed.length === 0 ? ['any'] : allowed.map(value => (value === null ? 'null' : typeof value))
}

/** Fields of a body, nested ones by their way from its root; those of the two shapes of refusals are listed once, by their name. */
function fieldsOf(api: OpenApi, at: string, schemas: readonly (readonly [Schema, Way])[]): readonly string[] {
  const found = schemas.flatMap(([schema, way]) => alternativesOf(api, schema, way))
  const objects = found.filter(([{ properties }]) => properties !== undefined)
  const names = [...new Set(objects.flatMap(([{ properties }]) => Object.keys(properties as Schema)))]
  const always = (name: string): boolean => objects.every(([{ required = [] }]) => (required as readonly string[]).includes(name))
  const inside = (key: string): typeof schemas =>
    found.flatMap(([shape, way]) => (isSchema(shape[key]) ? [[shape[key], way] as const] : []))
  const [items, rest] = [inside('items'), inside('additionalProperties')]
  return [
    `${at}: ${typesOf(found.map(([shape]) => shape))}`,
    ...names.flatMap(name => {
      const inner = objects.flatMap(([{ properties }, way]) => {
        const schema = (properties as Record<string, Schema>)[name]
        return schema ? [[schema, way] as const] : []
      })
      return [...fieldsOf(api, `${at}.${name}`, inner), ...(always(name) ? [`${at}.${name}${ALWAYS}`] : [])]
    }),
    ...(items.length > 0 ? fieldsOf(api, `${at}[]`, items) : []),
    ...(rest.length > 0 ? fieldsOf(api, `${at}.*`, rest) : []),
  ]
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

/** Facts of a body under a name of its own. */
const bodyOf = (api: OpenApi, at: string, schema: Schema): readonly string[] => {
  const name = refusalName(schema)
  return name === undefined ? fieldsOf(api, at, [[schema, []]]) : [`${at} ${name}`, ...fieldsOf(api, name, [[schema, []]])]
}

// Started by npm run, the file is imported by the program that finds Node.
if (process.argv[1] === import.meta.filename) {
  const s = await service({ examples: false })
  const api = (await s.get('/openapi.json')).json() as OpenApi
  writeFileSync(CONTRACT, `${factsOf(api).join('\n')}\n`)
  writeFileSync(TYPES, clientTypes(api))
  await s.close()
}
