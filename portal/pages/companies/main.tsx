import '../../frame/main.tsx'
import '../../style/companies.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { SearchResult } from '../../../clients/typescript/src/index.ts'
import { useCatalog } from '../../api/catalog.ts'
import { useLastDay, useTradingDays } from '../../api/days.ts'
import { useReads } from '../../api/reads.ts'
import { useAnswer } from '../../api/use.ts'
import { Choice } from '../../parts/choice.tsx'
import { csvOf } from '../../parts/csv.ts'
import { Dated } from '../../parts/dated.tsx'
import { LANGUAGE, linkTo, number, say } from '../../parts/language.ts'
import { industryWords } from '../../parts/market-words.ts'
import { mount } from '../../parts/mount.tsx'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { saveAs } from '../../parts/save.ts'
import { Skeleton } from '../../parts/skeleton.tsx'
import { changeText, moneyMeasure } from '../../parts/units.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { watchlist } from '../../parts/watchlist.ts'
import { type IndustrySum, industriesOf, type Listed, listing, sortedBy } from './listing.ts'
import { Table } from './table.tsx'

const TYPES = { stock: '股票', etf: 'ETF', preferred: '特別股' } as const
type Type = keyof typeof TYPES

/** Maximum number of securities that the English name can match. */
const MOST_NAMED = 50

function Companies() {
  const [type, industry, order, list] = [
    useUrlState<Type>('type', 'stock'),
    useUrlState('industry', ''),
    useUrlState('sort', '-turnover'),
    useUrlState<'all' | 'watchlist'>('list', 'all'),
  ]
  const [turn, typed] = [useSignal(0), useSignal('')]
  const chosenType = type.value in TYPES ? type.value : 'stock'
  const isWatchlist = list.value === 'watchlist'
  const { reading, day, before: dayBefore } = useListing(chosenType, isWatchlist ? watchlist.value : null, turn.value)
  const catalog = useCatalog().value
  const [listed, prices, before, ratios] = reading.answers
  const refusedRead = reading.answers.find(answer => !answer.ok)
  const refused = catalog.refused ?? (refusedRead && !refusedRead.ok ? refusedRead.refused : null)
  const all = useMemo(
    () => listing(...([listed, prices, before, ratios].map(answer => (answer?.ok ? answer.rows.rows : [])) as Parameters<typeof listing>)),
    [reading.answers],
  )
  const industries = useMemo(() => industriesOf(all), [all])
  const text = typed.value.trim().toUpperCase()
  const named = useNamed(text).value.value
  const shown = useMemo(
    () =>
      sortedBy(
        all.filter(
          one =>
            (industry.value === '' || one.industry === industry.value) &&
            (!isWatchlist || watchlist.value.includes(one.ticker)) &&
            (text === '' || one.ticker.startsWith(text) || one.name.toUpperCase().includes(text) || named?.has(one.ticker) === true),
        ),
        order.value,
      ),
    [all, industry.value, isWatchlist, order.value, text, named, watchlist.value],
  )
  const heading = isWatchlist ? say({ en: 'Watchlist', zh: '自選股' }) : say({ en: 'Companies', zh: '公司列表' })
  const title = industry.value === '' ? heading : say(industryWords(industry.value))
  useEffect(() => {
    document.title = `${title} · twmd`
  }, [title])
  const isLoading = reading.state !== 'done' && all.length === 0
  return (
    <>
      <h1>
        {title} {industry.value !== '' && <small>{say({ en: 'industry', zh: '產業' })}</small>}
      </h1>
      <div class="companies-bar">
        <Choice
          label={say({ en: 'Type', zh: '種類' })}
          options={[
            { value: 'stock', label: say({ en: 'Stocks', zh: '股票' }) },
            { value: 'etf', label: 'ETF' },
            { value: 'preferred', label: say({ en: 'Preferred', zh: '特別股' }) },
          ]}
          chosen={isWatchlist ? null : chosenType}
          onChoose={next => {
            type.value = next
            industry.value = ''
            list.value = 'all'
          }}
        />
        <Choice
          label={say({ en: 'List', zh: '清單' })}
          options={[
            { value: 'all', label: say({ en: 'All', zh: '全部' }) },
            {
              value: 'watchlist',
              label: say({ en: `★ Watchlist (${watchlist.value.length})`, zh: `★ 自選（${watchlist.value.length}）` }),
            },
          ]}
          chosen={list.value}
          onChoose={next => {
            list.value = next
            industry.value = ''
          }}
        />
        <input
          type="search"
          aria-label={say({ en: 'Filter by code or name', zh: '以代號或名稱篩選' })}
          placeholder={say({ en: 'Filter: 23, TSMC', zh: '篩選：23、台積' })}
          value={typed.value}
          onInput={event => {
            typed.value = event.currentTarget.value
          }}
        />
        <button type="button" disabled={shown.length === 0} onClick={() => save(shown)}>
          CSV
        </button>
      </div>
      {refused && (
        <RefusedRead
          refused={refused}
          plan="free"
          onRetry={() => {
            if (catalog.refused) location.reload()
            else turn.value += 1
          }}
        />
      )}
      {refused && all.length === 0 ? null : isLoading ? (
        <div class="companies-loading">
          <Skeleton />
        </div>
      ) : (
        <>
          {industries.length > 1 && !isWatchlist && (
            <Industries
              industries={industries}
              chosen={industry.value}
              onChoose={next => {
                industry.value = next
              }}
            />
          )}
          <p class="dim" role="status">
            {say({
              en: `${number(shown.length, 0)} ${shown.length === 1 ? 'security' : 'securities'}`,
              zh: `共 ${number(shown.length, 0)} 檔`,
            })}
            {day && dayBefore && (
              <Dated
                text={say({
                  en: `, ${day}. Change from the close of ${dayBefore}, not adjusted for dividends; industries are weighted by turnover.`,
                  zh: `，${day}。漲跌幅與 ${dayBefore} 收盤價比較，未還原權息；產業漲跌幅依成交值加權。`,
                })}
              />
            )}
          </p>
          {isWatchlist && watchlist.value.length === 0 && (
            <p class="notice">{say({ en: 'Choose the star of a security to add it.', zh: '點選證券旁的星號即可加入。' })}</p>
          )}
          {shown.length === 0 ? (
            !isWatchlist && (
              <p class="notice">
                {say({ en: 'No security matches.', zh: '沒有符合的證券。' })}{' '}
                <a href={linkTo('/companies')}>{say({ en: 'All companies', zh: '所有公司' })}</a>
              </p>
            )
          ) : (
            <Table
              rows={shown}
              order={order.value}
              hasIndustry={industry.value === ''}
              onOrder={next => {
                order.value = next
              }}
            />
          )}
        </>
      )}
    </>
  )
}

/**
 * Loads securities with the figures of the last day.
 *
 * @param tickers the securities, of any type. Null loads all securities of the type
 */
function useListing(type: Type, tickers: readonly string[] | null, turn: number) {
  const [lastDay, ratiosDay] = [useLastDay('daily-prices'), useLastDay('valuation')]
  const [days, catalog] = [useTradingDays(lastDay.value), useCatalog()]
  const [day, before] = [days.value.at(-1), days.value.at(-2)]
  const prices = (date: string | undefined, columns: string) => ({
    slug: 'daily-prices',
    path: '/v2/datasets/daily-prices/cross-section',
    query: { date, columns },
  })
  const columns = 'ticker,name,market,industry'
  // A read of an empty list would return all securities.
  const chosen = tickers !== null && tickers.length > 0 ? { symbol: tickers.toSorted() } : { security_type: TYPES[type] }
  const list = { slug: 'securities', query: { ...chosen, columns } }
  const ratios = {
    slug: 'valuation',
    path: '/v2/datasets/valuation/cross-section',
    query: { date: ratiosDay.value, columns: 'ticker,pe_ratio,pb_ratio,dividend_yield' },
  }
  // Without prices, the list shows only names.
  const hasNoPrices = catalog.value.state === 'done' && lastDay.value === null
  const known = [list, prices(day, 'ticker,close,turnover,volume'), prices(before, 'ticker,close'), ratios]
  const reads = hasNoPrices ? [list] : day === undefined ? null : known
  return { reading: useReads(reads, turn).value, day, before }
}

/**
 * Searches for securities by English name, because the listed rows have only Chinese names. Chinese
 * pages request nothing.
 */
const useNamed = (text: string) =>
  useAnswer(
    LANGUAGE === 'zh' || text.length < 2 ? null : { path: '/v2/search', query: { q: text, type: 'symbol', limit: MOST_NAMED } },
    ({ body }) => new Set((body as SearchResult).data.flatMap(({ id, matched_on }) => (matched_on === 'name' ? id : []))),
  )

function save(rows: readonly Listed[]): void {
  saveAs('companies.csv', [csvOf(rows.map(row => ({ ...row })))], 'text/csv')
}

interface IndustriesProps {
  readonly industries: readonly IndustrySum[]
  readonly chosen: string
  readonly onChoose: (industry: string) => void
}

function Industries({ industries, chosen, onChoose }: IndustriesProps) {
  const money = moneyMeasure()
  const link = (industry: string) => linkTo(industry === '' ? '/companies' : `/companies?industry=${encodeURIComponent(industry)}`)
  const open = (industry: string) => (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    onChoose(industry)
  }
  const one = industries.find(({ industry }) => industry === chosen)
  return (
    <>
      <nav class="industries" aria-label={say({ en: 'Industries', zh: '產業' })}>
        <a href={link('')} aria-current={chosen === '' ? 'true' : undefined} onClick={open('')}>
          {say({ en: 'All industries', zh: '全部產業' })}
        </a>
        {industries.flatMap(({ industry, count, change }) =>
          industry === null ? (
            []
          ) : (
            <a key={industry} href={link(industry)} aria-current={industry === chosen ? 'true' : undefined} onClick={open(industry)}>
              {say(industryWords(industry))} <small>{count}</small>{' '}
              <small class={change === null ? '' : change > 0 ? 'up' : change < 0 ? 'down' : ''}>{changeText(change)}</small>
            </a>
          ),
        )}
      </nav>
      {one && (
        <p title={money.exact(one.turnover)}>
          {say({
            en: `${one.count} securities: ${one.up} up, ${one.down} down. Turnover ${money.text(one.turnover)}, change ${changeText(one.change)} weighted by turnover.`,
            zh: `共 ${one.count} 檔：上漲 ${one.up} 檔、下跌 ${one.down} 檔。成交值 ${money.text(one.turnover)}，依成交值加權漲跌 ${changeText(one.change)}。`,
          })}
        </p>
      )}
    </>
  )
}

mount(Companies)
