import { REFUSAL_CODES, Refusal, type RefusalCode, type Words } from '../../core/index.ts'
import { type OpenApi, refusalExample, responsesIn } from '../../http/openapi/index.ts'
import { type Html, html } from '../portal/html.ts'
import { inLanguage, type Language } from '../portal/shell.ts'
import type { Readers } from './chapters.ts'
import { codeBlock } from './markdown.ts'
import type { Entry, EntryGroup } from './operations.ts'
import { type Content, type DocsPage, READERS, type Shelf } from './page.ts'

const SAYS = {
  start: { en: 'Documentation', zh: '文件' },
  startSays: {
    en: 'Guides, every API operation with code samples and a form, all error codes, and a glossary.',
    zh: '指南、API 的每項操作（附範例程式與試用表單）、所有錯誤代碼與詞彙表。',
  },
  begin: { en: 'Read the first rows', zh: '讀取第一批資料' },
  key: { en: 'Sign in by e-mail and copy your key.', zh: '以電子郵件登入並複製金鑰。' },
  read: { en: 'Set KEY to it and read:', zh: '將 KEY 設為金鑰後讀取：' },
  also: { en: 'For programs and agents: ', zh: '供程式與 AI 代理使用：' },
  guides: { en: 'Guides', zh: '指南' },
  reference: { en: 'Reference', zh: 'API 參考' },
  operators: READERS.operators,
  refusals: { en: 'Error codes', zh: '錯誤代碼' },
  refusalsSays: {
    en: 'All error codes, with status, meaning and remedy.',
    zh: '所有錯誤代碼的狀態碼、意義與處理方式。',
  },
  shape: {
    en: 'All routes return errors in the same shape. Use error_code, which is stable; messages may change. For Chinese messages, send Accept-Language: zh-TW. For the format of RFC 9457, send Accept: application/problem+json.',
    zh: '所有路徑的錯誤格式相同。請以固定不變的 error_code 判斷，訊息文字可能調整。Accept-Language 可指定中文，Accept 可指定 application/problem+json。',
  },
  gate: { en: 'Stage', zh: '檢查階段' },
  by: { en: 'Operations', zh: '適用的操作' },
  example: { en: 'Example', zh: '範例' },
} as const satisfies Readonly<Record<string, Words>>

export const groupPage = (group: EntryGroup): DocsPage => ({
  address: group.address,
  title: group.title,
  says: group.says,
  above: [],
  content: language => ({ body: html`<p>${group.says[language]}</p>${entryList(group.entries, language)}`, headings: [] }),
})

const operationCount = (count: number): Words => ({ en: count === 1 ? '1 operation' : `${count} operations`, zh: `${count} 項操作` })

function entryList(entries: readonly Entry[], language: Language, anchors = false): Html {
  const items = entries.map(
    ({ address, summary, method, path, operation }) =>
      html`<li${anchors ? html` id="${operation.operationId}"` : null} data-find="${`${summary.en} ${summary.zh} ${method} ${path}`.toLowerCase()}"><a href="${inLanguage(address, language)}">${summary[language]}</a> <code>${method} ${path}</code></li>\n`,
  )
  return html`<ul class="docs-list">${items}</ul>`
}

/** Lists all guides and operations. Older links use the anchors. */
export function startPage(
  shelves: readonly Shelf[],
  groups: readonly EntryGroup[],
  pageAt: (address: string) => DocsPage,
  origin: () => string,
): DocsPage {
  const content = (language: Language): Content => {
    const to = (address: string): string => inLanguage(address, language)
    const guidesFor = (readers: Readers) =>
      shelves
        .filter(shelf => shelf.readers === readers)
        .map(({ title, pages }) => {
          const items = pages.map(({ address, title }) => {
            const { says, found = '' } = pageAt(address)
            const words = [title.en, title.zh, says.en, says.zh, found].join(' ').toLowerCase()
            return html`<li data-find="${words}"><a href="${to(address)}">${title[language]}</a> ${says[language]}</li>\n`
          })
          return html`<section><h3>${title[language]}</h3><ul class="docs-list">${items}</ul></section>\n`
        })
    const operations = groups.map(
      group =>
        html`<section><h3 id="group-${group.group}"><a href="${to(group.address)}">${group.title[language]}</a></h3><p>${group.says[language]}</p><details><summary>${operationCount(group.entries.length)[language]}</summary>${entryList(group.entries, language, true)}</details></section>\n`,
    )
    const refusals = REFUSAL_CODES.map(
      code =>
        html`<li id="error-${code}" data-find="${code}"><a href="${to('/docs/refusals')}#${code}"><code>${code}</code></a> ${new Refusal(code).general[language]}</li>\n`,
    )
    return {
      body: html`<p>${SAYS.startSays[language]}</p>
<section aria-labelledby="begin"><h2 id="begin">${SAYS.begin[language]}</h2>
<ol><li><a href="${to('/account')}">${SAYS.key[language]}</a></li><li>${SAYS.read[language]}</li></ol>
${codeBlock(`curl -s -H "X-API-Key: $KEY" "${origin()}/v2/datasets/daily-prices?symbol=2330&limit=5"`, SAYS.begin[language], 'curl')}
<p><a href="${to('/docs/reading')}">${pageAt('/docs/reading').title[language]}</a> · <a href="${to('/docs/formats')}">${pageAt('/docs/formats').title[language]}</a> · <a href="${to('/docs/accounts-and-limits')}">${pageAt('/docs/accounts-and-limits').title[language]}</a> · <a href="${to('/docs/python')}">${pageAt('/docs/python').title[language]}</a></p></section>
<p>${SAYS.also[language]}<a href="/openapi.json">OpenAPI 3.1</a>, <a href="/llms.txt">llms.txt</a>, <a href="/llms-full.txt">llms-full.txt</a></p>
<section aria-labelledby="guides"><h2 id="guides">${SAYS.guides[language]}</h2>${guidesFor('customers')}</section>
<section aria-labelledby="reference"><h2 id="reference">${SAYS.reference[language]}</h2>${operations}</section>
<section aria-labelledby="refusals"><h2 id="refusals">${SAYS.refusals[language]}</h2><p>${SAYS.shape[language]}</p><ul class="docs-list">${refusals}</ul></section>
<section aria-labelledby="operators"><h2 id="operators">${SAYS.operators[language]}</h2>${guidesFor('operators')}</section>`,
      headings: (['guides', 'reference', 'refusals', 'operators'] as const).map(id => ({ id, text: SAYS[id][language], depth: 2 })),
    }
  }
  return { address: '/docs', title: SAYS.start, says: SAYS.startSays, above: [], content }
}

/** Maximum number of operations to list for an error code. */
const MOST_NAMED = 12

export function refusalsPage(groups: readonly EntryGroup[], api: OpenApi): DocsPage {
  const entries = groups.flatMap(({ entries }) => entries)
  const answering = Map.groupBy(
    entries.flatMap(entry => codesOf(entry, api).map(code => ({ code, entry }))),
    ({ code }) => code,
  )
  const content = (language: Language): Content => ({
    body: html`<p>${SAYS.shape[language]}</p>
${REFUSAL_CODES.map(code => refusal(code, answering.get(code)?.map(({ entry }) => entry) ?? [], language))}`,
    headings: [],
  })
  return { address: '/docs/refusals', title: SAYS.refusals, says: SAYS.refusalsSays, above: [], content }
}

const codesOf = ({ operation }: Entry, api: OpenApi): readonly RefusalCode[] =>
  Object.values(responsesIn(api, operation)).flatMap(
    ({ content }) => Object.keys(content?.['application/json']?.examples ?? {}) as RefusalCode[],
  )

function refusal(code: RefusalCode, entries: readonly Entry[], language: Language): Html {
  const { status, gate, general } = new Refusal(code)
  const named = entries.length <= MOST_NAMED ? entries : []
  const links = named.map(
    ({ address, summary }, at) => html`${at === 0 ? '' : ', '}<a href="${inLanguage(address, language)}">${summary[language]}</a>`,
  )
  return html`<section id="${code}" aria-labelledby="${code}-name">
<h2 id="${code}-name"><code>${code}</code> ${status}</h2>
<p>${general[language]}</p>
${language === 'en' ? html`<p class="dim" lang="zh-Hant">${general.zh}</p>` : null}
${gate === null ? null : html`<p>${SAYS.gate[language]}: <code>${gate}</code></p>`}
${links.length === 0 ? null : html`<p>${SAYS.by[language]}: ${links}</p>`}
<details><summary>${SAYS.example[language]}</summary>${codeBlock(JSON.stringify(refusalExample(code), null, 2), SAYS.example[language], 'JSON')}</details>
</section>
`
}
