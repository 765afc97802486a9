import { z } from 'zod'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Named schemas of the whole document, gathered while operations are described. */
export type Components = Map<string, JsonSchema>

/**
 * A zod schema as OpenAPI 3.1 writes it; named parts go to `components`. A parameter is documented as it is sent, not as it is read.
 *
 * @throws Error when two different schemas have one name
 */
export function jsonSchema(schema: z.ZodType, components: Components): JsonSchema {
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input', override: asSent }) as Record<string, unknown>
  for (const [name, part] of Object.entries($defs as Record<string, JsonSchema>)) keep(components, name, rooted(part))
  return rooted(root)
}

/** `meta.wire` stands for what zod would say of text that is turned into something else. */
function asSent({ zodSchema, jsonSchema: written }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { wire, description, example } = (z.globalRegistry.get(zodSchema) ?? {}) as Record<string, unknown>
  // The greatest safe integer says nothing that `integer` does not.
  if (written.maximum === Number.MAX_SAFE_INTEGER) delete written.maximum
  if (written.minimum === Number.MIN_SAFE_INTEGER) delete written.minimum
  if (written.format === 'date' || written.format === 'date-time') delete written.pattern
  if (!wire) return
  for (const key of Object.keys(written)) delete written[key]
  Object.assign(written, wire, { description }, example === undefined ? {} : { example })
}

/** References of a part, as the whole document resolves them. */
const rooted = (schema: JsonSchema): JsonSchema => JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))

function keep(components: Components, name: string, schema: JsonSchema): void {
  const known = components.get(name)
  if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two different schemas are named ${name}`)
  components.set(name, schema)
}
