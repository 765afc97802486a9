import type { Row } from '../../../catalog/index.ts'
import { bodyRefused, dayOf, dayOrNull, type Feed, htmlTables, identifyRange, type Parsed, parseBy } from '../../formats/index.ts'
import { amountCell, type EventNames, type EventRow, eventRows, hasHeadings, NO_EVENTS, ONLY_PLACEHOLDERS } from './event-rows.ts'

export interface ChangeNames extends EventNames {
  readonly closeBefore: string
  readonly reference: string
  readonly limitUp: string
  readonly limitDown: string
  readonly opening: string
  /** Heading of 除權參考價. Only lists of capital reductions have this column. */
  readonly lessRights?: string
  readonly reason?: string
  /** Heading of further terms: days on TWSE, an HTML table on TPEx. */
  readonly details?: string
}

export interface Terms {
  readonly change_type: string
  readonly halted_on: string | null
  readonly exchange_ratio: number | null
  readonly refund_per_share: number | null
  readonly par_before: number | null
  readonly par_after: number | null
}

interface Publication {
  readonly feed: Pick<Feed, 'name' | 'title' | 'url' | 'fetch'>
  readonly called: string
  readonly market: 'TWSE' | 'TPEX'
  readonly names: ChangeNames
  readonly terms: (row: EventRow) => Terms
}

const REASON = '減資原因'

/**
 * Creates a feed of securities that resume trading on changed terms. One file covers a range of
 * days.
 */
export function changesFeed({ feed, called, market, names, terms }: Publication): Feed {
  // Lists of capital reductions have a reason column. Lists of par value changes have none.
  const isTable = (fields: readonly string[]): boolean =>
    hasHeadings(fields, Object.values(names)) && fields.includes(REASON) === Object.values(names).includes(REASON)
  const wanted = { called, isTable }
  const readRange = (value: unknown, requestedDay: string | undefined): Parsed => {
    const { range, tables } = identifyRange(value, requestedDay, wanted)
    const { rows, notes } = eventRows(tables, names, range)
    if (rows.length === 0) return { kind: 'empty', date: null, reason: ONLY_PLACEHOLDERS }
    return { kind: 'rows', rows: { 'capital-changes': rows.map(row => changeRow(row, names, market, terms(row))) }, notes }
  }
  return { ...feed, datasets: ['capital-changes'], nothing: NO_EVENTS, parse: parseBy({ json: readRange }) }
}

function changeRow(row: EventRow, names: ChangeNames, market: string, terms: Terms): Row {
  return {
    ticker: row.ticker,
    market,
    resume_date: row.day,
    name: row.name,
    reason: names.reason === undefined ? null : String(row.cell(names.reason) ?? '').trim() || null,
    close_before: row.priceOrNone(names.closeBefore),
    reference_price: row.priceOrNone(names.reference),
    limit_up: row.priceOrNone(names.limitUp),
    limit_down: row.priceOrNone(names.limitDown),
    opening_reference: row.priceOrNone(names.opening),
    price_less_rights: names.lessRights === undefined ? null : row.priceOrNone(names.lessRights),
    ...terms,
  }
}

/** True if the reference price is below the last close. Null if a price is missing. */
export function becameCheaper(row: EventRow, { closeBefore, reference }: ChangeNames): boolean | null {
  const [before, after] = [row.priceOrNone(closeBefore), row.priceOrNone(reference)]
  return before === null || after === null ? null : after < before
}

/** Terms of a row from a list that prints no terms. */
export const NO_TERMS = { halted_on: null, exchange_ratio: null, refund_per_share: null, par_before: null, par_after: null } as const

/**
 * Parses the day on which trading stopped from a cell such as `3432  ,20240110`. Null if the cell
 * has no days.
 *
 * @throws Refusal impossible_date for an invalid day
 */
export function haltedOn({ ticker, cell }: EventRow, details: string): string | null {
  const [, day] = String(cell(details) ?? '').split(',')
  if (day === undefined) return null
  const halted = dayOf(day)
  if (halted === undefined)
    throw bodyRefused(
      'impossible_date',
      {
        en: `${ticker}: ${details} is "${day}", not a date. Check the file against its source.`,
        zh: `${ticker}：${details} 為「${day}」，不是有效日期；請將檔案與來源核對。`,
      },
      { said: day },
    )
  return halted
}

/**
 * Parses an HTML cell into terms, keyed by heading without the colon.
 *
 * @throws Refusal details_of_another if the cell names another security
 */
export function htmlTerms({ ticker, cell }: EventRow, details: string): ReadonlyMap<string, string> {
  const [lines = []] = htmlTables(String(cell(details) ?? ''))
  const terms = new Map(lines.map(([name = '', value = '']) => [name.replace(/[:：]\s*$/, ''), value]))
  const [named] = [...terms].filter(([name]) => name.includes('代號')).map(([, value]) => value.split('/')[0]!.trim())
  if (named !== undefined && named !== ticker)
    throw bodyRefused(
      'details_of_another',
      {
        en: `The details listed under ${ticker} are those of ${named}. Fetch the file again.`,
        zh: `${ticker} 的明細實為 ${named} 的資料；請重新取得檔案。`,
      },
      { ticker, named },
    )
  return terms
}

export function termsOf(row: EventRow, details: string) {
  const terms = htmlTerms(row, details)
  return {
    halted_on: dayOrNull(terms.get('停止買賣日期'), '停止買賣日期'),
    figure: (name: string): number | null => amountCell(terms.get(name), name, row.ticker),
  }
}
