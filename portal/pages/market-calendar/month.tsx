import { LOCALE, say } from '../../parts/language.ts'
import { isoDay } from '../../parts/time.ts'

export interface MonthProps {
  readonly month: string
  readonly chosen: string
  readonly onChoose: (day: string) => void
  readonly came: (day: string) => number
  readonly due: (day: string) => number
  /**
   * Why the market is closed. Empty on weekends. Undefined if the market is open or the calendar is
   * unavailable.
   */
  readonly closed: (day: string) => string | undefined
}

const DAY_MS = 86_400_000
const WEEKDAY = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', timeZone: 'UTC' })
const SUNDAY = Date.UTC(2026, 0, 4)

/**
 * Returns the days of a month.
 *
 * @param month for example `2026-11`
 */
export function daysOf(month: string): readonly string[] {
  const [year, number] = month.split('-').map(Number) as [number, number]
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate()
  return Array.from({ length: count }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`)
}

/** Shows a month as a calendar. */
export function Month({ month, chosen, onChoose, came, due, closed }: MonthProps) {
  const days = daysOf(month)
  const lead = new Date(`${days[0]}T00:00:00Z`).getUTCDay()
  const cells = [...Array<null>(lead).fill(null), ...days]
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, at) => cells.slice(at * 7, at * 7 + 7))
  const today = isoDay()
  const cell = (day: string) => {
    const [news, dues, reason] = [came(day), due(day), closed(day)]
    return (
      <button
        type="button"
        class={[day === today ? 'today' : '', reason === undefined ? '' : 'shut'].join(' ')}
        aria-pressed={day === chosen}
        onClick={() => onChoose(day)}
      >
        <b>{Number(day.slice(8))}</b>{' '}
        {news > 0 && (
          <span class="came">
            {short(news)}
            <span class="visually-hidden">{say({ en: ' published', zh: ' 筆發布' })}</span>
          </span>
        )}
        {dues > 0 && (
          <span class="due">
            {short(dues)}
            <span class="visually-hidden">{say({ en: ' due', zh: ' 項待更新' })}</span>
          </span>
        )}
        {reason !== undefined && (
          <small class={reason ? undefined : 'visually-hidden'}>{reason || say({ en: 'closed', zh: '休市' })}</small>
        )}
      </button>
    )
  }
  return (
    <table class="month">
      <caption class="visually-hidden">{month}</caption>
      <thead>
        <tr>
          {Array.from({ length: 7 }, (_, at) => WEEKDAY.format(SUNDAY + at * DAY_MS)).map(name => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week, index) => (
          <tr key={week.find(day => day !== null) ?? index}>
            {Array.from({ length: 7 }, (_, weekday) => (
              <td key={weekday}>{week[weekday] ? cell(week[weekday]) : null}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const short = (count: number): string => (count > 99 ? '99+' : String(count))
