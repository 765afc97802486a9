import '../../frame/main.tsx'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Rows } from '../../api/client.ts'
import { useLastDay, useTradingDays } from '../../api/days.ts'
import { type NameOf, useNames } from '../../api/names.ts'
import type { Read } from '../../api/reads.ts'
import { Choice } from '../../parts/choice.tsx'
import { DayPicker } from '../../parts/day-picker.tsx'
import { fixed, linkTo, say, type Words } from '../../parts/language.ts'
import { MarketPage } from '../../parts/market-page.tsx'
import { industryWords } from '../../parts/market-words.ts'
import { mount } from '../../parts/mount.tsx'
import { Panel } from '../../parts/panel.tsx'
import { changeText, moneyMeasure } from '../../parts/units.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { breadthOf, classOf, type Industry, industriesOf, type Measured } from './tiles.ts'
import { HEAD, type PlacedIndustry, type PlacedTile, placed } from './treemap.ts'

/** Maximum number of securities on the map. */
const MOST = 600

const path = '/v2/datasets/daily-prices/cross-section'

/** Shows the securities of a day by industry, as tiles. */
function HeatMap() {
  const last = useLastDay('daily-prices')
  const days = useTradingDays(last.value)
  const [chosen, by] = [useUrlState('day', ''), useUrlState<Measured>('by', 'turnover')]
  const index = days.value.findLastIndex(one => chosen.value === '' || one <= chosen.value)
  const [day, before] = [days.value[index], days.value[index - 1]]
  const measured = by.value === 'value' ? 'value' : 'turnover'
  return (
    <MarketPage title={{ en: 'Heat map by industry', zh: '產業熱力圖' }} isReady={day !== undefined && before !== undefined}>
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
            hasChart={false}
            isWide
            height={760}
            title={{ en: `Market on ${day}`, zh: `${day} 產業熱力圖` }}
            about={{
              en: `Colour: change from the close of ${before}, not adjusted for dividends.`,
              zh: `顏色為與 ${before} 收盤價相比的漲跌幅，未還原權息。`,
            }}
            reads={readsOf(day, before, measured)}
            options={
              <div class="options">
                <Choice
                  label={say({ en: 'Area', zh: '面積' })}
                  options={[
                    { value: 'turnover', label: say({ en: 'Area: turnover', zh: '面積：成交值' }) },
                    { value: 'value', label: say({ en: 'Area: market value', zh: '面積：市值' }) },
                  ]}
                  chosen={measured}
                  onChoose={next => {
                    by.value = next
                  }}
                />
              </div>
            }
          >
            {answers => <MarketMap answers={answers} measured={measured} />}
          </Panel>
        </>
      )}
    </MarketPage>
  )
}

function readsOf(day: string, before: string, measured: Measured): readonly Read[] {
  const issued = {
    slug: 'foreign-holding',
    path: '/v2/datasets/foreign-holding/cross-section',
    query: { date: day, columns: 'ticker,issued_shares' },
  }
  return [
    { slug: 'daily-prices', path, query: { date: day, sort: '-turnover', columns: 'ticker,name,close,turnover', limit: MOST } },
    { slug: 'daily-prices', path, query: { date: before, columns: 'ticker,close' } },
    { slug: 'securities', query: { security_type: '股票', columns: 'ticker,industry' } },
    ...(measured === 'value' ? [issued] : []),
  ]
}

const STEPS = [
  ['down-3', { en: '-3% or less', zh: '跌 3% 以上' }],
  ['down-2', { en: '-1 to -3%', zh: '跌 1% 至 3%' }],
  ['down-1', { en: '0 to -1%', zh: '跌 1% 以內' }],
  ['flat', { en: 'flat', zh: '平盤' }],
  ['up-1', { en: '0 to +1%', zh: '漲 1% 以內' }],
  ['up-2', { en: '+1 to +3%', zh: '漲 1% 至 3%' }],
  ['up-3', { en: '+3% or more', zh: '漲 3% 以上' }],
] as const

interface MapProps {
  readonly answers: readonly Rows[]
  readonly measured: Measured
}

function MarketMap({ answers: [day, before, listed, issued], measured }: MapProps) {
  const industries = useMemo(
    () => industriesOf({ day: day!.rows, before: before!.rows, listed: listed!.rows, issued: issued?.rows ?? [] }, measured),
    [day, before, listed, issued, measured],
  )
  const { up, down, flat } = breadthOf(industries)
  const count = day!.rows.length
  const all = Math.max(up + down + flat, 1)
  return (
    <>
      <p class="breadth">
        {count < MOST
          ? say({ en: `${count} securities: `, zh: `共 ${count} 檔：` })
          : say({ en: `${count} most traded securities: `, zh: `成交值前 ${count} 檔：` })}
        <span class="up">{say({ en: `${up} up`, zh: `上漲 ${up} 檔` })}</span> · {say({ en: `${flat} unchanged`, zh: `平盤 ${flat} 檔` })} ·{' '}
        <span class="down">{say({ en: `${down} down`, zh: `下跌 ${down} 檔` })}</span>
        <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect class="up" width={(100 * up) / all} height="4" />
          <rect class="down" x={(100 * (up + flat)) / all} width={(100 * down) / all} height="4" />
        </svg>
      </p>
      <ul class="legend" aria-label={say({ en: 'Colours', zh: '顏色說明' })}>
        {STEPS.map(([name, words]) => (
          <li key={name} class={`tile ${name}`}>
            {say(words)}
          </li>
        ))}
      </ul>
      <Treemap industries={industries} />
    </>
  )
}

/**
 * Height of the map relative to its width, for wide and narrow screens. `NARROW_PX` separates the
 * two.
 */
const [WIDE, NARROW, NARROW_PX] = [0.52, 1.9, 600]

function Treemap({ industries }: { readonly industries: readonly Industry[] }) {
  const [place, width] = [useRef<HTMLDivElement>(null), useSignal(0)]
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry!.contentRect.width)
    })
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [])
  const height = Math.round(width.value * (width.value < NARROW_PX ? NARROW : WIDE))
  const groups = useMemo(() => (width.value === 0 ? [] : placed(industries, width.value, height)), [industries, width.value, height])
  const drawn = groups.flatMap(({ tiles }) => tiles.flatMap(({ tile }) => tile?.ticker ?? []))
  const nameOf = useNames(drawn, { areInRows: true })
  return (
    <div class="treemap" ref={place} style={{ height: `${height}px` }}>
      {groups.map(group => (
        <Group key={`${group.industry.kind} ${group.industry.name}`} group={group} nameOf={nameOf} />
      ))}
    </div>
  )
}

const at = ({ left, top, width, height }: PlacedTile | PlacedIndustry) => ({
  left: `${left}px`,
  top: `${top}px`,
  width: `${width}px`,
  height: `${height}px`,
})

const GROUPS: Readonly<Record<Exclude<Industry['kind'], 'industry'>, Words>> = {
  funds: { en: 'Funds and ETNs', zh: '基金與 ETN' },
  unknown: { en: 'Industry unknown', zh: '產業未知' },
  small: { en: 'Smaller groups', zh: '規模較小的類別' },
}

function Group({ group, nameOf }: { readonly group: PlacedIndustry; readonly nameOf: NameOf }) {
  const { kind, name, change, size } = group.industry
  const title = say(kind === 'industry' ? industryWords(name!) : GROUPS[kind])
  return (
    <section style={at(group)} aria-label={title}>
      <h3 style={{ height: `${HEAD}px` }} title={`${title} ${changeText(change)} ${moneyMeasure().exact(size)}`}>
        {name === null ? <span>{title}</span> : <a href={linkTo(`/companies?industry=${encodeURIComponent(name)}`)}>{title}</a>}{' '}
        <small class={change === null || change === 0 ? 'dim' : change > 0 ? 'up' : 'down'}>
          {change === null ? '' : changeText(change)}
        </small>
      </h3>
      <ul>
        {group.tiles.map(tile => (
          <li key={tile.tile?.ticker ?? 'rest'} style={at(tile)}>
            <TileOf placed={tile} industry={name} nameOf={nameOf} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface TileProps {
  readonly placed: PlacedTile
  readonly industry: string | null
  readonly nameOf: NameOf
}

/** Minimum side of a tile with a link, in pixels. WCAG 2.2 requires 24. */
const LEAST_SIDE = 24

function TileOf({ placed: { tile, count, width, height }, industry, nameOf }: TileProps) {
  // The table also links to the securities of small tiles.
  if (Math.min(width, height) < LEAST_SIDE + 2) return <span class={`tile ${tile ? classOf(tile.change) : 'none'}`} title={tile?.ticker} />
  if (tile === null)
    return (
      <a class="tile none" href={linkTo(industry === null ? '/companies' : `/companies?industry=${encodeURIComponent(industry)}`)}>
        <b>+{count}</b>
        <span class="visually-hidden">{say({ en: 'smaller securities', zh: '檔較小的證券' })}</span>
      </a>
    )
  const { ticker, close, change, size } = tile
  const name = nameOf(ticker, tile.name)
  return (
    <a
      class={`tile ${classOf(change)}`}
      href={linkTo(`/company/${encodeURIComponent(ticker)}`)}
      title={`${ticker} ${name} ${fixed(close, 2)} ${changeText(change)} ${moneyMeasure().exact(size)}`}
    >
      <b>{name}</b>
      <span>{changeText(change)}</span>
      <span class="more">
        {ticker} · {fixed(close, 2)}
      </span>
    </a>
  )
}

mount(HeatMap)
