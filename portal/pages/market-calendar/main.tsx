import { titleOf } from '../../api/catalog.ts'
import '../../style/calendar.css'
import { useSignal } from '@preact/signals'
import { LOCALE, say } from '../../parts/language.ts'
import { MarketNav } from '../../parts/market-nav.tsx'
import { mount } from '../../parts/mount.tsx'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { isoDay } from '../../parts/time.ts'
import { useClosedDays, usePublications, useStandings } from './came-and-due.ts'
import { Day } from './day.tsx'
import { daysOf, Month } from './month.tsx'
import { StandingsTable } from './standings-table.tsx'

const MONTH = new Intl.DateTimeFormat(LOCALE, { year: 'numeric', month: 'long', timeZone: 'UTC' })

function dayNamed(): string {
  const day = new URLSearchParams(location.search).get('day') ?? ''
  return /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(day) ? day : isoDay()
}

function CalendarPage() {
  const day = useSignal(dayNamed())
  const month = day.value.slice(0, 7)
  const days = daysOf(month)
  const { standings, refused } = useStandings()
  const publications = usePublications(month)
  const { closed, isKnown } = useClosedDays(month, days.at(-1)!)
  const dueOn = (one: string) => standings.filter(({ next_expected_at: at }) => at !== null && isoDay(at) === one)
  const cameOn = (one: string) => publications.byDay.get(one) ?? []
  const choose = (next: string) => {
    day.value = next
    history.replaceState(null, '', `?day=${next}`)
  }
  const turn = (months: number) => {
    const [year, number] = month.split('-').map(Number) as [number, number]
    const there = new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 10)
    choose(isoDay().startsWith(there.slice(0, 7)) ? isoDay() : there)
  }
  const failed = refused ?? publications.refused
  const isLoaded = standings.length > 0 && publications.isLoaded
  const late = standings.filter(({ freshness_state: state }) => state === 'late')
  return (
    <>
      <h1>{say({ en: 'Data calendar', zh: '資料行事曆' })}</h1>
      <MarketNav />
      {failed && <RefusedRead refused={failed} plan={undefined} onRetry={() => location.reload()} />}
      {standings.length === 0 ? (
        <p>{failed ? '' : say({ en: 'Loading …', zh: '載入中…' })}</p>
      ) : (
        <p id="late">
          {late.length === 0
            ? say({ en: 'Nothing is overdue.', zh: '沒有逾期的資料集。' })
            : say({
                en: `Overdue: ${late.map(titleOf).join('; ')}.`,
                zh: `逾期：${late.map(titleOf).join('；')}。`,
              })}
        </p>
      )}
      <div class="calendar">
        <section aria-labelledby="month">
          <div class="turn">
            <button type="button" aria-label={say({ en: 'Previous month', zh: '上個月' })} onClick={() => turn(-1)}>
              ←
            </button>
            <h2 id="month" aria-live="polite">
              {MONTH.format(new Date(`${month}-01T00:00:00Z`))}
            </h2>
            <button type="button" aria-label={say({ en: 'Next month', zh: '下個月' })} onClick={() => turn(1)}>
              →
            </button>
            <button type="button" onClick={() => choose(isoDay())}>
              {say({ en: 'Today', zh: '今天' })}
            </button>
          </div>
          <Month
            month={month}
            chosen={day.value}
            onChoose={choose}
            came={one => cameOn(one).length}
            due={one => dueOn(one).length}
            closed={one => closed.get(one)}
          />
          <p class="dim">
            <span class="came">1</span> {say({ en: 'publications', zh: '發布' })} <span class="due">1</span>{' '}
            {say({ en: 'datasets due next', zh: '下次更新' })} ·{' '}
            {say({ en: 'grey: market closed; times in Taipei time', zh: '灰底為休市；時間為臺北時間' })}
          </p>
          {!isKnown && (
            <p class="dim">
              {say({ en: 'Sign in to see closed days; they are in ', zh: '登入後可顯示休市日，見 ' })}
              <code>/v2/datasets/trading-calendar</code>
            </p>
          )}
          {publications.isCut && (
            <p class="dim">{say({ en: 'Only the newest 1,000 publications are counted.', zh: '僅計最新 1,000 筆發布。' })}</p>
          )}
        </section>
        {isLoaded || failed ? (
          <Day day={day.value} came={cameOn(day.value)} due={dueOn(day.value)} closed={closed.get(day.value)} />
        ) : (
          <section id="day" />
        )}
      </div>
      <StandingsTable standings={standings} />
    </>
  )
}

mount(CalendarPage)
