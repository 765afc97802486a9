import type { Row } from '../../../catalog/index.ts'
import type { Total } from '../../../src/releases/index.ts'
import { figureOf, integerCell, presentInteger } from '../../formats/index.ts'
import type { Cells, DayTable, Heading } from './day-table.ts'
import { remarkOf } from './margin.ts'

const COLUMNS = [
  'previous_balance',
  'sold',
  'returned',
  'adjusted',
  'balance',
  'margin_short_previous_balance',
  'margin_short_sold',
  'margin_short_bought',
  'margin_short_returned',
  'margin_short_balance',
  'margin_short_limit',
] as const
export type LendingColumn = (typeof COLUMNS)[number] | 'next_day_limit' | 'remark'

/** Limits apply to a single security, so the table has no sum of them. */
const SUMMED = COLUMNS.filter(column => column !== 'margin_short_limit')

/**
 * The columns of short sales on margin come first, then those of borrowed shares. Some headings
 * occur in both.
 */
const [MARGIN, LENDING] = [1, 2]
const both = (heading: string, side: number): readonly Heading[] => [[heading, side, 2]]

/** Headings that the tables of both markets have. The headings of balances differ. */
const HEADINGS = {
  margin_short_previous_balance: both('前日餘額', MARGIN),
  margin_short_sold: ['賣出'],
  margin_short_bought: ['買進'],
  margin_short_returned: ['現券'],
  margin_short_limit: ['限額', '次一營業日限額'],
  previous_balance: both('前日餘額', LENDING),
  sold: ['當日賣出'],
  returned: ['當日還券'],
  remark: ['備註'],
} as const

/** The table of a market, with its own headings. */
export const lendingTable = (
  market: 'TWSE' | 'TPEX',
  own: Pick<DayTable<LendingColumn>['headings'], 'ticker' | 'name' | 'margin_short_balance' | 'adjusted' | 'balance' | 'next_day_limit'>,
): DayTable<LendingColumn> => ({
  called: `${market === 'TWSE' ? 'TWT93U' : 'TPEx'} 信用額度總量管制餘額表`,
  dataset: 'securities-lending',
  market,
  headings: { ...HEADINGS, ...own },
  figures: lendingRow,
  totals: (_, total) => (total === undefined ? [] : sumsOf(total)),
})

/** @throws Refusal absent_number or unreadable_number */
function lendingRow(cells: Cells<LendingColumn>, ticker: string): Row {
  return {
    ...Object.fromEntries(COLUMNS.map(column => [column, presentInteger(cells[column], column, ticker)])),
    next_day_limit: integerCell(cells.next_day_limit, 'next_day_limit', ticker),
    remark: remarkOf(cells.remark),
  }
}

const sumsOf = (total: Cells<LendingColumn>): readonly Total[] =>
  SUMMED.flatMap(column => {
    const stated = figureOf(total[column])
    return typeof stated === 'number' ? [{ column, of: null, stated }] : []
  })
