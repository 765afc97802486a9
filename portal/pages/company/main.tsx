import '../../frame/main.tsx'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { remember } from '../../frame/hits.ts'
import { Choice } from '../../parts/choice.tsx'
import { LANGUAGE, pagePath, say, type Words } from '../../parts/language.ts'
import { mount } from '../../parts/mount.tsx'
import { securityEnglishName, securityName } from '../../parts/security.ts'
import '../../style/company.css'
import '../../style/panel.css'
import { Dividends } from './dividends.tsx'
import { Earnings } from './earnings.tsx'
import { Risks } from './events.tsx'
import { Flows } from './flows.tsx'
import { Heading } from './heading.tsx'
import { ForeignHolding, Holders } from './holders.tsx'
import { type Identity, useFound, useIdentity } from './identity.ts'
import { Lending } from './lending.tsx'
import { Peers } from './peers.tsx'
import { Prices } from './prices.tsx'
import { RANGES, type Range, show, view } from './range.ts'
import { Revenue } from './revenue.tsx'
import { Valuation } from './valuation.tsx'

interface Section {
  readonly id: string
  readonly words: Words
  readonly Panel: ComponentType<{ readonly symbol: string }>
  /** True for panels that do not apply to funds. */
  readonly isOfCompanies?: true
}

/** Panels in the order of the page. The `id` is the anchor. */
const PANELS: readonly Section[] = [
  { id: 'prices', words: { en: 'Prices', zh: '股價' }, Panel: Prices },
  { id: 'institutional', words: { en: 'Institutions', zh: '法人' }, Panel: Flows },
  { id: 'revenue', words: { en: 'Revenue', zh: '營收' }, Panel: Revenue, isOfCompanies: true },
  { id: 'earnings', words: { en: 'Earnings', zh: '獲利' }, Panel: Earnings, isOfCompanies: true },
  { id: 'margin', words: { en: 'Margin', zh: '資券' }, Panel: Lending },
  { id: 'foreign', words: { en: 'Foreign', zh: '外資持股' }, Panel: ForeignHolding },
  { id: 'valuation', words: { en: 'Valuation', zh: '評價' }, Panel: Valuation, isOfCompanies: true },
  { id: 'dividends', words: { en: 'Dividends', zh: '除權息' }, Panel: Dividends },
  { id: 'holders', words: { en: 'Holders', zh: '股權' }, Panel: Holders },
  { id: 'risks', words: { en: 'Risk events', zh: '風險事件' }, Panel: Risks },
]

/** Security types without financial statements and price ratios. */
const FUNDS: ReadonlySet<string> = new Set(['ETF', 'ETN'])

const SPAN: Readonly<Record<Range, Words>> = {
  '1M': { en: '1 month', zh: '1 個月' },
  '6M': { en: '6 months', zh: '6 個月' },
  '1Y': { en: '1 year', zh: '1 年' },
  '3Y': { en: '3 years', zh: '3 年' },
  all: { en: 'All', zh: '全部' },
}

function Company() {
  const symbol = (pagePath()[1] ?? '').toUpperCase()
  const identity = useIdentity(symbol).value
  // The lists give delisted securities no type. Only the search index has their last day.
  const isUnlisted = identity.state === 'done' && !identity.value?.type
  const same = useFound(isUnlisted ? symbol : null).value.value?.find(({ id }) => id === symbol)
  const name = (LANGUAGE === 'en' ? (identity.value?.englishName ?? same?.title_en) : null) ?? identity.value?.name ?? same?.title
  useEffect(() => {
    if (!name) return
    document.title = `${symbol} ${name} · twmd`
    const { name: chinese, englishName } = identity.value ?? { name: null, englishName: null }
    remember({ type: 'symbol', id: symbol, title: chinese ?? name, title_en: englishName, title_zh: chinese, subtitle: null })
  }, [name])
  // The browser scrolled to the anchor before the section existed. The page therefore scrolls
  // again.
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), [])
  const known: Identity = {
    name: same?.title ?? securityName,
    englishName: same?.title_en ?? securityEnglishName,
    market: same?.market ?? null,
    industry: null,
    type: null,
  }
  const { type, industry } = identity.value ?? {}
  const isFund = FUNDS.has(type ?? '')
  const panels = PANELS.filter(({ isOfCompanies }) => !(isOfCompanies && isFund))
  const hasPeers = type === '股票' && typeof industry === 'string'
  return (
    <>
      <Heading symbol={symbol} identity={identity.value ?? known} delistedOn={same?.delisted_on ?? null} />
      <div class="company-bar">
        <Ranges />
        <nav aria-label={say({ en: 'On this page', zh: '本頁內容' })}>
          {panels.map(({ id, words }) => (
            <a key={id} href={`#${id}`}>
              {say(words)}
            </a>
          ))}
          {hasPeers && <a href="#peers">{say({ en: 'Peers', zh: '同業' })}</a>}
        </nav>
      </div>
      <div class="panels">
        {panels.map(({ id, Panel }) => (
          <Panel key={id} symbol={symbol} />
        ))}
        {hasPeers && <Peers symbol={symbol} industry={industry} />}
      </div>
      {isFund && (
        <p class="dim">
          {say({
            en: 'Funds have no revenue, earnings or price ratios.',
            zh: '基金沒有營收、財務報表與本益比等資料。',
          })}
        </p>
      )}
    </>
  )
}

const Ranges = () => (
  <Choice
    label={say({ en: 'Period', zh: '期間' })}
    options={RANGES.map(range => ({ value: range, label: say(SPAN[range]) }))}
    chosen={view.value.range}
    onChoose={range => show({ range })}
  />
)

mount(Company)
