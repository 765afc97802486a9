import type { Words } from '../../core/index.ts'
import type { schemaView } from '../../coverage/index.ts'
import { typeText, unitText } from './catalog-words.ts'
import { datasetFacts, type Shown, sampleNotice } from './home.ts'
import { type Html, html } from './html.ts'
import { inLanguage, type Language } from './shell.ts'

export interface DescribedDataset extends Shown {
  readonly grain: readonly string[]
  readonly release_version: string | null
  readonly source: { readonly attribution: string; readonly attribution_zh: string; readonly url: string }
  readonly known_gap_notes: readonly { readonly label: string; readonly description: string; readonly description_zh: string }[]
  readonly links: { readonly read: string; readonly cross_section?: string }
}

type Schema = ReturnType<typeof schemaView>

/** Scripts fill `#standing`. */
export function datasetContent(dataset: DescribedDataset, schema: Schema, language: Language): Html {
  const say = (words: Words): string => words[language]
  const to = (path: string): string => inLanguage(path, language)
  const { slug, title, title_zh, grain, source, links } = dataset
  const columnName = (name: string) =>
    language === 'en' ? html`<code>${name}</code>` : schema.columns.find(column => column.name === name)!.label_zh
  return html`<h1>${language === 'en' ? title : title_zh} <small lang="${language === 'en' ? 'zh-Hant' : 'en'}">${language === 'en' ? title_zh : title}</small></h1>
${sampleNotice([dataset], language)}
<p>${say({ en: dataset.description, zh: dataset.description_zh })}</p>
<p class="actions"><a class="button primary" href="${to(`/explore/${slug}`)}">${say({ en: 'Explore data', zh: '探索資料' })}</a> <a class="button" href="${to('/docs')}">${say({ en: 'Documentation', zh: '文件' })}</a></p>
<dl>
${datasetFacts(dataset, language)}
<dt>${say({ en: 'One row per', zh: '每列代表' })}</dt><dd>${grain.map((name, index) => html`${index === 0 ? '' : say({ en: ', ', zh: '、' })}<a href="#column-${name}">${columnName(name)}</a>`)}</dd>
<dt>${say({ en: 'Read at', zh: 'API 路徑' })}</dt><dd><code>GET ${links.read}</code></dd>
${links.cross_section === undefined ? null : html`<dt>${say({ en: 'All symbols of one day', zh: '單日全部資料' })}</dt><dd><code>GET ${links.cross_section}</code></dd>`}
<dt>${say({ en: 'Release', zh: '版本' })}</dt><dd>${dataset.release_version === null ? '–' : html`<code>${dataset.release_version}</code>`}</dd>
<dt>${say({ en: 'Schema', zh: '結構' })}</dt><dd><a href="/v2/datasets/${slug}/schema">JSON</a>${say({ en: ', version ', zh: '，版本 ' })}${schema.dataset_version}</dd>
</dl>
<div id="standing" data-slug="${slug}"></div>
<h2>${say({ en: 'Known gaps', zh: '已知缺漏' })}</h2>
<ul id="gaps">${dataset.known_gap_notes.map(({ label, ...note }) => html`<li data-label="${label}">${say({ en: note.description, zh: note.description_zh })}</li>`)}</ul>
<h2>${say({ en: 'Source and licence', zh: '來源與授權' })}</h2>
<p>${say({ en: 'Source: ', zh: '資料來源：' })}<a href="${source.url}" rel="noreferrer noopener">${say({ en: source.attribution, zh: source.attribution_zh })}</a>${say({ en: '. ', zh: '。' })}${say(
    {
      en: 'Attribution is required wherever you show or redistribute this data. The terms of use of the source apply.',
      zh: '展示或轉載此資料時，請註明出處，並遵守來源的使用條款。',
    },
  )}</p>
<h2>${say({ en: 'Columns', zh: '欄位' })}</h2>
${columnTable(schema, language)}
${rules(schema, language)}`
}

function columnTable({ columns }: Schema, language: Language): Html {
  const say = (words: Words): string => words[language]
  const label = say({ en: 'Columns', zh: '欄位' })
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}"><table class="column-list"><thead><tr><th>${say({ en: 'Column', zh: '欄位' })}<th>${say({ en: 'Type', zh: '型別' })}<th>${say({ en: 'Unit', zh: '單位' })}<th>${say({ en: 'Meaning', zh: '意義' })}<th>${say({ en: 'Example', zh: '範例' })}</thead><tbody>${columns.map(
    ({ name, type, unit, label_zh: zh, description, description_zh, nullable, formula, example }) =>
      html`<tr id="column-${name}"><td><a href="#column-${name}"><code>${name}</code></a>${language === 'zh' ? html`<br>${zh}` : null}<td>${typeText(type, language)}${nullable ? say({ en: ', may be null', zh: '，可為空值' }) : ''}<td>${unitText(unit, language)}<td class="meaning">${say({ en: description, zh: description_zh })}${formula === null ? null : html`<br><code>${formula}</code>`}<td><code>${exampleText(example)}</code></tr>
`,
  )}</tbody></table></div>`
}

const LONGEST_EXAMPLE = 40

function exampleText(example: unknown): string {
  if (example === null || example === undefined) return '–'
  const text = typeof example === 'object' ? JSON.stringify(example) : String(example)
  return text.length > LONGEST_EXAMPLE ? `${text.slice(0, LONGEST_EXAMPLE)}…` : text
}

const rules = ({ rules }: Schema, language: Language): Html | null =>
  rules.length === 0
    ? null
    : html`<h2>${language === 'en' ? 'Checks of every row' : '每列資料的檢查規則'}</h2>
<ul>${rules.map(rule => (language === 'en' ? html`<li><code>${rule.statement}</code><br>${rule.description}</li>` : html`<li><code>${rule.statement_zh}</code><br>${rule.description_zh}</li>`))}</ul>`
