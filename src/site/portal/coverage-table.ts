import type { Words } from '../../core/index.ts'
import { type Shown, stateText, whole } from './home.ts'
import { type Html, html } from './html.ts'
import { inLanguage, type Language } from './shell.ts'

export interface DatasetCoverage {
  readonly dataset: Shown
  readonly rows: number | null
  readonly first: string | null
  readonly last: string | null
}

/** Table for browsers without scripts. Contains no values of rows, which require a key. */
export function coverageTable(coverages: readonly DatasetCoverage[], language: Language): Html | null {
  if (coverages.length === 0) return null
  const say = (words: Words): string => words[language]
  const heads: readonly Words[] = [
    { en: 'Dataset', zh: '資料集' },
    { en: 'Rows', zh: '列數' },
    { en: 'First day', zh: '首日' },
    { en: 'Last day', zh: '末日' },
    { en: 'State', zh: '狀態' },
    { en: 'Read at', zh: 'API 路徑' },
  ]
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${say({ en: 'Coverage', zh: '涵蓋範圍' })}"><table class="held"><thead><tr>${heads.map(head => html`<th>${say(head)}`)}</thead><tbody>${coverages.map(
    ({ dataset, rows, first, last }) =>
      html`<tr><th scope="row"><a href="${inLanguage(`/datasets/${dataset.slug}`, language)}">${language === 'en' ? dataset.title : dataset.title_zh}</a><td class="number">${rows === null ? '–' : whole.format(rows)}<td>${first ?? '–'}<td>${last ?? '–'}<td>${stateText(dataset, language)}<td><code>/v2/datasets/${dataset.slug}</code></tr>
`,
  )}</tbody></table></div>`
}
