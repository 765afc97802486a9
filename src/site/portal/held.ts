import type { Words } from '../../core/index.ts'
import { type Shown, stateText, whole } from './home.ts'
import { type Html, html } from './html.ts'
import { inLanguage, type Language } from './shell.ts'

/** What a dataset holds, of a symbol or in all. */
export interface Held {
  readonly dataset: Shown
  /** Null while it cannot be told. */
  readonly rows: number | null
  readonly first: string | null
  readonly last: string | null
}

/**
 * What stands behind a page that its script draws, as a table for whoever runs none: how many rows, of which days, how fresh. Figures of
 * the rows themselves are read with a key or as a visitor, which a page without script is not.
 */
export function heldTable(held: readonly Held[], language: Language): Html | null {
  if (held.length === 0) return null
  const say = (words: Words): string => words[language]
  const heads: readonly Words[] = [
    { en: 'Dataset', zh: '資料集' },
    { en: 'Rows', zh: '列數' },
    { en: 'First day', zh: '首日' },
    { en: 'Last day', zh: '末日' },
    { en: 'State', zh: '狀態' },
    { en: 'Read at', zh: '讀取位址' },
  ]
  return html`<table class="held"><thead><tr>${heads.map(head => html`<th>${say(head)}`)}</thead><tbody>${held.map(
    ({ dataset, rows, first, last }) =>
      html`<tr><th scope="row"><a href="${inLanguage(`/datasets/${dataset.slug}`, language)}">${language === 'en' ? dataset.title : dataset.title_zh}</a><td class="number">${rows === null ? '–' : whole.format(rows)}<td>${first ?? '–'}<td>${last ?? '–'}<td>${stateText(dataset, language)}<td><code>/v2/datasets/${dataset.slug}</code></tr>
`,
  )}</tbody></table>`
}
