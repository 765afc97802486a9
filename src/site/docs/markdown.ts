import { Marked, type Token, type Tokens } from 'marked'
import { type Html, html } from '../portal/html.ts'
import { highlighted } from './highlight.ts'

export interface Heading {
  /** Anchor as on GitHub. */
  readonly id: string
  readonly text: string
  readonly depth: number
}

export interface Rendered {
  readonly title: string
  readonly body: Html
  readonly headings: readonly Heading[]
}

/** Returns the path of a link. Null for a target that the site does not have. */
export type Resolve = (target: string) => string | null

export interface BlockLabels {
  readonly code: string
  readonly table: string
}

/** Ids of other elements on the page, which headings must not use. */
const OF_THE_FRAME: ReadonlySet<string> = new Set(['page', 'search', 'theme', 'language', 'account', 'menu', 'display'])

/** @param anchor the anchor of the heading, as on GitHub */
export const anchorOnPage = (anchor: string): string => (OF_THE_FRAME.has(anchor) ? `${anchor}-1` : anchor)

/**
 * Removes HTML comments, and shows other HTML as text.
 *
 * @param inCode returns the target for inline code, or null
 */
export function renderMarkdown(text: string, resolve: Resolve, inCode: Resolve, labels: BlockLabels): Rendered {
  const headings: Heading[] = []
  const taken = new Map<string, number>([...OF_THE_FRAME].map(id => [id, 1]))
  let title = ''
  const anchor = (heading: string): string => {
    const id = anchorOf(heading)
    const before = taken.get(id) ?? 0
    taken.set(id, before + 1)
    return before === 0 ? id : `${id}-${before}`
  }
  const cell = (tag: 'th' | 'td', { tokens, align }: Tokens.TableCell, inline: (tokens: Tokens.TableCell['tokens']) => string): string =>
    `<${tag}${tag === 'th' ? ' scope="col"' : ''}${align === 'right' ? ' class="number"' : ''}>${inline(tokens)}</${tag}>`
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const plain = this.parser.parseInline(tokens, this.parser.textRenderer)
        const id = anchor(plain)
        if (depth === 1 && title === '') {
          title = plain
          return ''
        }
        if (depth === 2 || depth === 3) headings.push({ id, text: plain, depth })
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      code: ({ text, lang = '' }) =>
        html`${codeBlock(text, labels.code, lang.split(' ')[0])}
`.html,
      html: ({ text }) => html`${text.replace(/<!--[\s\S]*?-->/g, '')}`.html,
      table({ header, rows }) {
        const inline = (tokens: Tokens.TableCell['tokens']) => this.parser.parseInline(tokens)
        const body = rows.map(row => `<tr>${row.map(one => cell('td', one, inline)).join('')}</tr>\n`).join('')
        const head = header.map(one => cell('th', one, inline)).join('')
        return `${scrolling(labels.table, { html: `<table><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table>` }).html}\n`
      },
      codespan({ text }) {
        const at = inCode(text)
        return (at === null ? html`<code>${text}</code>` : html`<a href="${at}"><code>${text}</code></a>`).html
      },
      link({ href, tokens, autolink }) {
        const at = resolve(href)
        const says = autolink ? html`${href}`.html : this.parser.parseInline(tokens)
        if (at === null) return `${html`<span class="unserved" title="${href}">`.html}${says}</span>`
        return `${html`<a href="${at}">`.html}${says}</a>`
      },
      image: ({ text }) => html`${text}`.html,
    },
  })
  marked.use({
    extensions: [{ name: PAIR, renderer: ({ tokens = [] }) => sideBySide(tokens.map(token => ({ html: marked.parser([token]) }))).html }],
  })
  const body = marked.parser(withResponses(marked.lexer(text)))
  return { title, body: { html: body }, headings }
}

const PAIR = 'request_with_response'

function withResponses(tokens: readonly Token[]): Token[] {
  const blocks = tokens.filter(({ type }) => type !== 'space')
  const isCode = (token: Token | undefined, language: string): boolean => token?.type === 'code' && (token as Tokens.Code).lang === language
  return blocks.flatMap((token, index): Token[] => {
    const next = blocks[index + 1]
    if (isCode(token, 'json') && isCode(blocks[index - 1], 'sh')) return []
    if (next === undefined || !isCode(token, 'sh') || !isCode(next, 'json')) return [token]
    return [{ type: PAIR, raw: token.raw + next.raw, tokens: [token, next] }]
  })
}

export const sideBySide = (
  sides: readonly Html[],
): Html => html`<div class="side-by-side">${sides.map(side => html`<div>${side}</div>\n`)}</div>
`

export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

export const codeBlock = (text: string, label: string, language = ''): Html =>
  html`<pre tabindex="0" role="group" aria-label="${language === '' ? label : `${label}: ${language}`}">${highlighted(text, language)}</pre>`

export const scrolling = (label: string, block: Html): Html =>
  html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">${block}</div>`

/** Renders text between backquotes as inline code. */
export const withInlineCode = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
