import { PLANS, type Plan } from '../../../../../catalog/index.ts'
import { type Html, html, page } from './html.ts'

/** What the first page shows of a dataset: the fields of the catalog list it needs. */
export interface Shown {
  readonly slug: string
  readonly title: string
  readonly title_zh: string
  readonly description: string
  readonly status: string
  readonly minimum_plan: string
  readonly credits_per_call: number
  readonly row_count: number | null
  readonly first_date: string | null
  readonly last_date: string | null
  readonly data_as_of: string | null
  readonly freshness_state: string
  readonly warnings: readonly string[]
  readonly links: { readonly read: string; readonly schema: string; readonly coverage: string }
}

/** Freshness in words a visitor reads, in both languages. */
const STATE: Readonly<Record<string, string>> = {
  fresh: 'up to date 最新',
  due: 'next day due 待更新',
  late: 'late 逾期',
  static: 'changes with its source 隨來源更新',
  building: 'not published yet 建置中',
}

/** The first page: what this is, every dataset with status, freshness and coverage, and where to read on. */
export function homePage(datasets: readonly Shown[]): Buffer {
  const synthetic = datasets.some(isSynthetic)
  return page(
    'twmd: Taiwan market data',
    html`<h1>Taiwan market data 臺灣市場資料</h1>
<p>Historical data of Taiwan’s securities market over HTTP, with where it comes from, how fresh it is and what it lacks.
<span lang="zh-Hant">臺灣證券市場歷史資料，附來源、更新時效與已知缺漏。</span></p>
${synthetic ? html`<p class="notice"><strong>Sample data.</strong> Some of what is served here is made up and says so in its warnings. <span lang="zh-Hant">部分為合成資料。</span></p>` : null}
<p><a href="/docs">Reference, with forms to try 參考頁面</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/llms.txt">llms.txt</a> · <a href="/v2/updates">Updates 更新紀錄</a></p>
<h2>Plans 方案</h2>
<table><thead><tr><th>plan<th>a month<th>credits<th>rows an answer<th>requests a minute</thead><tbody>${Object.values(PLANS).map(planRow)}</tbody></table>
<p>A key comes with signing in by mail: <a href="/docs#post-v2-self-serve-onboarding-start">ask for a code</a>, <a href="/docs#post-v2-self-serve-onboarding-complete">send it back</a>, and put the key in the header <code>X-API-Key</code>. <span lang="zh-Hant">以電子郵件驗證碼登入即可取得金鑰。</span></p>
<h2>Datasets 資料集</h2>
<div class="cards">${datasets.map(card)}</div>
<p class="dim">Nothing here is investment advice. <span lang="zh-Hant">非投資建議。</span></p>`,
  )
}

const isSynthetic = ({ warnings }: Pick<Shown, 'warnings'>): boolean => warnings.includes('synthetic_sample_data')

const whole = new Intl.NumberFormat('en-US')

/** The price is in minor units, a hundredth of a dollar. */
const planRow = ({ name, price, creditsPerMonth, rowLimit, requestsPerMinute }: Plan): Html =>
  html`<tr><td>${name}<td class="number">${price.currency} ${whole.format(price.amount / 100)}<td class="number">${whole.format(creditsPerMonth)}<td class="number">${whole.format(rowLimit)}<td class="number">${whole.format(requestsPerMinute)}`

function card({ title, title_zh, description, status, freshness_state: state, links, ...dataset }: Shown): Html {
  return html`<article class="card">
<h3><a href="/docs#${operationOf(links.read)}">${title}</a> <span lang="zh-Hant">${title_zh}</span></h3>
<p>${description}</p>
<dl>
<dt>Status</dt><dd>${status}</dd>
<dt>Freshness</dt><dd class="state-${state}">${STATE[state] ?? state}${dataset.data_as_of ? `, data as of ${dataset.data_as_of}` : ''}</dd>
<dt>Coverage</dt><dd>${coverage(dataset)}${isSynthetic(dataset) ? html`, <strong>sample data</strong> <span lang="zh-Hant">合成資料</span>` : null}</dd>
<dt>Price</dt><dd>plan ${dataset.minimum_plan}, ${dataset.credits_per_call} ${dataset.credits_per_call === 1 ? 'credit' : 'credits'} a read</dd>
</dl>
<p><a href="${links.schema}">Columns</a> · <a href="${links.coverage}">Coverage</a></p>
</article>`
}

const operationOf = (path: string): string => `get${path.replaceAll('/', '-')}`

function coverage({ row_count: rows, first_date: from, last_date: to }: Pick<Shown, 'row_count' | 'first_date' | 'last_date'>): string {
  if (rows === null) return 'unknown at the moment'
  const days = from === null || to === null ? '' : from === to ? `, ${to}` : `, ${from} to ${to}`
  return `${whole.format(rows)} rows${days}`
}
