import type { Example } from '../../../kernel/index.ts'
import type { Operation, Parameter } from '../../../openapi/index.ts'
import { type Html, html } from './html.ts'

/** A form that sends the operation to this same service and shows what comes back; the browser's script reads its data attributes. */
export function tryForm(
  method: string,
  path: string,
  { parameters = [], requestBody, security, 'x-example-request': shown }: Operation,
): Html {
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
