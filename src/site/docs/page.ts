import type { Words } from '../../core/index.ts'
import type { ServingStatus } from '../../releases/index.ts'
import { type Html, html } from '../portal/html.ts'
import { inLanguage, type Language } from '../portal/shell.ts'
import { statusBadge } from '../portal/status.ts'
import type { Readers } from './chapters.ts'
import type { Heading } from './markdown.ts'

export interface DocsPage {
  /** Path without a language, for example `/docs/quickstart`. */
  readonly address: string
  readonly title: Words
  /** One sentence, for lists, search engines and link previews. */
  readonly says: Words
  /** Parent pages, highest first. Excludes the start page. */
  readonly above: readonly Pick<DocsPage, 'address' | 'title'>[]
  readonly product?: string | undefined
  /** Additional text for the filter on the start page. */
  readonly found?: string
  readonly content: (language: Language) => Content
}

export interface Content {
  readonly body: Html
  readonly headings: readonly Heading[]
  /** Present if the text is not in the language of the page. */
  readonly lang?: 'en'
}

export interface Shelf {
  readonly title: Words
  readonly readers: Readers
  readonly pages: readonly Pick<DocsPage, 'address' | 'title'>[]
}

const SAYS = {
  docs: { en: 'Documentation', zh: '文件' },
  here: { en: 'On this page', zh: '本頁內容' },
  path: { en: 'Breadcrumb', zh: '頁面位置' },
  beside: { en: 'Previous and next', zh: '前後頁' },
  previous: { en: 'Previous', zh: '上一頁' },
  next: { en: 'Next', zh: '下一頁' },
  find: { en: 'Filter the documentation', zh: '篩選文件' },
  english: { en: '', zh: '本頁內文為英文。' },
} as const satisfies Readonly<Record<string, Words>>

export const READERS: Readonly<Record<Readers, Words>> = {
  customers: { en: 'Use the data', zh: '使用資料' },
  operators: { en: 'Run the service', zh: '架設與維運' },
}

export function docsContent(
  page: DocsPage,
  language: Language,
  shelves: readonly Shelf[],
  { previous, next }: { readonly previous: DocsPage | undefined; readonly next: DocsPage | undefined },
  status: ServingStatus | null,
): Html {
  const say = (words: Words): string => words[language]
  const to = (address: string): string => inLanguage(address, language)
  const { body, headings, lang } = page.content(language)
  const place = [{ address: '/docs', title: SAYS.docs }, ...page.above]
  const beside = (one: DocsPage | undefined, rel: 'prev' | 'next', words: Words): Html | null =>
    one === undefined ? null : html`<a rel="${rel}" href="${to(one.address)}"><span>${say(words)}</span> ${say(one.title)}</a>`
  const shelvesOf = (readers: Readers): Html =>
    html`<h2>${say(READERS[readers])}</h2>
${shelves.filter(shelf => shelf.readers === readers).map(shelf => shelfList(shelf, page, language))}`
  return html`<div class="docs">
<article class="docs-page">
${page.address === '/docs' ? null : html`<nav class="docs-place" aria-label="${say(SAYS.path)}"><ol>${place.map(({ address, title }) => html`<li><a href="${to(address)}">${say(title)}</a></li>`)}</ol></nav>`}
<h1>${say(page.title)}</h1>
${status && html`<p>${statusBadge(status, language)}</p>`}
${lang === 'en' && language !== 'en' ? html`<p class="dim">${say(page.says)}</p><p class="notice">${say(SAYS.english)}</p>` : null}
${headings.length < 2 ? null : html`<nav class="docs-here" aria-label="${say(SAYS.here)}"><p>${say(SAYS.here)}</p>${headingList(headings, lang)}</nav>`}
<div class="docs-body"${lang === undefined || lang === language ? null : html` lang="${lang}"`}>
${body}
</div>
<nav class="docs-beside" aria-label="${say(SAYS.beside)}">${beside(previous, 'prev', SAYS.previous)} ${beside(next, 'next', SAYS.next)}</nav>
</article>
<nav class="docs-shelf" aria-label="${say(SAYS.docs)}">
<form action="${to('/docs')}" role="search"><label>${say(SAYS.find)} <input type="search" name="find" autocomplete="off" spellcheck="false"></label></form>
${shelvesOf('customers')}
${shelvesOf('operators')}
</nav>
</div>`
}

function headingList(headings: readonly Heading[], lang: string | undefined): Html {
  const items = headings.map(({ id, text, depth }) => html`<li class="depth-${depth}"><a href="#${id}">${text}</a></li>`)
  return html`<ol${lang === undefined ? null : html` lang="${lang}"`}>${items}</ol>`
}

function shelfList({ title, pages }: Shelf, page: DocsPage, language: Language): Html {
  const isHere = ({ address }: Pick<DocsPage, 'address'>): boolean => address === page.address
  const open = pages.some(one => isHere(one) || page.above.some(isHere) || page.above.some(({ address }) => address === one.address))
  const items = pages.map(
    one =>
      html`<li><a href="${inLanguage(one.address, language)}"${isHere(one) ? html` aria-current="page"` : null}>${one.title[language]}</a></li>`,
  )
  return html`<details${open ? html` open` : null}><summary>${title[language]}</summary><ul>${items}</ul></details>`
}
