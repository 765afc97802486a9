import { bodyRefused, csvRecords, dayOf, type Parsed, requireColumns, textCell } from '../../formats/index.ts'
import { type Legs, legsRow } from './legs.ts'

/** Columns of the wide form: one row per day and security, every leg bought, sold and net. */
const WIDE: Legs<string> = {
  ticker: 'stock_no',
  foreign: 'foreign_net',
  trust: 'investment_trust_net',
  dealer: 'dealer_total_net',
  total: 'overall_net',
}

function dayOfRow(cell: string, requestedDay: string | undefined): string {
  const day = dayOf(cell)
  if (day === undefined) {
    throw bodyRefused('impossible_date', `The date column says "${cell}", which is no day; check the file against its source.`, {
      said: cell,
    })
  }
  if (requestedDay !== undefined && day !== requestedDay) {
    throw bodyRefused(
      'wrong_day',
      `The file holds ${day} and was given for ${requestedDay}; leave the date out, since every row has its own.`,
      {
        day,
        asked: requestedDay,
      },
    )
  }
  return day
}

/**
 * Many days of one market in the wide CSV form, named by columns as `t86` archives keep it.
 *
 * @throws Refusal wrong_table when a column is missing or a row is another market's; wrong_day when a row is not the requested day's
 */
export function wideLegs(text: string, requestedDay: string | undefined, market: string): Parsed {
  const records = csvRecords(text)
  requireColumns(records, ['date', 'market', ...Object.values(WIDE)], 'the wide form of the three institutions')
  if (records.rows.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: 'a heading without rows' }
  const rows = records.rows.map(row => {
    const stated = textCell(row, 'market').toUpperCase()
    if (stated !== market) {
      throw bodyRefused('wrong_table', `A row is of market "${stated}" in a file given as ${market}; use the feed of that market.`, {
        stated,
        market,
      })
    }
    const day = dayOfRow(textCell(row, 'date'), requestedDay)
    return legsRow(market, day, {
      ticker: row[WIDE.ticker],
      foreign: row[WIDE.foreign],
      trust: row[WIDE.trust],
      dealer: row[WIDE.dealer],
      total: row[WIDE.total],
    })
  })
  return { kind: 'rows', rows: { 'institutional-positioning': rows } }
}
