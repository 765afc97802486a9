import { z } from 'zod'
import { type Catalog, plansRevision, served } from '../../../catalog/index.ts'
import { once } from '../../core/index.ts'
import { type Answered, answered, type Endpoint, keepable, notFound, type Route, route } from '../../http/kernel/index.ts'
import type { DescribedRoute, OpenApi } from '../../http/openapi/index.ts'
import { type Releases, type ServingStatus, stateOf, statusOf } from '../../releases/index.ts'
import { html } from '../portal/html.ts'
import { missingPage } from '../portal/not-found.ts'
import { DRAWN } from '../portal/pages.ts'
import { inLanguage, type Language, PAGE_HEADERS, type Shell } from '../portal/shell.ts'
import { createDocs } from './docs.ts'
import { type DocsPage, docsContent } from './page.ts'
import { robots, sitemap } from './sitemap.ts'

export interface DocsDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  /** For example `https://data.example`. */
  readonly origin: () => string
  readonly shell: Shell
}

const START = {
  summary: 'Documentation: guides, reference, refusals',
  summaryZh: '文件：指南、API 參考與錯誤代碼',
  description: 'Each operation has a page with examples and a form to try it. The Chinese pages are at /zh/docs.',
  group: 'service',
  caller: 'public',
  answer: 'text/html',
  unparsed: true,
  example: {},
} as const satisfies Endpoint

const PAGE = { ...START, unlisted: 'a page for a browser' } as const satisfies Endpoint

const part = z.string()
const BELOW = [
  ['/docs/:part', { ...PAGE, path: z.object({ part }) }],
  ['/docs/:part/:group', { ...PAGE, path: z.object({ part, group: part }) }],
  ['/docs/:part/:group/:page', { ...PAGE, path: z.object({ part, group: part, page: part }) }],
] as const satisfies readonly (readonly [string, Endpoint])[]

const GUIDES = { ...PAGE, answer: 'application/json', unlisted: 'names of the guides, for the search box' } as const satisfies Endpoint
const SITEMAP = { ...PAGE, answer: 'application/xml', unlisted: 'addresses for search engines' } as const satisfies Endpoint
const ROBOTS = { ...PAGE, answer: 'text/plain', unlisted: 'rules for search engines' } as const satisfies Endpoint

const MISSING = {
  title: { en: 'Page not found', zh: '找不到此頁面' },
  words: { en: 'The documentation has no page with this address.', zh: '文件中沒有使用此網址的頁面。' },
} as const

/**
 * Routes of the documentation pages. The pages work without scripts.
 *
 * @param described the documented routes, which must be complete before the first request
 */
export function docsRoutes(
  { catalog, releases, origin, shell }: DocsDeps,
  described: readonly DescribedRoute[],
  api: () => OpenApi,
): readonly Route<'public'>[] {
  const docs = once(() => createDocs(catalog, described, api(), origin))
  /** All pages together have about 8 MB. */
  const kept = new Map<string, Answered<Buffer>>()
  const whole = (page: DocsPage, language: Language, status: ServingStatus | null): Answered<Buffer> => {
    const { previous, next } = docs().around(page)
    const link = (rel: string, one: DocsPage | undefined) => one && html`<link rel="${rel}" href="${inLanguage(one.address, language)}">`
    const made = shell({
      language,
      path: page.address,
      title: titleOf(page, language),
      description: page.says[language],
      content: docsContent(page, language, docs().shelvesBeside(page), { previous, next }, status),
      entry: 'pages/reference/main.tsx',
      head: html`${link('prev', previous)}${link('next', next)}`,
    })
    return answered(made, { headers: PAGE_HEADERS })
  }
  /** Includes the parent page, because two pages may have the same name. */
  const titleOf = (page: DocsPage, language: Language): string => {
    const start = docs().pages.get('/docs')!
    return page === start ? start.title[language] : `${page.title[language]} · ${(page.above[0] ?? start).title[language]}`
  }
  const statusFor = ({ product }: DocsPage): ServingStatus | null => {
    const dataset = product === undefined ? undefined : catalog.get(product)
    return dataset ? statusOf(stateOf(dataset, releases)) : null
  }
  let revision = plansRevision()
  const pageAt = (address: string, language: Language): Answered<Buffer> => {
    if (revision !== plansRevision()) kept.clear()
    revision = plansRevision()
    const page = docs().pages.get(address)
    if (!page) return missing(address, language)
    const status = statusFor(page)
    const name = `${inLanguage(address, language)} ${status}`
    const known = kept.get(name)
    if (known) return known
    const made = keepable(whole(page, language, status))
    kept.set(name, made)
    return made
  }
  const missing = (path: string, language: Language): Answered<Buffer> =>
    notFound(shell(missingPage(language, path, MISSING.title, MISSING.words)), { headers: PAGE_HEADERS })
  const below = (language: Language) =>
    BELOW.map(([path, endpoint]) =>
      route(`GET ${inLanguage(path, language)}`, endpoint, ({ params }) => pageAt(`/docs/${Object.values(params).join('/')}`, language)),
    )
  const indexed = once((): readonly string[] => {
    const slugs = served(catalog).map(({ slug }) => slug)
    const fixed = DRAWN.filter(({ path, isPrivate }) => !isPrivate && !path.includes(':')).map(({ path }) => path)
    return [
      '/',
      '/datasets',
      '/pricing',
      '/status',
      ...slugs.flatMap(slug => [`/datasets/${slug}`, `/explore/${slug}`]),
      ...fixed,
      ...docs().pages.keys(),
    ]
  })
  return [
    route('GET /docs', START, () => pageAt('/docs', 'en')),
    route('GET /zh/docs', PAGE, () => pageAt('/docs', 'zh')),
    ...below('en'),
    ...below('zh'),
    route(
      'GET /docs/guides.json',
      GUIDES,
      once(() =>
        Buffer.from(
          JSON.stringify(
            docs().guides.map(({ address, title, says }) => ({ path: address, words: title, keywords: `${says.en} ${says.zh}` })),
          ),
        ),
      ),
    ),
    route(
      'GET /sitemap.xml',
      SITEMAP,
      once(() => sitemap(indexed(), origin())),
    ),
    route(
      'GET /robots.txt',
      ROBOTS,
      once(() => robots(origin())),
    ),
  ]
}
