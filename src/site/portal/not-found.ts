import type { Words } from '../../core/index.ts'
import { type Html, html } from './html.ts'
import { inLanguage, type Language, NAVIGATION, type Page } from './shell.ts'

const OPEN: Words = { en: 'Open', zh: '前往' }

/**
 * Shows an unknown name only if the name is a ticker. Links therefore cannot put text on the page.
 *
 * @param words what is unknown, and what the reader can do
 */
export function missingPage(language: Language, path: string, title: Words, words: Words): Page {
  const links = NAVIGATION.map(
    (link, at) => html`${at === 0 ? '' : ' · '}<a href="${inLanguage(link.path, language)}">${link.words[language]}</a>`,
  )
  const content: Html = html`<h1>${title[language]}</h1>
<p>${words[language]}</p>
<p class="ways">${OPEN[language]} ${links}</p>
<div id="find"></div>`
  return {
    language,
    path,
    title: title[language],
    description: title[language],
    content,
    entry: 'pages/not-found/main.tsx',
    isPrivate: true,
  }
}
