import { REFUSAL_CODES, Refusal } from '../../../../core/index.ts'
import type { Group } from '../../../kernel/index.ts'
import { type Documented, GROUPS, type OpenApi, type Operation, operationsOf, refusalExample } from '../../../openapi/index.ts'
import { type Html, html } from './html.ts'
import { page } from './layout.ts'
import { propertyTable } from './properties.ts'
import { tryForm } from './try-form.ts'

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
  const { summary, description, parameters = [], requestBody, responses, security } = operation
  const body = requestBody?.content['application/json']
  return html`<article id="${operation.operationId}">
<h3>${summary}</h3>
<p><code class="path">${method} ${path}</code> ${price(operation)}</p>
<p>${description}</p>
${security.length > 0 ? html`<p>Credential: ${Object.keys(security[0]!).join(', ').replaceAll('_', ' ')}.</p>` : null}
${parameters.length > 0 ? parameterTable(parameters) : null}
${body ? html`<h4>Body</h4>${propertyTable(body.schema, api)}` : null}
${Object.entries(responses['200']?.content ?? {}).map(
  ([type, { schema, example }]) =>
    html`<details><summary>Answer <code>${type}</code></summary>${propertyTable(schema, api)}${example === undefined ? null : json(example)}</details>`,
)}
<p class="refusals">Refusals: ${refusalLinks(operation)}</p>
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

const refusalLinks = ({ responses }: Operation): readonly Html[] =>
  Object.entries(responses).flatMap(([status, { content }]) =>
    Object.keys(content?.['application/json']?.examples ?? {}).map(code => html`<a href="#error-${code}">${status} ${code}</a> `),
  )

function refusal(code: (typeof REFUSAL_CODES)[number]): Html {
  const { status, gate, message } = new Refusal(code)
  return html`<article id="error-${code}"><h3><code>${code}</code> ${status}</h3><p>${message}${gate ? html` Gate: ${gate}.` : null}</p><details><summary>Example</summary>${json(refusalExample(code))}</details></article>`
}

const json = (value: unknown): Html => html`<pre>${JSON.stringify(value, null, 2)}</pre>`
