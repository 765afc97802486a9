import { z } from 'zod'
import { crossSection, type Dataset, PLANS, type PlanId, pathOf } from '../../../catalog/index.ts'
import type { Words } from '../../core/index.ts'
import { type OpenApi, type Operation, type Parameter, responsesIn } from '../../http/openapi/index.ts'
import { type Html, html } from '../portal/html.ts'
import { inLanguage, type Language } from '../portal/shell.ts'
import { codeBlock, type Heading, scrolling, sideBySide, withInlineCode } from './markdown.ts'
import type { Entry, EntryGroup } from './operations.ts'
import type { Content, DocsPage } from './page.ts'
import { propertyTable, typeWords } from './properties.ts'
import type { ReferenceText } from './reference-zh.ts'
import { CREDENTIALS } from './request.ts'
import { samplesOf } from './samples.ts'
import { tryForm } from './try-form.ts'

const SAYS = {
  price: { en: 'Price and credential', zh: '價格與驗證方式' },
  parameters: { en: 'Parameters', zh: '參數' },
  body: { en: 'Body', zh: '請求內容' },
  answer: { en: 'Response', zh: '回應' },
  headers: { en: 'Headers', zh: '標頭' },
  samples: { en: 'Examples', zh: '範例程式' },
  exampleAnswer: { en: 'Example response', zh: '回應範例' },
  run: { en: 'Try it', zh: '試用' },
  gaps: { en: 'Known gaps', zh: '已知缺漏' },
  refusals: { en: 'Errors', zh: '錯誤' },
  required: { en: 'required', zh: '必填' },
  example: { en: 'Example', zh: '範例' },
  where: { en: 'In', zh: '位置' },
  name: { en: 'Name', zh: '名稱' },
  type: { en: 'Type', zh: '型別' },
  meaning: { en: 'Meaning', zh: '說明' },
  open: { en: 'No key required.', zh: '不需金鑰。' },
  free: { en: 'Free of charge.', zh: '免費。' },
  byRows: { en: 'The price depends on the number of rows.', zh: '價格依資料列數計算。' },
  variable: {
    en: 'The samples read the credential from an environment variable: ',
    zh: '範例程式由環境變數讀取金鑰或權杖：',
  },
  provider: { en: 'Only the payment provider sends this request.', zh: '此端點僅接受金流服務的請求。' },
} as const satisfies Readonly<Record<string, Words>>

interface OperationContext {
  readonly api: OpenApi
  readonly origin: () => string
  readonly text: ReferenceText
  readonly dataset: Dataset | undefined
}

export function operationPage(entry: Entry, group: EntryGroup, context: OperationContext): DocsPage {
  const { method, path, summary, description, address, endpoint } = entry
  return {
    address,
    title: summary,
    says: {
      en: `${method} ${path}: ${summary.en}. ${firstSentence(description).replaceAll('`', '')}`.trim(),
      zh: `${method} ${path}：${summary.zh}。`,
    },
    above: [group],
    product: endpoint.priced?.slug,
    content: language => operationContent(entry, context, language),
  }
}

const firstSentence = (text: string): string => /^.*?[.](?=\s|$)/.exec(text)?.[0] ?? text

function operationContent(entry: Entry, { api, origin, text, dataset }: OperationContext, language: Language): Content {
  const { method, path, operation, endpoint } = entry
  const { parameters = [], requestBody } = operation
  const body = requestBody?.content['application/json']
  const headings: Heading[] = []
  const say = (words: Words): string => words[language]
  const section = (id: string, words: Words, content: Html): Html => {
    headings.push({ id, text: say(words), depth: 2 })
    return html`<section aria-labelledby="${id}"><h2 id="${id}">${say(words)}</h2>
${content}
</section>
`
  }
  const samples = samplesOf(entry, origin(), language)
  const programs = samples.map(
    ({ language: kind, name, code }) =>
      html`<details${kind === 'curl' ? html` open` : null} data-sample="${kind}"><summary>${name}</summary>${codeBlock(code, say(SAYS.example), name)}</details>\n`,
  )
  const example = samples.length === 0 ? undefined : exampleAnswer(operation, api)
  const credential = CREDENTIALS[endpoint.caller]
  const sections = [
    section('price', SAYS.price, html`<p>${priceWords(operation, language)} ${credentialWords(entry, language)}</p>`),
    samples.length > 0
      ? section(
          'samples',
          SAYS.samples,
          html`${credential === null ? null : html`<p>${say(SAYS.variable)}<code>${credential.variable}</code></p>`}${
            example === undefined
              ? programs
              : sideBySide([
                  html`${programs}`,
                  html`<p>${say(SAYS.exampleAnswer)} <code>${example.type}</code></p>${json(example.value, language)}`,
                ])
          }`,
        )
      : null,
    parameters.length > 0 ? section('parameters', SAYS.parameters, parameterTable(parameters, text, language)) : null,
    body
      ? section('body', SAYS.body, html`${propertyTable(body.schema, api, text, language, say(SAYS.body))}${json(body.example, language)}`)
      : null,
    samples.length === 0 ? null : section('run', SAYS.run, tryForm(entry, priceWords(operation, language), language)),
    endpoint.answer instanceof z.ZodNever
      ? null
      : section('answer', SAYS.answer, answerContent(operation, api, text, example?.type, language)),
    dataset && Object.keys(dataset.knownGaps).length > 0 ? section('gaps', SAYS.gaps, gapList(dataset, language)) : null,
    section('refusals', SAYS.refusals, refusalList(operation, api, language)),
  ]
  return {
    body: html`<p><code class="path">${method} ${path}</code></p>
${descriptionOf(entry, dataset, text, language)}
${sections}`,
    headings,
  }
}

function descriptionOf({ path, description }: Entry, dataset: Dataset | undefined, text: ReferenceText, language: Language): Html | null {
  const read = dataset && [dataset, crossSection(dataset)].find(one => one && pathOf(one) === path)
  if (language === 'zh' && read)
    return html`<p>${read.descriptionZh}每列代表一組 ${read.grain.map((name, at) => html`${at === 0 ? '' : '、'}<code>${name}</code>`)}。</p>`
  return description === '' ? null : html`<p>${withInlineCode(text(description, language))}</p>`
}

function gapList({ knownGaps }: Dataset, language: Language): Html {
  const items = Object.entries(knownGaps).map(([label, text]) => html`<li>${text[language]} <code class="dim">${label}</code></li>\n`)
  return html`<ul class="docs-gaps">${items}</ul>`
}

function priceWords({ 'x-credits': credits, 'x-credits-by': by, 'x-minimum-plan': plan }: Operation, language: Language): string {
  if (by) return SAYS.byRows[language]
  if (credits === undefined) return SAYS.free[language]
  const { name, id } = PLANS[(plan ?? 'free') as PlanId]
  return language === 'en'
    ? `A response costs ${credits} ${credits === 1 ? 'credit' : 'credits'}; refused and failed requests cost nothing. Requires the plan ${name}${id === 'max' ? '' : ' or a higher one'}.`
    : `每次讀取 ${credits} 點；遭拒或失敗的請求不扣點。${name} ${id === 'max' ? '' : '以上'}方案可用。`
}

function credentialWords({ endpoint: { caller } }: Entry, language: Language): Html {
  const credential = CREDENTIALS[caller]
  if (caller === 'payment_provider') return html`${SAYS.provider[language]}`
  if (credential === null) return html`${SAYS.open[language]}`
  const header = html`<code>${credential.header}</code>`
  const scheme = credential.before === '' ? null : html` <code>${credential.before.trim()}</code>`
  return language === 'en'
    ? html`Send the credential in the header ${header}${scheme && html`, after${scheme}`}.`
    : html`請以標頭 ${header} 傳送金鑰或權杖${scheme && html`，前綴為${scheme}`}。`
}

function parameterTable(parameters: readonly Parameter[], text: ReferenceText, language: Language): Html {
  const heads = [SAYS.name, SAYS.type, SAYS.meaning, SAYS.example, SAYS.where].map(words => html`<th scope="col">${words[language]}</th>`)
  const rows = parameters.map(
    ({ name, in: place, required, description, schema, example }) =>
      html`<tr><th scope="row"><code>${name}</code>${required ? html` <span class="dim">${SAYS.required[language]}</span>` : null}</th><td>${typeWords(schema, language)}</td><td class="meaning">${withInlineCode(text(description, language))}</td><td>${example === undefined ? null : html`<code>${String(example)}</code>`}</td><td>${place}</td></tr>\n`,
  )
  return scrolling(SAYS.parameters[language], html`<table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table>`)
}

function exampleAnswer(operation: Operation, api: OpenApi): { readonly type: string; readonly value: unknown } | undefined {
  const [found] = Object.entries(responsesIn(api, operation)['200']?.content ?? {}).filter(([, { example }]) => example !== undefined)
  return found && { type: found[0], value: found[1].example }
}

/** @param shown the media type of the example that is already visible */
function answerContent(operation: Operation, api: OpenApi, text: ReferenceText, shown: string | undefined, language: Language): Html {
  const { description = '', content = {}, headers = {} } = responsesIn(api, operation)['200'] ?? {}
  const bodies = Object.entries(content).map(([type, { schema, example }]) => {
    const isDescribed = Object.keys(schema).length > 0
    return html`<p><code>${type}</code></p>
${isDescribed ? propertyTable(schema, api, text, language, `${SAYS.answer[language]}: ${type}`) : null}${example === undefined || type === shown ? null : json(example, language)}`
  })
  const names = Object.keys(headers)
  return html`${description === '' ? null : html`<p>${withInlineCode(text(description, language))}</p>`}
${bodies}
${names.length === 0 ? null : html`<p>${SAYS.headers[language]}: ${names.map((name, at) => html`${at === 0 ? '' : ', '}<code>${name}</code>`)}</p>`}`
}

const json = (value: unknown, language: Language): Html => codeBlock(JSON.stringify(value, null, 2), SAYS.example[language], 'JSON')

function refusalList(operation: Operation, api: OpenApi, language: Language): Html {
  const items = Object.entries(responsesIn(api, operation)).flatMap(([status, { content }]) =>
    Object.keys(content?.['application/json']?.examples ?? {}).map(
      code => html`<li>${status} <a href="${inLanguage('/docs/refusals', language)}#${code}"><code>${code}</code></a></li>`,
    ),
  )
  return html`<ul class="docs-codes">${items}</ul>`
}
