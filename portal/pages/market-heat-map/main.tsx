import '../../frame/main.tsx'
import type { Rows } from '../../api/client.ts'
import { useLastDay, useTradingDays } from '../../api/days.ts'
import { DayPicker } from '../../parts/day-picker.tsx'
import { linkTo, number, say, short, signed } from '../../parts/language.ts'
import { MarketNav } from '../../parts/market-nav.tsx'
import { mount } from '../../parts/mount.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useUrlState } from '../../parts/url-state.ts'
import { classOf, type Industry, industriesOf, type Tile } from './tiles.ts'

/** Number of securities on the map; the dataset's table has all. */
const MOST = 400

const path = '/v2/datasets/daily-prices/cross-section'

/**
 * The most traded securities of a day by industry: size by turnover, color by change. The day is in
 * the address.
 */
function HeatMap() {
  const last = useLastDay('daily-prices')
  const days = useTradingDays(last.value)
  const chosen = useUrlState('day', '')
  const index = days.value.findLastIndex(one => chosen.value === '' || one <= chosen.value)
  const [day, before] = [days.value[index], days.value[index - 1]]
  return (
    <>
      <h1>{say({ en: 'Heat map by industry', zh: '產業熱力圖' })}</h1>
      <MarketNav />
      {day !== undefined && before !== undefined && (
        <>
          <DayPicker
            label={say({ en: 'Day', zh: '日期' })}
            days={days.value}
            day={day}
            onPick={next => {
              chosen.value = next
            }}
          />
          <Panel
            id="map"
            isWide
            title={{ en: `Most traded on ${day}`, zh: `${day} 成交值排行` }}
            about={{
              en: `The ${MOST} most traded; change in percent from the close of ${before}. Closes are not adjusted: an ex-dividend day appears as a fall.`,
              zh: `成交值前 ${MOST} 檔；漲跌幅以 ${before} 收盤價計算。收盤價未還原權息，除權息日會顯示為下跌。`,
            }}
            reads={[
              { slug: 'daily-prices', path, query: { date: day, sort: '-turnover', columns: 'ticker,name,close,turnover', limit: MOST } },
              { slug: 'daily-prices', path, query: { date: before, sort: '-turnover', columns: 'ticker,close,turnover', limit: 2_000 } },
              { slug: 'securities', query: { security_type: '股票', columns: 'ticker,industry' } },
            ]}
          >
            {answers => <Tiles answers={answers} />}
          </Panel>
        </>
      )}
    </>
  )
}

const STEPS = [
  ['down-3', { en: '−3% or less', zh: '跌 3% 以上' }],
  ['down-2', { en: '−1 to −3%', zh: '−1% 至 −3%' }],
  ['down-1', { en: 'up to −1%', zh: '−1% 以內' }],
  ['flat', { en: 'unchanged', zh: '平盤' }],
  ['up-1', { en: 'up to +1%', zh: '+1% 以內' }],
  ['up-2', { en: '+1 to +3%', zh: '+1% 至 +3%' }],
  ['up-3', { en: '+3% or more', zh: '漲 3% 以上' }],
] as const

function Tiles({ answers: [day, before, listed] }: { readonly answers: readonly Rows[] }) {
  const industries = industriesOf(day!.rows, before!.rows, listed!.rows)
  const most = Math.max(...industries.flatMap(({ tiles }) => tiles.map(({ turnover }) => turnover)), 1)
  return (
    <>
      <ul class="legend" aria-label={say({ en: 'Colours', zh: '顏色說明' })}>
        {STEPS.map(([name, words]) => (
          <li key={name} class={`tile ${name}`}>
            {say(words)}
          </li>
        ))}
      </ul>
      <div class="heat">
        {industries.map(industry => (
          <Group key={industry.name ?? ''} industry={industry} most={most} />
        ))}
      </div>
    </>
  )
}

function Group({ industry: { name, change, turnover, tiles }, most }: { readonly industry: Industry; readonly most: number }) {
  return (
    <section>
      <h3>
        <span lang="zh-Hant">{name ?? say({ en: 'Funds and others', zh: '基金與其他' })}</span>{' '}
        <small class={change === null || change === 0 ? 'dim' : change > 0 ? 'up' : 'down'}>
          {change === null ? '–' : `${signed(change)} %`}
        </small>{' '}
        <small class="dim">
          {short(turnover)} {say({ en: 'TWD', zh: '元' })}
        </small>
      </h3>
      <ul class="tiles">
        {tiles.map(tile => (
          <TileOf key={tile.ticker} tile={tile} share={tile.turnover / most} />
        ))}
      </ul>
    </section>
  )
}

function TileOf({ tile: { ticker, name, turnover, close, change }, share }: { readonly tile: Tile; readonly share: number }) {
  const traded = say({ en: `${number(turnover, 0)} TWD traded`, zh: `成交 ${number(turnover, 0)} 元` })
  return (
    <li style={{ flexGrow: Math.max(Math.sqrt(share) * 10, 1) }}>
      <a class={`tile ${classOf(change)}`} href={linkTo(`/company/${encodeURIComponent(ticker)}`)} title={`${ticker} ${name}: ${traded}`}>
        <b lang="zh-Hant">{name}</b>
        <span>
          {ticker} {number(close)}
        </span>
        <span>{change === null ? '–' : `${signed(change)} %`}</span>
      </a>
    </li>
  )
}

mount(HeatMap)
