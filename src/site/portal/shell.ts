import type { Words } from '../../core/index.ts'
import type { Assets } from './assets.ts'
import { type Html, html } from './html.ts'

export type Language = keyof Words

export interface Page {
  readonly language: Language
  /** Path without a language, for example `/company/2330`. */
  readonly path: string
  readonly title: string
  readonly description: string
  /** Content of `<main>`. The page's script may replace the content. */
  readonly content: Html
  /** Path below `portal`, for example `pages/company/main.tsx`. */
  readonly entry?: string
  /** Present if search engines must not index the page. */
  readonly isPrivate?: true
  /** Additional elements of `<head>`, for example links to the previous and the next page. */
  readonly head?: Html
}

export type Shell = (page: Page) => Buffer

/** Forbids inline code and content from other servers. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
} as const

const LANG: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-Hant' }

/** @param path the path without a language, for example `/company/2330` */
export const inLanguage = (path: string, language: Language): string => (language === 'en' ? path : path === '/' ? '/zh' : `/zh${path}`)

export const NAVIGATION: readonly { readonly path: string; readonly words: Words }[] = [
  { path: '/datasets', words: { en: 'Datasets', zh: '資料集' } },
  { path: '/companies', words: { en: 'Companies', zh: '公司' } },
  { path: '/market/institutional', words: { en: 'Market', zh: '市場' } },
  { path: '/explore/daily-prices', words: { en: 'Explore', zh: '探索' } },
  { path: '/screener', words: { en: 'Screener', zh: '選股' } },
  { path: '/sql', words: { en: 'SQL', zh: 'SQL' } },
  { path: '/pricing', words: { en: 'Pricing', zh: '方案' } },
  { path: '/docs', words: { en: 'Docs', zh: '文件' } },
]

export function createShell(assets: Assets, origin: () => string): Shell {
  const [style, head, frame] = ['style/base.css', 'frame/head.ts', 'frame/main.tsx'].map(assets.entry) as [
    ReturnType<Assets['entry']>,
    ReturnType<Assets['entry']>,
    ReturnType<Assets['entry']>,
  ]
  return page => {
    const { language, path, content } = page
    const entry = page.entry === undefined ? frame : assets.entry(page.entry)
    const say = (words: Words): string => words[language]
    const to = (path: string): string => inLanguage(path, language)
    const other = language === 'en' ? 'zh' : 'en'
    const [styles, preloads] = [[...style.styles, ...frame.styles, ...entry.styles], [...new Set([...frame.imports, ...entry.imports])]]
    const scripts = [...new Set([frame.script, entry.script])].filter(script => script !== null)
    const title = path === '/' ? page.title : `${page.title} · twmd`
    return Buffer.from(
      html`<!doctype html>
<html lang="${LANG[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${page.description}">
${
  page.isPrivate
    ? html`<meta name="robots" content="noindex">`
    : html`<link rel="canonical" href="${origin()}${to(path)}">
<link rel="alternate" hreflang="en" href="${origin()}${inLanguage(path, 'en')}">
<link rel="alternate" hreflang="zh-Hant" href="${origin()}${inLanguage(path, 'zh')}">
<link rel="alternate" hreflang="x-default" href="${origin()}${inLanguage(path, 'en')}">`
}
<meta property="og:title" content="${title}">
<meta property="og:description" content="${page.description}">
<meta property="og:type" content="website">
<meta property="og:url" content="${origin()}${to(path)}">
<meta property="og:image" content="${origin()}/assets/og.png">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta name="twitter:card" content="summary_large_image">
<meta property="og:site_name" content="twmd">
<meta property="og:locale" content="${language === 'en' ? 'en_US' : 'zh_TW'}">
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#11151b" media="(prefers-color-scheme: dark)">
<link rel="alternate" type="application/atom+xml" title="${say({ en: 'Data updates', zh: '資料更新' })}" href="${to('/updates.atom')}">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
${page.head ?? null}
${head.script === null ? null : html`<script src="${head.script}"></script>\n`}${[...new Set(styles)].map(href => html`<link rel="stylesheet" href="${href}">\n`)}
${preloads.map(href => html`<link rel="modulepreload" href="${href}">\n`)}${scripts.map(src => html`<script type="module" src="${src}"></script>\n`)}</head>
<body>
<a class="skip" href="#page">${say({ en: 'Skip to the content', zh: '跳到內容' })}</a>
<header class="frame-head">
<a class="name" href="${to('/')}">twmd</a>
<div id="menu" popover>
<nav aria-label="${say({ en: 'Main', zh: '主要' })}">${NAVIGATION.map(link => html`<a href="${to(link.path)}"${isWithin(path, link.path) ? html` aria-current="page"` : null}>${say(link.words)}</a> `)}</nav>
<div class="tools">
<div id="display"></div>
<button id="theme" type="button" hidden></button>
<a href="${inLanguage(path, other)}" hreflang="${LANG[other]}" lang="${LANG[other]}" id="language">${language === 'en' ? '中文' : 'English'}</a>
<a href="${to('/account')}" id="account">${say({ en: 'Sign in', zh: '登入' })}</a>
</div>
</div>
<div id="search"></div>
<button id="open-menu" type="button" popovertarget="menu" aria-label="${say({ en: 'Menu', zh: '選單' })}">☰</button>
</header>
<main id="page" tabindex="-1">
${content}
</main>
<footer class="frame-foot">
<p>${say({ en: 'Nothing here is investment advice. ', zh: '本站內容均非投資建議。' })}<a href="${to('/docs')}">${say({ en: 'Documentation', zh: '文件' })}</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/llms.txt">llms.txt</a> · <a href="${to('/status')}">${say({ en: 'Status', zh: '服務狀態' })}</a> · <a href="${to('/pricing')}">${say({ en: 'Pricing', zh: '方案' })}</a> · <a href="/metadata">${say({ en: 'Version', zh: '版本' })}</a> · <a href="${to('/operator')}">${say({ en: 'Operator', zh: '營運管理' })}</a></p>
<p>${say({ en: 'Charts: ', zh: '圖表：' })}TradingView Lightweight Charts™, Copyright © 2025 <a href="https://www.tradingview.com/" rel="noreferrer noopener">TradingView, Inc.</a></p>
</footer>
</body>
</html>
`.html,
    )
  }
}

/** Maps paths to a navigation section with another name. */
const SECTIONS: Readonly<Record<string, string>> = { company: 'companies', compare: 'companies' }

function isWithin(path: string, link: string): boolean {
  const section = path.split('/')[1] ?? ''
  return (SECTIONS[section] ?? section) === link.split('/')[1]
}
