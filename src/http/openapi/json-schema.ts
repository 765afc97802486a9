import { z } from 'zod'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Filled while operations are described. */
export type Components = Map<string, JsonSchema>

/**
 * Converts a zod schema to OpenAPI 3.1. Adds named parts to `components`.
 * @throws Error if two different schemas have the same name
 */
export function jsonSchema(schema: z.ZodType, components: Components): JsonSchema {
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input', override: asSent }) as Record<string, unknown>
  for (const [name, part] of Object.entries($defs as Record<string, JsonSchema>)) keep(components, name, rooted(part))
  return rooted(root)
}

/** `meta.wire` replaces the schema that zod derives. */
function asSent({ zodSchema, jsonSchema: written }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { wire, description, example } = (z.globalRegistry.get(zodSchema) ?? {}) as Record<string, unknown>
  // The greatest safe integer adds nothing to the type `integer`.
  if (written.maximum === Number.MAX_SAFE_INTEGER) delete written.maximum
  if (written.minimum === Number.MIN_SAFE_INTEGER) delete written.minimum
  if (written.format === 'date' || written.format === 'date-time') delete written.pattern
  if (wire) {
    for (const key of Object.keys(written)) delete written[key]
    Object.assign(written, wire, { description }, example === undefined ? {} : { example })
  }
  // openapi-generator 7.25 fails at a property whose only type is null.
  if (written.type === 'null') Object.assign(written, { type: ['string', 'null'], const: null })
  // openapi-generator compares boolean constants as text.
  if (typeof written.const === 'boolean') delete written.const
  // Code generators ignore `prefixItems`, so a tuple becomes a list of fixed length.
  if (written.prefixItems) {
    const { prefixItems, items: _, ...list } = written
    const { length } = prefixItems
    const [first, ...others] = new Map(prefixItems.map(item => [JSON.stringify(item), item])).values()
    for (const key of Object.keys(written)) delete written[key]
    const items = others.length === 0 ? first! : { anyOf: [first!, ...others] }
    Object.assign(written, list, { items, minItems: length, maxItems: length })
  }
  // In some dialects, `\d` matches digits of all scripts.
  if (written.pattern) written.pattern = written.pattern.replaceAll('\\d', '[0-9]')
}

/** References in a named schema must be relative to the whole document. */
const rooted = (schema: JsonSchema): JsonSchema => JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))

function keep(components: Components, name: string, schema: JsonSchema): void {
  const known = components.get(name)
  if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two different schemas are named ${name}`)
  components.set(name, schema)
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  date: '2026-06-30',
  'date-time': '2026-06-30T18:00:00+08:00',
  uri: 'https://example.com/',
}

/** Returns the example, or the simplest valid value. Objects contain all required properties. */
export function sampleOf(schema: JsonSchema, components: Components): unknown {
  if (schema['example'] !== undefined) return schema['example']
  if (Array.isArray(schema['examples'])) return schema['examples'][0]
  if (typeof schema['$ref'] === 'string') return sampleOf(components.get(schema['$ref'].split('/').at(-1)!)!, components)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const options = (schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf']) as readonly JsonSchema[] | undefined
  if (options) return sampleOf(options[0]!, components)
  return BY_TYPE[String([schema['type']].flat()[0])]?.(schema, components) ?? null
}

const BY_TYPE: Readonly<Record<string, (schema: JsonSchema, components: Components) => unknown>> = {
  object: ({ properties = {}, required = [], additionalProperties = {} }, components) => {
    const named = properties as Readonly<Record<string, JsonSchema>>
    const names = required as readonly string[]
    return Object.fromEntries(names.map(name => [name, sampleOf(named[name] ?? (additionalProperties as JsonSchema), components)]))
  },
  array: ({ items }, components) => (items ? [sampleOf(items as JsonSchema, components)] : []),
  string: ({ format }) => BY_FORMAT[String(format)] ?? 'text',
  integer: leastOf,
  number: leastOf,
  boolean: () => false,
}

function leastOf({ minimum, exclusiveMinimum }: JsonSchema): number {
  return Number(minimum ?? (exclusiveMinimum === undefined ? 0 : Number(exclusiveMinimum) + 1))
}
