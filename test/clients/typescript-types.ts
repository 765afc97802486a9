import { type OpenApi, type Operation, operationsOf, responsesIn } from '../../src/http/openapi/index.ts'

/**
 * Generated types of the TypeScript client; `npm run contract` writes them from the API
 * description.
 */
export const TYPES = 'clients/typescript/src/service.ts'

type Schema = Readonly<Record<string, unknown>>

/**
 * Parameters of every read, which the client declares only once, and parameters that the client
 * sets itself.
 */
const SHARED = ['limit', 'offset', 'sort', 'columns', 'release', 'as_of', 'format', 'bom', 'dry_run', 'envelope']

/**
 * The source of the client's types: one type for each row and each answer, and a map from reads to
 * parameters and answers.
 */
export function clientTypes(api: OpenApi): string {
  const wanted = new Set<string>()
  const t = typer(api, wanted)
  const reads = Object.entries(api.paths).flatMap(([path, { get }]) => readOf(path, get))
  for (const name of [...reads.map(({ row }) => row), ...answersOf(api), 'dry_run', 'sql_dry_run', 'fault']) wanted.add(name)
  const queries = (['/v2/search', '/v2/query', '/v2/updates'] as const).map(path =>
    t.params(`${pascal(path.split('/').at(-1)!)}Params`, api.paths[path]!['get']!, [
      'format',
      'bom',
      'dry_run',
      'entity_ids[]',
      'fields[]',
    ]),
  )
  const params = reads.map(({ name, operation }) => t.params(`${pascal(name)}Params`, operation, SHARED))
  const codes = api.components.schemas['refusal_facts'] as { properties: { error_code: Schema } }
  // Referenced components are generated too.
  const declared: Record<string, string> = {}
  for (const name of wanted) declared[pascal(name)] = t.declaration(name)
  const index = reads.map(({ name, row, operation }) =>
    [docOf(operation.summary, '  '), `  readonly '${name}': { readonly row: ${pascal(row)}; readonly params: ${pascal(name)}Params }`].join(
      '\n',
    ),
  )
  const elsewhere = reads.filter(({ name, path }) => path !== `/v2/datasets/${name}`)
  return `${[
    '// Made from the description of the service by `npm run contract`; not edited by hand.',
    `/** Reads by name: slugs of datasets, with \`/cross-section\` behind them for all keys of one day. */\nexport interface Reads {\n${index.join('\n')}\n}`,
    `/** Paths of the reads that are not at \`/v2/datasets/<name>\`. */\nexport const PATHS: Readonly<Record<string, string>> = {\n${elsewhere.map(({ name, path }) => `  '${name}': '${path}',`).join('\n')}\n}`,
    `/** Codes of refusals. */\nexport type RefusalCode = ${t.typeOf(codes.properties.error_code, '')}`,
    ...params,
    ...queries,
    ...Object.keys(declared)
      .sort()
      .map(name => declared[name]!),
  ].join('\n\n')}\n`
}

interface Read {
  readonly name: string
  readonly path: string
  readonly operation: Operation
  /** Name of the row's component in the API description. */
  readonly row: string
}

/** A GET whose answer contains rows of a dataset is a read. */
function readOf(path: string, operation: Operation | undefined): readonly Read[] {
  if (!operation || path.includes('{')) return []
  const row = rowIn((operation.responses['200'] ?? {}) as Schema)
  if (!row) return []
  const slug = row.replace(/_row$/, '').replaceAll('_', '-')
  return [{ name: path.endsWith('/cross-section') ? `${slug}/cross-section` : slug, path, operation, row }]
}

/**
 * Components of the JSON answers under `/v2`, except reads, whose row types are generated instead.
 * Probes and answers in the formats of other products are outside `/v2`.
 *
 * @throws Error for an answer without a named component
 */
const answersOf = (api: OpenApi): readonly string[] =>
  operationsOf(api).flatMap(({ method, path, operation }) => {
    const schema = responsesIn(api, operation)['200']?.content?.['application/json']?.schema
    if (!schema || !path.startsWith('/v2/') || rowIn(schema) !== undefined) return []
    return ((schema['anyOf'] ?? [schema]) as readonly Schema[]).map(({ $ref }) => {
      if (typeof $ref === 'string') return $ref.split('/').at(-1)!
      throw new Error(`The answer of ${method} ${path} has no name. Give its schema an id, as in .meta({ id: 'Updates' }).`)
    })
  })

/** The component of an answer's rows. Undefined if the operation is not a read. */
const rowIn = (answer: Schema): string | undefined => /"#\/components\/schemas\/(\w+_row)"/.exec(JSON.stringify(answer))?.[1]

const pascal = (name: string): string =>
  name.replace(/(^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, _between, letter: string) => letter.toUpperCase())

/** Maximum width of a doc comment in columns. */
const WIDTH = 100

/** The text as a doc comment, wrapped at 100 columns. */
function docOf(text: unknown, indent: string): string {
  const safe = String(text).replaceAll('*/', '* /')
  const short = `${indent}/** ${safe} */`
  if (short.length <= WIDTH) return short
  const lines = ['']
  for (const word of safe.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`
    if (`${indent} *${longer}`.length > WIDTH) lines.push(` ${word}`)
    else lines[lines.length - 1] = longer
  }
  return [`${indent}/**`, ...lines.map(line => `${indent} *${line}`), `${indent} */`].join('\n')
}
const literal = (value: unknown): string => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value))

/**
 * Creates a function that converts schemas to types. It adds the names of referenced components to
 * `wanted`.
 */
function typer(api: OpenApi, wanted: Set<string>) {
  function typeOf(schema: Schema, indent: string): string {
    const { $ref, anyOf, oneOf, type } = schema
    if (typeof $ref === 'string') return refTo($ref.split('/').at(-1)!)
    if ('const' in schema) return literal(schema['const'])
    if (Array.isArray(schema['enum'])) return schema['enum'].map(literal).join(' | ')
    const among = (anyOf ?? oneOf) as readonly Schema[] | undefined
    if (among) return [...new Set(among.map(one => typeOf(one, indent)))].join(' | ')
    if (Array.isArray(type)) return type.map(one => typeOf({ ...schema, type: one }, indent)).join(' | ')
    if (type === 'integer' || type === 'number') return 'number'
    if (type === 'string' || type === 'boolean' || type === 'null') return type
    if (type === 'array') {
      const element = typeOf((schema['items'] ?? {}) as Schema, indent)
      const isPair = schema['minItems'] === 2 && schema['maxItems'] === 2
      return isPair ? `readonly [${element}, ${element}]` : `readonly ${bracketed(element)}[]`
    }
    return type === 'object' ? objectOf(schema, indent) : 'unknown'
  }
  // The API description gives the schema of arbitrary JSON a numbered name, and it refers to
  // itself.
  const refTo = (name: string): string => {
    if (name.startsWith('__')) return 'unknown'
    wanted.add(name)
    return pascal(name)
  }
  const bracketed = (text: string): string => (/[ |]/.test(text) && !text.startsWith('{') ? `(${text})` : text)
  function objectOf(schema: Schema, indent: string): string {
    const { properties, required = [], additionalProperties, propertyNames } = schema
    if (!properties) {
      const keys = typeOf((propertyNames ?? { type: 'string' }) as Schema, indent)
      const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties as Schema, indent) : 'unknown'
      const record = `Readonly<Record<${keys}, ${values}>>`
      return keys === 'string' || (required as readonly string[]).length > 0 ? record : `Partial<${record}>`
    }
    return `{\n${membersOf(schema, `${indent}  `)}\n${indent}}`
  }
  /** In rows, all columns are required, although a request may select some. */
  function membersOf({ properties, required }: Schema, indent: string): string {
    const always = required as readonly string[] | undefined
    return Object.entries(properties as Record<string, Schema>)
      .flatMap(([name, property]) => [
        ...(property['description'] ? [docOf(property['description'], indent)] : []),
        `${indent}readonly ${name}${always && !always.includes(name) ? '?' : ''}: ${typeOf(property, indent)}`,
      ])
      .join('\n')
  }
  return {
    typeOf,
    declaration(name: string): string {
      const schema = api.components.schemas[name] as Schema
      const doc = schema['description'] ? `${docOf(schema['description'], '')}\n` : ''
      if (schema['properties']) return `${doc}export interface ${pascal(name)} {\n${membersOf(schema, '  ')}\n}`
      return `${doc}export type ${pascal(name)} = ${typeOf(schema, '')}`
    },
    params(name: string, { parameters = [] }: Operation, without: readonly string[]): string {
      const members = parameters
        .filter(one => one.in === 'query' && !without.includes(one.name))
        .flatMap(property => {
          const list = isList(property.schema as Schema) || ['fields', 'entity_ids'].includes(property.name)
          const type = list ? 'string | readonly string[]' : typeOf(property.schema as Schema, '  ')
          return [
            docOf(property.description, '  '),
            `  readonly ${property.name}${property.required ? `: ${type}` : `?: ${type} | undefined`}`,
          ]
        })
      return `export interface ${name} {\n${members.join('\n')}\n}`
    },
  }
}

/** True for a parameter with comma-separated values, according to its pattern. */
const isList = ({ pattern }: Schema): boolean => typeof pattern === 'string' && pattern.includes('(,')
