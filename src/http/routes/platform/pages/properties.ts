import type { JsonSchema, OpenApi } from '../../../openapi/index.ts'
import { type Html, html } from './html.ts'

interface Property {
  /** Where it stands, for example `data[].ticker`. */
  readonly at: string
  readonly type: string
  readonly description: string
}

/** Every property of a JSON body, one line each, deep ones by their whole path. */
export function propertyTable(schema: JsonSchema, api: OpenApi): Html {
  const rows = propertiesOf(schema, '', api)
  if (rows.length === 0) return html`<p>${describe(schema)}</p>`
  return html`<table><thead><tr><th>field<th>type<th>meaning</thead><tbody>${rows.map(
    ({ at, type, description }) => html`<tr><td><code>${at}</code><td>${type}<td>${description}`,
  )}</tbody></table>`
}

/** @param above names of the parts this one is within: a part within itself is not opened again */
function propertiesOf(given: JsonSchema, prefix: string, api: OpenApi, above: readonly string[] = []): readonly Property[] {
  const name = given['$ref']
  if (above.includes(name as string)) return []
  const within = typeof name === 'string' ? [...above, name] : above
  const schema = resolved(given, api)
  const options = schema['anyOf'] as readonly JsonSchema[] | undefined
  if (options) return options.flatMap(option => propertiesOf(option, prefix, api, within))
  if (schema['items']) return propertiesOf(schema['items'] as JsonSchema, `${prefix}[]`, api, within)
  return Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>).flatMap(([name, raw]) => {
    const [at, property] = [prefix === '' ? name : `${prefix}.${name}`, resolved(raw, api)]
    return [{ at, type: describe(property), description: String(property['description'] ?? '') }, ...propertiesOf(raw, at, api, within)]
  })
}

function resolved(schema: JsonSchema, { components }: OpenApi): JsonSchema {
  if (typeof schema['$ref'] !== 'string') return schema
  const { $ref, ...beside } = schema
  return { ...components.schemas[($ref as string).split('/').at(-1)!], ...beside }
}

/** A type in words: `integer`, `date or null`, `list`. */
function describe(schema: JsonSchema): string {
  if (schema['const'] !== undefined) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].join(' | ')
  const options = schema['anyOf'] as readonly JsonSchema[] | undefined
  if (options) return [...new Set(options.map(describe))].join(' or ')
  const types = [(schema['type'] as string | readonly string[] | undefined) ?? 'any'].flat()
  return types
    .map(type => (type === 'string' && schema['format'] ? String(schema['format']) : type === 'array' ? 'list' : type))
    .join(' or ')
}
