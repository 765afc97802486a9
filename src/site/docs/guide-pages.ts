import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Words } from '../../core/index.ts'
import { inLanguage, type Language } from '../portal/shell.ts'
import { CHAPTERS } from './chapters.ts'
import { anchorOf, anchorOnPage, type Rendered, renderMarkdown } from './markdown.ts'
import type { DocsPage, Shelf } from './page.ts'
import { withPlans } from './plans-table.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Chinese guides are named by the slug of the guide. */
const IN_CHINESE = 'src/site/docs/zh'

const SLUGS: ReadonlyMap<string, string> = new Map(CHAPTERS.flatMap(({ guides }) => guides.map(({ file, slug }) => [file, slug] as const)))

function chineseOf(file: string): string | undefined {
  const translated = `${IN_CHINESE}/${SLUGS.get(file)}.md`
  return SLUGS.has(file) && existsSync(join(ROOT, translated)) ? translated : undefined
}

const DEMO_KEY = /\$\(node -p "require\('\.\/data\/demo\.json'\)\.keys\.\w+"\)/g

/** Origin in the Markdown files. Pages show the origin of the service. */
const AS_WRITTEN = 'http://127.0.0.1:8080'

interface Source {
  readonly file: string
  readonly address: string
}

export interface Guides {
  readonly pages: readonly DocsPage[]
  readonly shelves: readonly Shelf[]
}

/**
 * A guide that is not installed has no page.
 *
 * @param operationAt returns the reference page of an operation, or null
 * @param origin origin of the service, which replaces the origin in the documents
 */
export function guidePages(operationAt: (text: string) => string | null, origin: () => string): Guides {
  const shelves = CHAPTERS.map(({ guides, ...chapter }) => ({
    ...chapter,
    guides: guides.filter(({ file }) => existsSync(join(ROOT, file))),
  }))
  const guides = shelves.flatMap(({ guides }) => guides)
  const decisions = filesIn('docs/adr', /^\d{4}-.+\.md$/).map(file => ({ file, address: `/docs/adr/${nameOf(file)}` }))
  const programs = filesIn('examples', /\.(sh|py|R|ts|pq)$/).map(file => ({ file, address: `/docs/${file}` }))
  const sources: readonly Source[] = [
    { file: 'docs/index.md', address: '/docs' },
    ...guides.map(({ file, slug }) => ({ file, address: `/docs/${slug}` })),
    ...decisions,
    ...programs,
  ]
  const ofCustomers = new Set(shelves.flatMap(({ readers, guides }) => (readers === 'customers' ? guides.map(({ file }) => file) : [])))
  const addresses = new Map(sources.map(({ file, address }) => [file, address]))

  const content = (file: string) => (language: Language) => {
    const translated = language === 'zh' ? chineseOf(file) : undefined
    const text = markdownOf(translated ?? file)
    const rendered = render(
      file,
      ofCustomers.has(file) ? text.replaceAll(DEMO_KEY, 'sk_live_YOUR_KEY') : text,
      language,
      addresses,
      operationAt,
      origin(),
    )
    return translated === undefined ? { ...rendered, lang: 'en' as const } : rendered
  }
  const pages = guides.map(({ file, slug, titleZh, says }): DocsPage => {
    const title = { en: titleOf(file), zh: titleZh }
    return { address: `/docs/${slug}`, title, says, above: [], found: headingsOf(file), content: content(file) }
  })
  const pageAt = (slug: string) => pages.filter(({ address }) => address === `/docs/${slug}`)
  return {
    pages: [
      ...pages,
      ...decisions.map(({ file, address }): DocsPage => {
        const title = titleOf(file)
        return { address, title: same(title), says: decisionWords(title), above: pageAt('adr'), content: content(file) }
      }),
      ...programs.map(({ file, address }): DocsPage => {
        const title = file.slice('examples/'.length)
        return { address, title: same(title), says: programWords(title), above: pageAt('examples'), content: content(file) }
      }),
    ],
    shelves: shelves.map(({ title, readers, guides }) => ({ title, readers, pages: guides.flatMap(({ slug }) => pageAt(slug)) })),
  }
}

const filesIn = (folder: string, named: RegExp): readonly string[] =>
  existsSync(join(ROOT, folder))
    ? readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .map(name => join(folder, name))
        .filter(file => named.test(file.split('/').at(-1)!))
        .sort()
    : []

const nameOf = (file: string): string => file.split('/').at(-1)!.replace(/\.md$/, '')
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const titleOf = (file: string): string => /^# (.+)$/m.exec(textOf(file))?.[1] ?? nameOf(file)
/** Removes code blocks, in which # starts a comment. */
const headingsOf = (file: string): string =>
  [
    ...textOf(file)
      .replace(/^( *)```[\s\S]*?^\1```$/gm, '')
      .matchAll(/^#{2,4} (.+)$/gm),
  ]
    .map(([, heading]) => heading)
    .join(' ')
const same = (text: string): Words => ({ en: text, zh: text })

const decisionWords = (title: string): Words => ({
  en: `Decision ${title}: context, decision, consequence.`,
  zh: `設計決策 ${title}：背景、決定與後果。`,
})
const programWords = (file: string): Words => ({ en: `An example program: ${file}.`, zh: `範例程式：${file}。` })

const LABELS = {
  en: { code: 'Code', table: 'Table' },
  zh: { code: '程式碼', table: '表格' },
} as const

const markdownOf = (file: string): string =>
  file.endsWith('.md') ? textOf(file) : `\`\`\`\`${file.split('.').at(-1)}\n${textOf(file).trimEnd()}\n\`\`\`\`\n`

/** @param file English file, to which relative links refer */
function render(
  file: string,
  text: string,
  language: Language,
  addresses: ReadonlyMap<string, string>,
  operationAt: (text: string) => string | null,
  origin: string,
): Rendered {
  const localized = (address: string | null): string | null => address && inLanguage(address, language)
  const resolve = (target: string): string | null => {
    if (target.startsWith(origin)) return withLanguage(target.slice(origin.length) || '/', language)
    if (/^https?:/.test(target)) return target
    if (/^[a-z]+:/i.test(target)) return null
    if (target.startsWith('/')) return localized(target)
    if (target.startsWith('#')) return `#${anchorOnPage(target.slice(1))}`
    const [path = '', anchor] = target.split('#')
    const linked = normalize(join(dirname(file), path))
    const translated = language === 'zh' ? chineseOf(linked) : undefined
    // Links to the English page if the Chinese guide does not have the anchor.
    const isElsewhere = anchor !== undefined && translated !== undefined && !anchorsIn(translated).has(anchor)
    const address = isElsewhere ? addresses.get(linked)! : localized(addresses.get(linked) ?? null)
    return address && (anchor === undefined ? address : `${address}#${anchorOnPage(anchor)}`)
  }
  return renderMarkdown(withPlans(text).replaceAll(AS_WRITTEN, origin), resolve, code => localized(operationAt(code)), LABELS[language])
}

const anchorsIn = (file: string): ReadonlySet<string> =>
  new Set([...textOf(file).matchAll(/^#{2,4} (.+)$/gm)].map(([, heading]) => anchorOf(heading!)))

const withLanguage = (path: string, language: Language): string => (/^\/(docs(\/|$)|$)/.test(path) ? inLanguage(path, language) : path)
