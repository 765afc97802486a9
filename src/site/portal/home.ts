import { PLANS, type Plan, type PlanId } from '../../../catalog/index.ts'
import type { Words } from '../../core/index.ts'
import type { ServingStatus } from '../../releases/index.ts'
import { FAMILIES } from './catalog-words.ts'
import { type Html, html } from './html.ts'
import { inLanguage, type Language } from './shell.ts'
import { statusBadge } from './status.ts'

export interface Shown {
  readonly slug: string
  readonly title: string
  readonly title_zh: string
  readonly family: string
  readonly description: string
  readonly description_zh: string
  readonly status: ServingStatus
  readonly minimum_plan: string
  readonly credits_per_call: number
  readonly row_count: number | null
  readonly first_date: string | null
  readonly last_date: string | null
  readonly data_as_of: string | null
  readonly freshness_state: string
  readonly next_expected_at: string | null
  readonly warnings: readonly string[]
}

const STATE: Readonly<Record<string, Words>> = {
  fresh: { en: 'up to date', zh: '最新' },
  due: { en: 'update due', zh: '待更新' },
  late: { en: 'overdue', zh: '逾期' },
  static: { en: 'updated with its source', zh: '隨來源更新' },
  building: { en: 'not published yet', zh: '建置中' },
}

export const stateText = ({ freshness_state: state }: Pick<Shown, 'freshness_state'>, language: Language): string =>
  STATE[state]?.[language] ?? state

const EXAMPLES: readonly { readonly path: string; readonly words: Words }[] = [
  {
    path: '/company/2330',
    words: { en: '2330 TSMC: prices, institutional trades, revenue, earnings', zh: '2330 台積電：股價、籌碼、營收、獲利' },
  },
  { path: '/market/institutional', words: { en: 'Top net buying and selling on the last day', zh: '最近交易日三大法人買賣超' } },
  { path: '/market/yield-curve', words: { en: 'The 10-year government bond yield', zh: '10 年期公債殖利率' } },
  { path: '/explore/monthly-revenue', words: { en: 'Monthly revenue, filtered and sorted', zh: '每月營收，篩選與排序' } },
  { path: '/market/heat-map', words: { en: 'Heat map by industry', zh: '產業熱力圖' } },
  { path: '/market/calendar', words: { en: 'Today’s publications and next updates', zh: '今日已更新與即將更新的資料' } },
]

const [DRAWN, TRADED] = ['institutional-positioning', 'daily-prices']

export function homeContent(datasets: readonly Shown[], language: Language): Html {
  const say = (words: Words): string => words[language]
  const to = (path: string): string => inLanguage(path, language)
  const dayOf = (dataset: string) => datasets.find(({ slug }) => slug === dataset)?.data_as_of
  const [day, traded] = [dayOf(DRAWN), dayOf(TRADED)]
  return html`<section class="hero">
<div>
<h1>${say({ en: 'Taiwan market data', zh: '臺灣市場資料' })}</h1>
<p class="lead">${say({
    en: 'Prices, institutional flows, earnings and reference data of Taiwan’s securities market. Browse it here and read it over HTTP, with sources, freshness and known gaps.',
    zh: '臺灣證券市場的股價、法人、獲利與基本資料：先在此瀏覽，再以 HTTP 讀取，並附來源、更新時效與已知缺漏。',
  })}</p>
<p class="actions"><a class="button primary" href="${to('/company/2330')}">${say({ en: 'See a company', zh: '查看公司' })}</a> <a class="button" href="${to('/explore/daily-prices')}">${say({ en: 'Explore data', zh: '探索資料' })}</a> <a class="button" href="${to('/account')}">${say({ en: 'Get a key', zh: '取得金鑰' })}</a></p>
</div>
<nav aria-labelledby="examples"><h2 id="examples">${say({ en: 'Examples', zh: '範例' })}</h2>
<ul>${EXAMPLES.map(one => html`<li><a href="${to(one.path)}">${say(one.words)}</a></li>`)}</ul></nav>
</section>
${figures(datasets, say)}
${sampleNotice(datasets, language)}
<div id="home"${day ? html` data-day="${day}"` : null}${traded ? html` data-traded="${traded}"` : null}></div>
<h2><a href="${to('/pricing')}">${say({ en: 'Plans', zh: '方案' })}</a></h2>
${plansTable(language)}
<p>${say({ en: 'To get a key, sign in by e-mail: ', zh: '以電子郵件驗證碼登入即可取得金鑰：' })}<a href="${to('/account')}">${say({ en: 'sign in', zh: '登入' })}</a>${say({ en: '. ', zh: '。' })}<a href="${to('/docs')}">${say({ en: 'The documentation', zh: '文件' })}</a></p>
<h2><a href="${to('/datasets')}">${say({ en: 'Datasets', zh: '資料集' })}</a></h2>
${datasetLinks(datasets, language)}`
}

function figures(datasets: readonly Shown[], say: (words: Words) => string): Html {
  const held = datasets.filter(({ row_count: rows }) => rows !== null && rows > 0)
  const rows = held.reduce((sum, dataset) => sum + (dataset.row_count ?? 0), 0)
  const scheduled = held.filter(({ freshness_state: state }) => state !== 'static')
  // Without a schedule, the day can be a publication day, such as that of the trading calendar.
  const days = scheduled.map(({ data_as_of: day }) => day ?? '').toSorted()
  const fresh = scheduled.filter(({ freshness_state: state }) => state === 'fresh').length
  const rest = held.length - scheduled.length
  const figure = (value: string, words: Words): Html => html`<div><dt>${say(words)}</dt><dd>${value}</dd></div>`
  return html`<dl class="figures">
${figure(whole.format(held.length), { en: 'datasets served', zh: '提供資料集' })}
${figure(whole.format(rows), { en: 'rows', zh: '資料列數' })}
${figure(days.at(-1) || '–', { en: 'newest day', zh: '最新日期' })}
${figure(`${fresh} / ${scheduled.length}`, {
  en: `scheduled datasets up to date${rest > 0 ? `; ${rest} without a schedule` : ''}`,
  zh: `定期更新者已是最新${rest > 0 ? `；另 ${rest} 項不定期更新` : ''}`,
})}
</dl>`
}

const isSynthetic = ({ warnings }: Pick<Shown, 'warnings'>): boolean => warnings.includes('synthetic_sample_data')

const SYNTHETIC_ROWS: Words = {
  en: 'The rows of this dataset are synthetic. Responses have the warning synthetic_sample_data.',
  zh: '此資料集為合成資料，其回應帶有警告 synthetic_sample_data。',
}
const SYNTHETIC_DATASETS: Words = {
  en: 'Some datasets have synthetic rows. Their responses have the warning synthetic_sample_data.',
  zh: '部分資料集為合成資料，其回應帶有警告 synthetic_sample_data。',
}

/** Null if no dataset has sample data. */
export const sampleNotice = (datasets: readonly Pick<Shown, 'warnings'>[], language: Language): Html | null =>
  datasets.some(isSynthetic)
    ? html`<p class="notice warn"><strong>${language === 'en' ? 'Sample data. ' : '合成資料。'}</strong>${(datasets.length === 1 ? SYNTHETIC_ROWS : SYNTHETIC_DATASETS)[language]}</p>`
    : null

/** Shared, because creating a number format takes longer than rendering a page. */
export const whole = new Intl.NumberFormat('en-US')

const priceText = ({ price: { amount, currency } }: Plan, language: Language): string =>
  language === 'zh' ? `${whole.format(amount / 100)} 元` : `${currency} ${whole.format(amount / 100)}`

const planRow = (plan: Plan, language: Language): Html => {
  const { name, creditsPerMonth, rowLimit, requestsPerMinute } = plan
  return html`<tr><td>${name}<td class="number">${priceText(plan, language)}<td class="number">${whole.format(creditsPerMonth)}<td class="number">${whole.format(rowLimit)}<td class="number">${whole.format(requestsPerMinute)}`
}

export function plansTable(language: Language): Html {
  const say = (words: Words): string => words[language]
  const label = say({ en: 'Plans', zh: '方案' })
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}"><table><thead><tr><th>${say({ en: 'Plan', zh: '方案' })}<th class="number">${say({ en: 'Per month', zh: '每月' })}<th class="number">${say({ en: 'Credits', zh: '點數' })}<th class="number">${say({ en: 'Rows per response', zh: '每次讀取列數' })}<th class="number">${say({ en: 'Requests per minute', zh: '每分鐘請求數' })}</thead><tbody>${Object.values(PLANS).map(plan => planRow(plan, language))}</tbody></table></div>`
}

/** Sorts the datasets of a group by title in the language. */
function grouped(datasets: readonly Shown[], language: Language) {
  const known = new Set(FAMILIES.map(({ family }) => family))
  const groups = [
    ...FAMILIES,
    ...datasets.filter(({ family }) => !known.has(family)).map(({ family }) => ({ family, words: { en: family, zh: family } })),
  ]
  return groups
    .map(({ family, words }) => ({
      family,
      title: words[language],
      members: datasets.filter(dataset => dataset.family === family).toSorted(byTitle(language)),
    }))
    .filter(({ members }) => members.length > 0)
}

export const byTitle = (language: Language) => {
  const titleOf = ({ title, title_zh }: Shown): string => (language === 'en' ? title : title_zh)
  return (a: Shown, b: Shown): number => titleOf(a).localeCompare(titleOf(b), language === 'en' ? 'en' : 'zh-Hant')
}

const datasetLinks = (datasets: readonly Shown[], language: Language): Html =>
  html`<div class="dataset-links">${grouped(datasets, language).map(
    ({ title, members }) =>
      html`<section><h3>${title}</h3><ul>${members.map(
        dataset =>
          html`<li><a href="${inLanguage(`/datasets/${dataset.slug}`, language)}">${language === 'en' ? dataset.title : dataset.title_zh}</a> <small class="state-${dataset.freshness_state}">${dataset.freshness_state === 'fresh' ? (dataset.data_as_of ?? '') : stateText(dataset, language)}</small>`,
      )}</ul></section>`,
  )}</div>`

export const datasetCards = (datasets: readonly Shown[], language: Language): Html =>
  html`${grouped(datasets, language).map(
    ({ family, title, members }) => html`<section class="group" id="${family}"><h2>${title}</h2>
<div class="cards">${members.map(dataset => card(dataset, language))}</div></section>
`,
  )}`

export function pricingContent(datasets: readonly Shown[], isPaymentConfigured: boolean, language: Language): Html {
  const say = (words: Words): string => words[language]
  const to = (path: string): string => inLanguage(path, language)
  const title = say({ en: 'Plans and prices', zh: '方案與價格' })
  const added = (plan: Plan): Html => {
    const members = datasets.filter(({ minimum_plan }) => minimum_plan === plan.id).toSorted(byTitle(language))
    return html`<article class="card plan"><h2>${plan.name}</h2>
<p class="large">${priceText(plan, language)} <small>${say({ en: 'per month', zh: '／月' })}</small></p>
<ul>
<li>${say({ en: `${whole.format(plan.creditsPerMonth)} credits per month`, zh: `每月 ${whole.format(plan.creditsPerMonth)} 點` })}</li>
<li>${say({ en: `${whole.format(plan.rowLimit)} rows per response`, zh: `每次讀取最多 ${whole.format(plan.rowLimit)} 列` })}</li>
<li>${say({ en: `${whole.format(plan.requestsPerMinute)} requests per minute`, zh: `每分鐘 ${whole.format(plan.requestsPerMinute)} 次請求` })}</li>
<li>${say({ en: `${plan.webhookEndpoints} webhook ${plan.webhookEndpoints === 1 ? 'endpoint' : 'endpoints'}`, zh: `${plan.webhookEndpoints} 個 Webhook` })}</li>
</ul>
${
  plan.rank === 0
    ? html`<p class="actions"><a class="button" href="${to('/account')}">${say({ en: 'Get a free key', zh: '取得免費金鑰' })}</a></p>`
    : isPaymentConfigured
      ? html`<p class="actions"><a class="button${plan.rank === 1 ? ' primary' : ''}" href="${to('/account#plan')}">${say({ en: `Choose ${plan.name}`, zh: `選擇 ${plan.name}` })}</a></p>`
      : null
}
<h3>${plan.rank === 0 ? say({ en: 'Datasets', zh: '資料集' }) : say({ en: 'Adds these datasets', zh: '另含資料集' })}</h3>
<ul>${members.map(({ slug, title: name, title_zh, credits_per_call: credits }) => html`<li><a href="${to(`/datasets/${slug}`)}">${say({ en: name, zh: title_zh })}</a> <small class="dim">${say({ en: `${credits} ${credits === 1 ? 'credit' : 'credits'} per read`, zh: `每次讀取 ${credits} 點` })}</small></li>`)}</ul></article>`
  }
  return html`<h1>${title}</h1>
<p>${say({ en: 'Pages are free to browse if the operator admits visitors. Programs and downloads need a key. Each plan contains the ones before it; prices exclude tax.', zh: '若營運者開放，免登入即可瀏覽網頁，不收費。以程式讀取或下載檔案需使用金鑰。較高的方案包含較低方案的所有內容；價格未含稅。' })}</p>
${isPaymentConfigured ? null : html`<p class="notice warn">${say({ en: 'This service does not accept payments. Its operator can grant a paid plan to your account.', zh: '本服務未開放線上付款，付費方案請洽營運者開通。' })}</p>`}
<div class="cards">${Object.values(PLANS).map(added)}</div>
<p>${say({ en: 'See also ', zh: '另見' })}<a href="${to('/docs/accounts-and-limits')}">${say({ en: 'accounts and limits', zh: '帳戶與限制' })}</a>${say({ en: '.', zh: '。' })}</p>`
}

function card(dataset: Shown, language: Language): Html {
  const say = (words: Words): string => words[language]
  const { slug, title, title_zh, description, description_zh } = dataset
  return html`<article class="card" data-plan="${dataset.minimum_plan}">
<h3><a href="${inLanguage(`/datasets/${slug}`, language)}">${language === 'en' ? title : title_zh}</a></h3>
<p>${say({ en: description, zh: description_zh })}</p>
<dl>
${datasetFacts(dataset, language)}
</dl>
<p><a href="${inLanguage(`/explore/${slug}`, language)}">${say({ en: 'Explore', zh: '探索' })}</a> · <a href="/v2/datasets/${slug}/schema">${say({ en: 'Columns', zh: '欄位' })}</a> · <a href="/v2/coverage/${slug}">${say({ en: 'Coverage', zh: '涵蓋範圍' })}</a></p>
</article>`
}

const COMMA: Words = { en: ', ', zh: '，' }

export function datasetFacts(dataset: Shown, language: Language): Html {
  const say = (words: Words): string => words[language]
  const { status, freshness_state: state, credits_per_call: credits } = dataset
  return html`<dt>${say({ en: 'Status', zh: '狀態' })}</dt><dd>${statusBadge(status, language)}</dd>
<dt>${say({ en: 'Freshness', zh: '更新時效' })}</dt><dd class="state-${state}">${stateText(dataset, language)}${dataset.data_as_of ? html`${say({ en: ', data as of ', zh: '，資料至 ' })}<time>${dataset.data_as_of}</time>` : null}</dd>
<dt>${say({ en: 'Coverage', zh: '涵蓋範圍' })}</dt><dd>${coverage(dataset, say)}${isSynthetic(dataset) ? html`${say(COMMA)}<strong>${say({ en: 'sample data', zh: '合成資料' })}</strong>` : null}</dd>
<dt>${say({ en: 'Price', zh: '價格' })}</dt><dd>${say({ en: `plan ${PLANS[dataset.minimum_plan as PlanId]?.name ?? dataset.minimum_plan}, ${credits} ${credits === 1 ? 'credit' : 'credits'} a read`, zh: `${PLANS[dataset.minimum_plan as PlanId]?.name ?? dataset.minimum_plan} ${dataset.minimum_plan === 'max' ? '' : '以上'}方案，每次讀取 ${credits} 點` })}</dd>`
}

function coverage(
  { row_count: rows, first_date: from, last_date: to }: Pick<Shown, 'row_count' | 'first_date' | 'last_date'>,
  say: (words: Words) => string,
): Html {
  if (rows === null) return html`${say({ en: 'unknown at the moment', zh: '目前未知' })}`
  const days =
    from === null || to === null
      ? null
      : html`${say(COMMA)}${from === to ? null : html`<time>${from}</time>${say({ en: ' to ', zh: ' 至 ' })}`}<time>${to}</time>`
  return html`${whole.format(rows)} ${say({ en: rows === 1 ? 'row' : 'rows', zh: '列' })}${days}`
}
