import { closedByRule } from '../../src/calendar/index.ts'
import { addDays } from '../../src/core/index.ts'
import { FORECAST_SUFFIX } from '../publish/index.ts'

/** First and last year of the calendar. Other days follow `closedByRule`. */
export const FIRST_YEAR = 2007
export const LAST_YEAR = 2027

/**
 * First year without announced closures. From this year on, closures follow the law and past
 * practice.
 */
export const BY_RULE_FROM = 2027

/**
 * Weekdays without trading. Each line has one year. Each reason is followed by its days, as MM-DD
 * or as a range `a..b`.
 */
const CLOSED = `
2007 開國紀念日 01-01; 結算 02-15 02-16; 農曆春節 02-19 02-20; 農曆春節補假 02-21 02-22; 農曆春節調整放假 02-23; 和平紀念日 02-28; 民族掃墓節 04-05; 民族掃墓節調整放假 04-06; 勞動節 05-01; 端午節調整放假 06-18; 端午節 06-19; 韋帕颱風 09-18; 中秋節調整放假 09-24; 中秋節 09-25; 國慶日 10-10
2008 開國紀念日 01-01; 結算 02-04 02-05; 農曆除夕 02-06; 農曆春節 02-07 02-08; 農曆春節補假 02-11; 和平紀念日 02-28; 民族掃墓節 04-04; 勞動節 05-01; 鳳凰颱風 07-28; 薔蜜颱風 09-29; 國慶日 10-10
2009 開國紀念日 01-01; 開國紀念日調整放假 01-02; 結算 01-22 01-23; 農曆春節 01-26..01-28; 農曆春節補假 01-29; 農曆春節調整放假 01-30; 勞動節 05-01; 端午節 05-28; 端午節調整放假 05-29; 莫拉克颱風 08-07
2010 開國紀念日 01-01; 結算 02-11 02-12; 農曆春節 02-15 02-16; 農曆春節補假 02-17 02-18; 農曆春節調整放假 02-19; 民族掃墓節 04-05; 端午節 06-16; 中秋節 09-22
2011 結算 01-31 02-01; 農曆除夕 02-02; 農曆春節 02-03 02-04; 農曆春節補假 02-07; 和平紀念日 02-28; 兒童節 04-04; 民族掃墓節 04-05; 勞動節補假 05-02; 端午節 06-06; 中秋節 09-12; 國慶日 10-10
2012 結算 01-19 01-20; 農曆春節 01-23..01-25; 農曆春節補假 01-26; 農曆春節調整放假 01-27; 和平紀念日調整放假 02-27; 和平紀念日 02-28; 兒童節及民族掃墓節 04-04; 勞動節 05-01; 蘇拉颱風 08-02; 國慶日 10-10; 開國紀念日調整放假 12-31
2013 開國紀念日 01-01; 結算 02-07 02-08; 農曆春節 02-11 02-12; 農曆春節補假 02-13 02-14; 農曆春節調整放假 02-15; 和平紀念日 02-28; 兒童節及民族掃墓節 04-04 04-05; 勞動節 05-01; 端午節 06-12; 潭美颱風 08-21; 中秋節 09-19; 中秋節調整放假 09-20; 國慶日 10-10
2014 開國紀念日 01-01; 結算 01-28 01-29; 農曆除夕 01-30; 農曆春節 01-31; 農曆春節補假 02-03 02-04; 和平紀念日 02-28; 兒童節 04-04; 勞動節 05-01; 端午節 06-02; 麥德姆颱風 07-23; 中秋節 09-08; 國慶日 10-10
2015 開國紀念日 01-01; 開國紀念日調整放假 01-02; 結算 02-16 02-17; 農曆除夕 02-18; 農曆春節 02-19 02-20; 農曆春節補假 02-23; 和平紀念日補假 02-27; 兒童節及民族掃墓節補假 04-03 04-06; 勞動節 05-01; 端午節補假 06-19; 昌鴻颱風 07-10; 中秋節補假 09-28; 杜鵑颱風 09-29; 國慶日補假 10-09
2016 開國紀念日 01-01; 結算 02-04 02-05; 農曆春節 02-08..02-10; 農曆春節補假 02-11; 農曆春節調整放假 02-12; 和平紀念日補假 02-29; 兒童節及民族掃墓節 04-04 04-05; 勞動節補假 05-02; 端午節 06-09; 端午節調整放假 06-10; 尼伯特颱風 07-08; 中秋節 09-15; 中秋節調整放假 09-16; 梅姬颱風 09-27 09-28; 國慶日 10-10
2017 開國紀念日補假 01-02; 結算 01-25 01-26; 農曆除夕 01-27; 農曆春節 01-30; 農曆春節補假 01-31 02-01; 和平紀念日調整放假 02-27; 和平紀念日 02-28; 兒童節及民族掃墓節 04-03 04-04; 勞動節 05-01; 端午節調整放假 05-29; 端午節 05-30; 中秋節 10-04; 國慶日調整放假 10-09; 國慶日 10-10
2018 開國紀念日 01-01; 結算 02-13 02-14; 農曆除夕 02-15; 農曆春節 02-16; 農曆春節補假 02-19 02-20; 和平紀念日 02-28; 兒童節 04-04; 民族掃墓節 04-05; 民族掃墓節調整放假 04-06; 勞動節 05-01; 端午節 06-18; 中秋節 09-24; 國慶日 10-10; 開國紀念日調整放假 12-31
2019 開國紀念日 01-01; 結算 01-31 02-01; 農曆除夕 02-04; 農曆春節 02-05..02-07; 農曆春節調整放假 02-08; 和平紀念日 02-28; 和平紀念日調整放假 03-01; 兒童節 04-04; 民族掃墓節 04-05; 勞動節 05-01; 端午節 06-07; 利奇馬颱風 08-09; 中秋節 09-13; 米塔颱風 09-30; 國慶日 10-10; 國慶日調整放假 10-11
2020 開國紀念日 01-01; 結算 01-21 01-22; 農曆春節調整放假 01-23; 農曆除夕 01-24; 農曆春節 01-27; 農曆春節補假 01-28 01-29; 和平紀念日 02-28; 兒童節及民族掃墓節補假 04-02 04-03; 勞動節 05-01; 端午節 06-25; 端午節調整放假 06-26; 中秋節 10-01; 中秋節調整放假 10-02; 國慶日補假 10-09
2021 開國紀念日 01-01; 結算 02-08 02-09; 農曆春節調整放假 02-10; 農曆除夕 02-11; 農曆春節 02-12; 農曆春節補假 02-15 02-16; 和平紀念日補假 03-01; 兒童節及民族掃墓節補假 04-02 04-05; 勞動節補假 04-30; 端午節 06-14; 中秋節調整放假 09-20; 中秋節 09-21; 國慶日補假 10-11; 開國紀念日補假 12-31
2022 結算 01-27 01-28; 農曆除夕 01-31; 農曆春節 02-01..02-03; 農曆春節調整放假 02-04; 和平紀念日 02-28; 兒童節 04-04; 民族掃墓節 04-05; 勞動節補假 05-02; 端午節 06-03; 中秋節補假 09-09; 國慶日 10-10
2023 開國紀念日補假 01-02; 結算 01-18 01-19; 農曆春節調整放假 01-20; 農曆春節 01-23 01-24; 農曆春節補假 01-25 01-26; 農曆春節調整放假 01-27; 和平紀念日調整放假 02-27; 和平紀念日 02-28; 兒童節調整放假 04-03; 兒童節 04-04; 民族掃墓節 04-05; 勞動節 05-01; 端午節 06-22; 端午節調整放假 06-23; 卡努颱風 08-03; 中秋節 09-29; 國慶日調整放假 10-09; 國慶日 10-10
2024 開國紀念日 01-01; 結算 02-06 02-07; 農曆春節調整放假 02-08; 農曆除夕 02-09; 農曆春節 02-12; 農曆春節補假 02-13 02-14; 和平紀念日 02-28; 兒童節及民族掃墓節 04-04 04-05; 勞動節 05-01; 端午節 06-10; 凱米颱風 07-24 07-25; 中秋節 09-17; 山陀兒颱風 10-02 10-03; 國慶日 10-10; 康芮颱風 10-31
2025 開國紀念日 01-01; 結算 01-23 01-24; 農曆春節調整放假 01-27; 農曆除夕 01-28; 農曆春節 01-29..01-31; 和平紀念日 02-28; 兒童節及民族掃墓節 04-03 04-04; 勞動節 05-01; 端午節補假 05-30; 教師節補假 09-29; 中秋節 10-06; 國慶日 10-10; 臺灣光復節補假 10-24; 行憲紀念日 12-25
2026 開國紀念日 01-01; 結算 02-12 02-13; 農曆除夕 02-16; 農曆春節 02-17..02-19; 農曆春節補假 02-20; 和平紀念日補假 02-27; 兒童節補假 04-03; 民族掃墓節補假 04-06; 勞動節 05-01; 端午節 06-19; 臨時休市 07-10; 中秋節 09-25; 教師節 09-28; 國慶日補假 10-09; 臺灣光復節補假 10-26; 行憲紀念日 12-25
2027 開國紀念日 01-01; 結算 02-02 02-03; 農曆除夕前一日 02-04; 農曆除夕 02-05; 農曆春節 02-08; 農曆春節補假 02-09 02-10; 和平紀念日補假 03-01; 民族掃墓節 04-05; 兒童節補假 04-06; 勞動節補假 04-30; 端午節 06-09; 中秋節 09-15; 教師節 09-28; 國慶日補假 10-11; 臺灣光復節 10-25; 行憲紀念日補假 12-24; 開國紀念日補假 12-31
`

/** Saturdays with trading, which make up for a holiday. There have been none since 2019. */
const MADE_UP = `
2007 03-03 04-14 06-23 09-29
2009 01-10 01-17 06-06
2010 02-06
2012 02-04 03-03 12-22
2013 02-23 09-14
2014 12-27
2016 01-30 06-04 09-10
2017 02-18 06-03 09-30
2018 03-31 12-22
`

const SPELLED_OUT: Readonly<Record<string, string>> = { 結算: '市場無交易，僅辦理結算交割作業' }

const isWeekend = (day: string): boolean => [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())

const lines = (text: string): readonly (readonly [year: string, rest: string])[] =>
  text
    .trim()
    .split('\n')
    .map(line => [line.slice(0, 4), line.slice(5)] as const)

const reasons: ReadonlyMap<string, string> = new Map(
  lines(CLOSED).flatMap(([year, rest]) =>
    rest.split('; ').flatMap(entry => {
      const [reason, ...days] = entry.split(' ')
      return days.flatMap(span => weekdays(year, span)).map(day => [day, SPELLED_OUT[reason!] ?? reason!] as const)
    }),
  ),
)

const madeUp: ReadonlySet<string> = new Set(lines(MADE_UP).flatMap(([year, rest]) => rest.split(' ').map(day => `${year}-${day}`)))

function weekdays(year: string, span: string): readonly string[] {
  const [first, last = first] = span.split('..')
  const days: string[] = []
  for (let day = `${year}-${first}`; day <= `${year}-${last}`; day = addDays(day, 1)) if (!isWeekend(day)) days.push(day)
  return days
}

/** One calendar day. Both markets have the same calendar. */
export interface CalendarDay {
  readonly date: string
  readonly is_open: boolean
  /**
   * Why the market is closed, or open on a Saturday. Null for other days. From `BY_RULE_FROM` on,
   * every weekday has a text that marks a forecast.
   */
  readonly reason: string | null
}

/** Returns every day from `FIRST_YEAR` to `LAST_YEAR`, oldest first. */
export function calendarDays(): readonly CalendarDay[] {
  const days: CalendarDay[] = []
  for (let date = `${FIRST_YEAR}-01-01`; date <= `${LAST_YEAR}-12-31`; date = addDays(date, 1)) days.push(dayOf(date))
  return days
}

function dayOf(date: string): CalendarDay {
  if (isWeekend(date)) return madeUp.has(date) ? { date, is_open: true, reason: '補行交易' } : { date, is_open: false, reason: null }
  const reason = reasons.get(date) ?? null
  const foretold = Number(date.slice(0, 4)) >= BY_RULE_FROM
  return { date, is_open: reason === null, reason: foretold ? `${reason ?? '交易日'}${FORECAST_SUFFIX}` : reason }
}

/**
 * True if both markets trade on the day. Days outside the calendar's years follow `closedByRule`.
 */
export function isTradingDay(day: string): boolean {
  const year = Number(day.slice(0, 4))
  return year < FIRST_YEAR || year > LAST_YEAR ? !closedByRule(day) : dayOf(day).is_open
}
