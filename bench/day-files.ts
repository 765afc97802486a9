import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isTradingDay } from '../ingest/calendar/index.ts'
import { addDays } from '../src/core/index.ts'
import { type Size, tickersOf } from './data.ts'

const LAST_DAY = '2026-05-29'

/** Headings of TWSE's table T86 since 2017-12-18. */
const FIELDS = [
  '證券代號',
  '證券名稱',
  '外陸資買進股數(不含外資自營商)',
  '外陸資賣出股數(不含外資自營商)',
  '外陸資買賣超股數(不含外資自營商)',
  '外資自營商買進股數',
  '外資自營商賣出股數',
  '外資自營商買賣超股數',
  '投信買進股數',
  '投信賣出股數',
  '投信買賣超股數',
  '自營商買賣超股數',
  '自營商買進股數(自行買賣)',
  '自營商賣出股數(自行買賣)',
  '自營商買賣超股數(自行買賣)',
  '自營商買進股數(避險)',
  '自營商賣出股數(避險)',
  '自營商買賣超股數(避險)',
  '三大法人買賣超股數',
]

/** @returns the days */
export function writeDayFiles(folder: string, size: Size, count: number): readonly string[] {
  mkdirSync(folder, { recursive: true })
  const days = daysUntil(LAST_DAY, count)
  for (const day of days) writeFileSync(join(folder, `T86_${day.replaceAll('-', '')}.json`), bodyOf(day, tickersOf(size)))
  return days
}

/** Returns trading days up to `last`, oldest first. */
export function daysUntil(last: string, count: number): readonly string[] {
  const days: string[] = []
  for (let day = last; days.length < count; day = addDays(day, -1)) if (isTradingDay(day)) days.unshift(day)
  return days
}

export function bodyOf(day: string, tickers: readonly string[]): string {
  const date = day.replaceAll('-', '')
  let seed = Number(date)
  const upTo = (most: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * most)
  }
  const trades = (most: number): readonly [number, number, number] => {
    const [bought, sold] = [upTo(most), upTo(most)]
    return [bought, sold, bought - sold]
  }
  const data = tickers.map(ticker => {
    const [foreign, trust, own, hedge] = [trades(8e6), trades(1e6), trades(3e5), trades(3e5)]
    const cells = [...foreign, 0, 0, 0, ...trust, own[2] + hedge[2], ...own, ...hedge, foreign[2] + trust[2] + own[2] + hedge[2]]
    return [ticker, `測試${ticker}      `, ...cells.map(grouped)]
  })
  const title = `${Number(date.slice(0, 4)) - 1911}年${date.slice(4, 6)}月${date.slice(6)}日 三大法人買賣超日報`
  return JSON.stringify({
    stat: 'OK',
    date,
    title,
    hints: '單位：股',
    fields: FIELDS,
    data,
    selectType: 'ALL',
    notes: [],
    total: data.length,
  })
}

export function grouped(value: number): string {
  const digits = String(Math.abs(value))
  const groups: string[] = []
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end))
  return `${value < 0 ? '-' : ''}${groups.join(',')}`
}
