import type { Components, JsonSchema } from './json-schema.ts'

const BY_FORMAT: Readonly<Record<string, string>> = {
  date: '2026-06-30',
  'date-time': '2026-06-30T18:00:00+08:00',
  uri: 'https://example.com/',
}

/** A value the schema accepts: what it gives as an example, else the plainest one of its type. Objects hold every property that must be there. */
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
