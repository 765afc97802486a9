import type { Words } from '../../core/index.ts'
import type { Example } from '../../http/kernel/index.ts'
import type { Parameter } from '../../http/openapi/index.ts'
import { type Html, html } from '../portal/html.ts'
import type { Language } from '../portal/shell.ts'
import type { Entry } from './operations.ts'
import { CREDENTIALS } from './request.ts'

const SAYS = {
  credential: { en: 'Key or token', zh: '金鑰或權杖' },
  kept: {
    en: 'Stored in this tab only, until you leave the page. If empty, the request uses your session.',
    zh: '只存於此分頁，離開頁面即清除。留空時使用您目前的登入身分。',
  },
  body: { en: 'Body', zh: '請求內容' },
  send: { en: 'Send', zh: '送出' },
  price: { en: 'Show the price only', zh: '僅顯示價格' },
  script: { en: 'The form needs JavaScript. You can also use the samples above.', zh: '此表單需要 JavaScript；上方的範例程式有相同效果。' },
  answer: { en: 'Response', zh: '回應' },
} as const satisfies Readonly<Record<string, Words>>

const DRY_RUN = 'dry_run'

/**
 * Form that sends a request and shows the response.
 * @param price the price as a sentence
 */
export function tryForm({ method, path, operation, endpoint }: Entry, price: string, language: Language): Html {
  const { parameters = [], requestBody, 'x-example-request': shown } = operation
  const say = (words: Words): string => words[language]
  const body = requestBody?.content['application/json']
  const hasPrice = parameters.some(({ name }) => name === DRY_RUN)
  const fields = parameters.filter(({ name }) => name !== DRY_RUN).map(parameter => field(parameter, shown))
  return html`<noscript><p>${say(SAYS.script)}</p></noscript>
<form class="try" data-method="${method}" data-path="${path}" data-caller="${endpoint.caller}" hidden>
${
  CREDENTIALS[endpoint.caller] === null
    ? null
    : html`<p><label>${say(SAYS.credential)} <input name="credential:" type="password" autocomplete="off" spellcheck="false" aria-describedby="kept"></label> <span id="kept" class="dim">${say(SAYS.kept)}</span></p>`
}
<div class="fields">${fields}</div>
${body ? html`<label>${say(SAYS.body)} <textarea name="body:" rows="5" spellcheck="false">${JSON.stringify(body.example ?? {}, null, 2)}</textarea></label>` : null}
<p>${price}</p>
<p><button>${say(SAYS.send)}</button>${hasPrice ? html` <button value="${DRY_RUN}">${say(SAYS.price)}</button>` : null}</p>
<p><code class="url"></code></p>
<output tabindex="0" aria-label="${say(SAYS.answer)}"></output>
</form>`
}

/** Null if users may enter any value. */
function valuesOf({ schema, required }: Parameter): readonly string[] | null {
  const { enum: values, type } = schema as { readonly enum?: readonly unknown[]; readonly type?: string }
  const listed = values?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : null)
  return listed && (required ? listed : ['', ...listed])
}

function field(parameter: Parameter, shown: Example | undefined): Html {
  const { name, in: place, required, example } = parameter
  const filled = String(shown?.[place === 'header' ? 'headers' : place]?.[name] ?? (required ? (example ?? '') : ''))
  const values = valuesOf(parameter)
  const attributes = html` name="${place}:${name}"${required ? html` required` : null}`
  const control = values
    ? html`<select${attributes}>${values.map(value => html`<option${value === filled ? html` selected` : null}>${value}</option>`)}</select>`
    : html`<input${attributes} value="${filled}" placeholder="${example === undefined ? '' : String(example)}">`
  return html`<label>${name} ${control}</label>\n`
}
