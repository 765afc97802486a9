import { z } from 'zod'
import { plansRevision, TICKERS } from '../../../catalog/index.ts'
import { Refusal, type Words } from '../../core/index.ts'
import {
  type CatalogState,
  type CatalogStateDeps,
  cachePerState,
  createCatalogState,
  datasetsView,
  type Publications,
  schemaView,
  tickerCoverage,
} from '../../coverage/index.ts'
import { type Answered, answered, type Endpoint, keepAnswers, notFound, type Route, route } from '../../http/kernel/index.ts'
import type { Assets } from './assets.ts'
import { coverageTable, type DatasetCoverage } from './coverage-table.ts'
import { type DescribedDataset, datasetContent } from './dataset.ts'
import { datasetCards, homeContent, pricingContent, sampleNotice } from './home.ts'
import { type Html, html } from './html.ts'
import { newestDays } from './newest-days.ts'
import { missingPage } from './not-found.ts'
import { DATASET_ENTRY, DRAWN, type DrawnPage } from './pages.ts'
import { inLanguage, type Language, PAGE_HEADERS, type Page, type Shell } from './shell.ts'
import { statusContent } from './status-page.ts'
import type { TrafficDay } from './traffic.ts'
import { updatesFeed } from './updates-feed.ts'

export interface PortalDeps extends CatalogStateDeps {
  readonly assets: Assets
  readonly shell: Shell
  readonly publications: Publications
  readonly origin: () => string
  readonly isPaymentConfigured: boolean
  /** The last 90 days, oldest first. */
  readonly traffic: () => readonly TrafficDay[]
  /** Null for an unknown security. */
  readonly nameOf: (ticker: string) => { readonly [language in Language]: string | null } | null
}

const LANGUAGES: readonly Language[] = ['en', 'zh']

const PAGE = {
  summary: 'A page for a browser',
  summaryZh: '瀏覽器頁面',
  group: 'service',
  caller: 'public',
  answer: 'text/html',
  unparsed: true,
  unlisted: 'a page for a browser',
} as const satisfies Endpoint

const NAMED_PAGE = { ...PAGE, path: z.object({ name: z.string() }) } as const satisfies Endpoint

const ASSET = {
  summary: 'A script, style or picture of the pages',
  summaryZh: '頁面的程式、樣式或圖片',
  group: 'service',
  caller: 'public',
  path: z.object({ file: z.string() }),
  answer: 'application/octet-stream',
  cache: 'public, max-age=31536000, immutable',
  unlisted: 'a file of the pages for browsers',
} as const satisfies Endpoint

const HOME = {
  title: { en: 'twmd: Taiwan market data', zh: 'twmd：臺灣市場資料' },
  description: {
    en: 'Prices, institutional flows, earnings, revenue and reference data of Taiwan’s securities market, with sources, freshness and known gaps.',
    zh: '臺灣證券市場的股價、法人、獲利、營收與基本資料，附來源、更新時效與已知缺漏。',
  },
} as const satisfies Readonly<Record<string, Words>>

const DATASETS = {
  title: { en: 'Datasets', zh: '資料集' },
  description: {
    en: 'Every dataset with its state, freshness, coverage and price.',
    zh: '所有資料集的狀態、更新時效、涵蓋範圍與價格。',
  },
} as const satisfies Readonly<Record<string, Words>>

const PRICING = {
  title: { en: 'Plans and prices', zh: '方案與價格' },
  description: {
    en: 'Price, credits, limits and datasets of each plan.',
    zh: '各方案的價格、點數、限制與所含資料集。',
  },
} as const satisfies Readonly<Record<string, Words>>

const STATUS = {
  title: { en: 'Status', zh: '服務狀態' },
  description: {
    en: 'Freshness of every dataset, its publications and the answered API requests of the last 90 days.',
    zh: '各資料集的更新時效、近 90 日發布紀錄與 API 請求成功率。',
  },
} as const satisfies Readonly<Record<string, Words>>

const FEED = {
  ...PAGE,
  summary: 'Publications as an Atom feed',
  summaryZh: '資料更新（Atom）',
  answer: 'application/xml',
  unlisted: 'a feed for readers of news',
} as const satisfies Endpoint

const WITHOUT_SCRIPT: Words = {
  en: 'This page needs JavaScript. The same data is available from the API: ',
  zh: '此頁面需啟用 JavaScript。相同資料可由 API 取得：',
}
interface Unknown {
  readonly title: Words
  readonly words: Words
}

const NO_DATASET: Unknown = {
  title: { en: 'Unknown dataset', zh: '查無此資料集' },
  words: { en: 'The catalog has no dataset with this name.', zh: '目錄中沒有此名稱的資料集。' },
}
const NO_TICKER: Unknown = {
  title: { en: 'Unknown symbol', zh: '查無此證券代號' },
  words: {
    en: 'No list contains this code. Search by code, name or English short name.',
    zh: '收錄清單中沒有此代號，請以代號、名稱或英文簡稱搜尋。',
  },
}

/** Undefined for API paths and for clients other than browsers. */
export function notFoundPage(shell: Shell, { method, path, wanted }: UnmatchedRequest): Buffer | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || wanted !== 'text/html' || FOR_PROGRAMS.test(path)) return undefined
  const language = /^\/zh(\/|$)/.test(path) ? 'zh' : 'en'
  return shell(missingPage(language, '/', NOWHERE, SEARCH))
}

export interface UnmatchedRequest {
  readonly method: string
  readonly path: string
  readonly wanted: string | undefined
}

const NOWHERE: Words = { en: 'Page not found', zh: '找不到此頁面' }
const SEARCH: Words = {
  en: 'No page has this address. It may be misspelled, or the page may have moved.',
  zh: '沒有頁面使用此網址；網址可能有誤，或頁面已移動。',
}
const FOR_PROGRAMS = /^\/(v\d+|internal|files|delta-sharing|fact|assets)(\/|$)|\.\w+$/

/** Limits length and characters, because pages show the symbol. */
const TICKER = new RegExp(`^(?:${TICKERS.pattern})$`)

/** Enough for all dataset pages and several hundred company pages. */
const KEPT_BYTES = 8 * 1024 * 1024

export function portalRoutes(deps: PortalDeps): readonly Route<'public'>[] {
  const { assets, shell } = deps
  const state = createCatalogState(deps)
  const view = cachePerState(datasetsView)
  const list = (now: CatalogState): readonly DescribedDataset[] => view(now).data
  const page = (page: Page): Answered<Buffer> => answered(shell(page), { headers: PAGE_HEADERS })
  const keep = keepAnswers(KEPT_BYTES)
  const kept = (path: string, language: Language, make: (now: CatalogState) => Answered<Buffer>): Answered<Buffer> => {
    const now = state()
    // The home page shows the plans, so the plans are part of the key.
    return keep(view(now), `${plansRevision()} ${inLanguage(path, language)}`, () => make(now))
  }
  const cardsIn = Object.fromEntries(
    LANGUAGES.map(language => [language, cachePerState(now => datasetCards(list(now), language))]),
  ) as Readonly<Record<Language, (now: CatalogState) => Html>>
  const missing = (language: Language, path: string, { title, words }: Unknown = NO_DATASET): Answered<Buffer> =>
    notFound(shell(missingPage(language, path, title, words)), { headers: PAGE_HEADERS })
  const find = (slug: string): DescribedDataset | undefined => list(state()).find(dataset => dataset.slug === slug)
  const at = (path: string, language: Language): `GET ${string}` => `GET ${inLanguage(path, language)}`
  const pagesIn = (language: Language): readonly Route<'public'>[] => {
    const home = (now: CatalogState) =>
      page({
        language,
        path: '/',
        title: HOME.title[language],
        description: HOME.description[language],
        content: homeContent(list(now), language),
        entry: 'pages/home/main.tsx',
      })
    const datasets = (now: CatalogState) => {
      const [title, description] = [DATASETS.title[language], DATASETS.description[language]]
      const content = html`<h1>${title}</h1><p>${description}</p>${sampleNotice(list(now), language)}<div id="filter"></div>${cardsIn[language](now)}`
      return page({ language, path: '/datasets', title, description, content, entry: 'pages/datasets/main.tsx' })
    }
    const pricing = (now: CatalogState) =>
      page({
        language,
        path: '/pricing',
        title: PRICING.title[language],
        description: PRICING.description[language],
        content: pricingContent(list(now), deps.isPaymentConfigured, language),
      })
    const described = (dataset: DescribedDataset, path: string) => {
      const [title, description] = language === 'en' ? [dataset.title, dataset.description] : [dataset.title_zh, dataset.description_zh]
      const content = datasetContent(dataset, schemaView(deps.catalog.get(dataset.slug)!), language)
      return page({ language, path, title, description, content, entry: DATASET_ENTRY })
    }
    return [
      route(at('/', language), PAGE, () => kept('/', language, home)),
      route(at('/datasets', language), PAGE, () => kept('/datasets', language, datasets)),
      route(at('/pricing', language), PAGE, () => kept('/pricing', language, pricing)),
      route(at('/status', language), PAGE, () =>
        page({
          language,
          path: '/status',
          title: STATUS.title[language],
          description: STATUS.description[language],
          content: statusContent(list(state()), deps.publications.all(), deps.traffic(), deps.clock(), language),
        }),
      ),
      route(at('/updates.atom', language), FEED, () => updatesFeed(deps.publications.all(), deps.origin(), language)),
      route(at('/datasets/:name', language), NAMED_PAGE, ({ params: { name } }) => {
        const dataset = find(name)
        const path = `/datasets/${encodeURIComponent(name)}`
        return dataset ? kept(path, language, () => described(dataset, path)) : missing(language, path)
      }),
      ...DRAWN.map(one => drawn(one, language)),
    ]
  }
  const heldBy = (now: CatalogState, slugs: DrawnPage['drawnFrom']): readonly DatasetCoverage[] =>
    list(now)
      .filter(({ slug }) => slugs === 'all' || slugs?.includes(slug))
      .map(dataset => ({ dataset, rows: dataset.row_count, first: dataset.first_date, last: dataset.last_date }))
  const drawn = (one: DrawnPage, language: Language): Route<'public'> => {
    const pageOf = (path: string, name: string, held: readonly DatasetCoverage[], head: Html | null = null): Page => {
      const [title, description] = [one.title(name)[language], one.description(name)[language]]
      const content = waiting({ title, description, keepsLead: one.keepsLead === true }, coverageTable(held, language), language)
      return { language, path, title, description, content, entry: one.entry, ...privacy(one), ...(head && { head }) }
    }
    const headOf = (now: CatalogState, held: readonly DatasetCoverage[]): Html | null => {
      if (one.path === '/account') return deps.isPaymentConfigured ? null : NO_PAYMENTS
      return Array.isArray(one.drawnFrom) ? newestDays(held, now.isClosed) : null
    }
    const named = /:(\w+)$/.exec(one.path)
    if (!named)
      return route(at(one.path, language), PAGE, () =>
        kept(one.path, language, now => {
          const held = heldBy(now, one.drawnFrom)
          return page(pageOf(one.path, '', held, headOf(now, held)))
        }),
      )
    return route(at(one.path.replace(named[0], ':name'), language), NAMED_PAGE, ({ params: { name } }) => {
      const path = one.path.replace(named[0], encodeURIComponent(name))
      if (named[1] === 'slug') {
        const dataset = find(name)
        if (!dataset) return missing(language, path)
        const title = language === 'en' ? dataset.title : dataset.title_zh
        return kept(path, language, now => page(pageOf(path, title, heldBy(now, [name]))))
      }
      if (!TICKER.test(name)) return missing(language, path, NO_TICKER)
      const names = deps.nameOf(name)
      const security = names ? ` ${names[language] ?? names.zh ?? ''}`.trimEnd() : ''
      // The index may not have the name at the first request, so the name is a part of the key.
      return kept(`${path}${security}`, language, now => {
        const { held, empty, isKnown } = ofTicker(now, name, list(now))
        if (isKnown) return page(pageOf(path, `${name}${security}`, held, securityFacts(names, empty)))
        return missing(language, path, {
          ...NO_TICKER,
          title: { en: `${name}: ${NO_TICKER.title.en}`, zh: `${name}：${NO_TICKER.title.zh}` },
        })
      })
    })
  }
  return [
    ...LANGUAGES.flatMap(pagesIn),
    route('GET /assets/:file', ASSET, ({ params: { file } }) => {
      const found = assets.file(file)
      if (!found) throw new Refusal('unknown_path')
      return answered(found.bytes, { encoder: { mediaType: found.mediaType } })
    }),
  ]
}

/**
 * A ticker is known if any dataset has rows for the ticker. `empty` has the slugs of the datasets
 * without rows for the ticker.
 */
function ofTicker(state: CatalogState, ticker: string, datasets: readonly DescribedDataset[]) {
  const { data } = tickerCoverage(state, ticker)
  const held = data.flatMap(({ slug, covered, row_count: rows, first_date: first, last_date: last }): DatasetCoverage[] =>
    covered ? [{ dataset: datasets.find(dataset => dataset.slug === slug)!, rows, first, last }] : [],
  )
  const isServed = data.some(({ slug }) => (datasets.find(dataset => dataset.slug === slug)?.row_count ?? 0) > 0)
  const empty = data.flatMap(({ slug, covered }) => (covered === false ? slug : []))
  return { held, empty, isKnown: held.length > 0 || !isServed || data.some(({ covered }) => covered === null) }
}

const NO_PAYMENTS = html`<meta name="payments" content="off">`

/**
 * Renders a meta element for the script of the company page. The element contains the names of the
 * security and lists the empty panels. The page can then reserve the final heights.
 *
 * @param empty the slugs of the datasets without rows of the security
 */
const securityFacts = (names: ReturnType<PortalDeps['nameOf']>, empty: readonly string[]): Html =>
  html`<meta name="security"${names?.zh ? html` data-zh="${names.zh}"` : null}${names?.en ? html` data-en="${names.en}"` : null} data-empty="${empty.join(' ')}">`

const privacy = ({ isPrivate }: DrawnPage) => (isPrivate ? ({ isPrivate } as const) : {})

interface Waiting {
  readonly title: string
  readonly description: string
  readonly keepsLead: boolean
}

/** Shown until the page's script has rendered the page. */
const waiting = ({ title, description, keepsLead }: Waiting, held: Html | null, language: Language): Html => html`<h1>${title}</h1>
<p class="${keepsLead ? 'lead' : 'waiting'}">${description}</p>
<noscript>${held}<p class="notice">${WITHOUT_SCRIPT[language]}<a href="${language === 'en' ? '/docs' : '/zh/docs'}">${language === 'en' ? 'documentation' : '文件'}</a></p></noscript>`
