import { REFUSAL_CODES, Refusal } from '../../../../core/index.ts'
import type { Example, Group } from '../../../kernel/index.ts'
import {
  type Documented,
  GROUPS,
  type JsonSchema,
  type OpenApi,
  type Operation,
  operationsOf,
  type Parameter,
  refusalExample,
  responsesIn,
} from '../../../openapi/index.ts'
import { type Html, html, page } from '../../portal/html.ts'

/** The reference page: every operation with its parameters, price, answer and a form to try it, then every refusal. */
export function referencePage(api: OpenApi): Buffer {
  const entries = operationsOf(api)
  const groups = Object.entries(GROUPS).map(([group, says]) => ({
    group,
    says,
    members: entries.filter(({ operation }) => operation.tags[0] === group),
  }))
  const body = html`<h1>Reference</h1>
<p>Send an API key in <code>X-API-Key</code> where one is asked for. Only answered reads are charged. The same as <a href="/openapi.json">OpenAPI 3.1</a> and as <a href="/llms-full.txt">plain text</a>.</p>
<form id="credential"><label>Credential for the forms below, kept in this tab only <input name="credential" type="password" autocomplete="off" spellcheck="false"></label></form>
<ul class="index">${groups.map(indexOf)}<li><a href="#refusals">Refusals</a></li></ul>
${groups.map(({ group, says, members }) => section(group as Group, says, members, api))}
<section id="refusals"><h2>Refusals</h2><p>One shape on every route; <code>error_code</code> is stable.</p>${REFUSAL_CODES.map(refusal)}</section>`
  return page('twmd reference', body, '/docs/try.js')
}

function indexOf({ group, members }: { readonly group: string; readonly members: readonly Documented[] }): Html {
  const links = members.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`)
  return html`<li><a href="#${group}">${group.replaceAll('_', ' ')}</a><ul>${links}</ul></li>`
}

const section = (group: Group, says: string, members: readonly Documented[], api: OpenApi): Html =>
  html`<section id="${group}"><h2>${group.replaceAll('_', ' ')}</h2><p>${says}</p>${members.map(entry => article(entry, api))}</section>`

function article({ method, path, operation }: Documented, api: OpenApi): Html {
  const { summary, description, parameters = [], requestBody, security } = operation
  const body = requestBody?.content['application/json']
  return html`<article id="${operation.operationId}">
<h3>${summary}</h3>
<p><code class="path">${method} ${path}</code> ${price(operation)}</p>
<p>${description}</p>
${security.length > 0 ? html`<p>Credential: ${Object.keys(security[0]!).join(', ').replaceAll('_', ' ')}.</p>` : null}
${parameters.length > 0 ? parameterTable(parameters) : null}
${body ? html`<h4>Body</h4>${propertyTable(body.schema, api)}` : null}
${Object.entries(responsesIn(api, operation)['200']?.content ?? {}).map(
  ([type, { schema, example }]) =>
    html`<details><summary>Answer <code>${type}</code></summary>${propertyTable(schema, api)}${example === undefined ? null : json(example)}</details>`,
)}
<p class="refusals">Refusals: ${refusalLinks(operation, api)}</p>
${tryForm(method, path, operation)}
</article>`
}

const price = ({ 'x-credits': credits, 'x-minimum-plan': plan }: Operation): Html | null =>
  credits === undefined ? null : html`<span class="price">${credits} ${credits === 1 ? 'credit' : 'credits'}, plan ${plan ?? 'free'}</span>`

const parameterTable = (parameters: NonNullable<Operation['parameters']>): Html =>
  html`<table><thead><tr><th>parameter<th>in<th>type<th>meaning<th>example</thead><tbody>${parameters.map(
    ({ name, in: place, required, description, schema, example }) =>
      html`<tr><td><code>${name}</code>${required ? ' *' : ''}<td>${place}<td>${typeOf(schema)}<td>${description}<td>${example === undefined ? '' : String(example)}`,
  )}</tbody></table>`

function typeOf({ type, format, enum: words, minimum, maximum, default: absent }: OpenApi['components']['schemas'][string]): string {
  const range = minimum === undefined ? '' : ` ${minimum} to ${maximum}`
  const named = Array.isArray(words) ? words.join(' | ') : `${String(format ?? type)}${range}`
  return absent === undefined ? named : `${named}, default ${absent}`
}

const refusalLinks = (operation: Operation, api: OpenApi): readonly Html[] =>
  Object.entries(responsesIn(api, operation)).flatMap(([status, { content }]) =>
    Object.keys(content?.['application/json']?.examples ?? {}).map(code => html`<a href="#error-${code}">${status} ${code}</a> `),
  )

function refusal(code: (typeof REFUSAL_CODES)[number]): Html {
  const { status, gate, message } = new Refusal(code)
  return html`<article id="error-${code}"><h3><code>${code}</code> ${status}</h3><p>${message}${gate ? html` Gate: ${gate}.` : null}</p><details><summary>Example</summary>${json(refusalExample(code))}</details></article>`
}

const json = (value: unknown): Html => html`<pre>${JSON.stringify(value, null, 2)}</pre>`

/** A form that sends the operation to this same service and shows what comes back; the browser's script reads its data attributes. */
function tryForm(method: string, path: string, { parameters = [], requestBody, security, 'x-example-request': shown }: Operation): Html {
  const body = requestBody?.content['application/json']
  return html`<details><summary>Try it</summary>
<form class="try" data-method="${method}" data-path="${path}" data-caller="${Object.keys(security[0] ?? {})[0] ?? 'public'}">
${parameters.map(parameter => field(parameter, shown))}
${body ? html`<label>body <textarea name="body:" rows="5" spellcheck="false">${JSON.stringify(body.example ?? {}, null, 2)}</textarea></label>` : null}
<button>Send</button> <code class="url"></code>
<output></output>
</form></details>`
}

function field({ name, in: place, required, example }: Parameter, shown: Example | undefined): Html {
  const filled = shown?.[place === 'header' ? 'headers' : place]?.[name] ?? (required ? example : '')
  return html`<label>${name} <input name="${place}:${name}" ${required ? html`required` : null} value="${String(filled ?? '')}" placeholder="${example === undefined ? '' : String(example)}"></label>`
}

interface Property {
  /** Where it stands, for example `data[].ticker`. */
  readonly at: string
  readonly type: string
  readonly description: string
}

/** Every property of a JSON body, one line each, deep ones by their whole path. */
function propertyTable(schema: JsonSchema, api: OpenApi): Html {
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
