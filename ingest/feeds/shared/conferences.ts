import type { Row } from '../../../catalog/index.ts'
import { bodyRefused, dayOf, jsonRecords, type Parsed, requireColumns, textCell, tickerCell } from '../../formats/index.ts'

const CODES = { TWSE: '公司代號', TPEX: 'SecuritiesCompanyCode' } as const
const [CLAUSE, TEXT] = ['符合條款', '說明'] as const

/** Numbered items of an announcement under clause 12, investor conferences. */
const [DAY, TIME, PLACE, SUMMARY] = ['日期', '時間', '地點', '擇要訊息'] as const
const ITEM = /\d\.(?:召開法人說明會之|法人說明會)(日期|時間|地點|擇要訊息)[:：]\s*/g

function itemsOf(text: string): ReadonlyMap<string, string> {
  const found = [...text.matchAll(ITEM)]
  return new Map(
    found.map((item, index) => {
      const from = item.index + item[0].length
      const next = found[index + 1]?.index ?? text.length
      const [own] = text.slice(from, next).split(/\s*5\.其他應敘明事項/)
      return [item[1]!, own!.trim()] as const
    }),
  )
}

/**
 * Returns the investor conferences among the day's announcements. A note states the number of other
 * announcements.
 *
 * @throws Refusal wrong_table; unreadable_conference if a day or time is missing
 */
export function readConferences(value: unknown, market: 'TWSE' | 'TPEX'): Parsed {
  const records = jsonRecords(value)
  const code = records.columns.has(CODES[market]) ? CODES[market] : CODES.TWSE
  requireColumns(records, [code, CLAUSE, TEXT], { en: 'the material information of a day', zh: '每日重大訊息' })
  const rows = records.rows.flatMap(record => {
    const items = itemsOf(textCell(record, TEXT))
    return items.has(DAY) ? [rowOf(tickerCell(textCell(record, code)), market, items)] : []
  })
  const distinct = new Map(rows.map(row => [[row['ticker'], row['conference_start'], row['time']].join(' '), row]))
  const note = `${records.rows.length - rows.length} of ${records.rows.length} announcements are not investor conferences and were skipped`
  if (rows.length === 0) return { kind: 'empty', date: null, reason: 'no investor conference' }
  return {
    kind: 'rows',
    rows: { 'investor-conferences': [...distinct.values()] },
    notes: rows.length === records.rows.length ? [] : [note],
  }
}

function rowOf(ticker: string, market: string, items: ReadonlyMap<string, string>): Row {
  const days = (items.get(DAY) ?? '').split(/[~～]/).map(dayOf)
  const time = /(\d{1,2})\s*時\s*(\d{1,2})\s*分/.exec(items.get(TIME) ?? '')
  const [start, end] = [days[0], days.at(-1)]
  if (start === undefined || end === undefined || time === null) {
    throw bodyRefused(
      'unreadable_conference',
      {
        en: `${ticker}: the day or time of an investor conference cannot be read. Check the announcement at its source.`,
        zh: `${ticker}：無法解讀法人說明會的日期或時間；請與來源核對公告。`,
      },
      { row: ticker },
    )
  }
  return {
    ticker,
    market,
    conference_start: start,
    time: `${time[1]!.padStart(2, '0')}:${time[2]!.padStart(2, '0')}`,
    conference_end: end,
    location: items.get(PLACE) || null,
    summary: items.get(SUMMARY) || null,
  }
}
