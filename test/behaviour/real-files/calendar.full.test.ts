import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { calendarDays, isTradingDay } from '../../../ingest/calendar/index.ts'
import { real, realFilesThere } from './files.ts'

const days = calendarDays()
const isWeekday = (day: string): boolean => ![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())

describe.skipIf(!realFilesThere)('built-in calendar and real files', () => {
  it('the built-in calendar is closed on every closed weekday of the public XTAI calendar and on eight more', () => {
    const theirs = new Set(readFileSync(real('calendar', 'xtai_closed_weekdays_2007-2027.csv'), 'utf8').trim().split('\n').slice(1))
    const ours = new Set(days.filter(({ date, is_open }) => !is_open && isWeekday(date)).map(({ date }) => date))
    expect([...theirs].filter(day => !ours.has(day))).toEqual([])
    expect([...ours].filter(day => !theirs.has(day))).toEqual([
      '2011-05-02',
      '2022-02-04',
      '2023-01-18',
      '2026-07-10',
      '2027-02-02',
      '2027-02-03',
      '2027-04-06',
      '2027-12-24',
    ])
  })

  it('the built-in calendar is open on every day with reported trades', () => {
    const reported = [
      't86/foreign_net_with_volume_2026.csv.gz',
      't86/twse_inst_verified_2025-10_2026-03.csv.gz',
      'bond/twgovbondlist_daily_2021_2024.csv.gz',
    ]
    for (const file of reported) {
      const text = gunzipSync(readFileSync(real(...file.split('/')))).toString('utf8')
      const traded = new Set(
        text
          .trim()
          .split('\n')
          .slice(1)
          .map(line => line.slice(0, 10)),
      )
      expect(traded.size).toBeGreaterThan(50)
      expect(
        [...traded].filter(day => !isTradingDay(day)),
        file,
      ).toEqual([])
    }
  })
})
