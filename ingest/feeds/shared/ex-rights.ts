import type { Row } from '../../../catalog/index.ts'
import { bodyRefused, heading } from '../../formats/index.ts'
import type { EventNames, EventRow } from './event-rows.ts'

export interface ExRightsNames extends EventNames {
  readonly kind: string
  readonly closeBefore: string
  readonly reference: string
  readonly value: string
  readonly limitUp: string
  readonly limitDown: string
  readonly opening: string
  readonly lessDividend: string
}

/** Maps the exchanges' words to what a buyer no longer receives: dividend, rights or both. */
const KINDS: Readonly<Record<string, string>> = {
  權: 'rights',
  息: 'dividend',
  權息: 'rights_and_dividend',
  除權: 'rights',
  除息: 'dividend',
  除權息: 'rights_and_dividend',
}

/**
 * Returns a row of ex-rights. If a table prints only the sum of rights and dividend, the kind may
 * show that one of the two is zero.
 *
 * @param split rights and dividend, if the table prints both
 * @throws Refusal unknown_kind, unreadable_number
 */
export function exRightsRow(
  row: EventRow,
  names: ExRightsNames,
  market: string,
  split?: { readonly rights: number | null; readonly dividend: number | null },
): Row {
  const kind = kindOf(row, names)
  const value = row.figure(names.value)
  return {
    ticker: row.ticker,
    market,
    ex_date: row.day,
    name: row.name,
    kind,
    close_before: row.priceOrNone(names.closeBefore),
    reference_price: row.priceOrNone(names.reference),
    value,
    rights_value: split ? split.rights : partOf(kind, 'rights', value),
    dividend_value: split ? split.dividend : partOf(kind, 'dividend', value),
    limit_up: row.priceOrNone(names.limitUp),
    limit_down: row.priceOrNone(names.limitDown),
    opening_reference: row.priceOrNone(names.opening),
    price_less_dividend: row.priceOrNone(names.lessDividend),
  }
}

const partOf = (kind: string, part: string, value: number | null): number | null =>
  kind === part ? value : kind === 'rights_and_dividend' ? null : 0

function kindOf({ cell, ticker }: EventRow, names: ExRightsNames): string {
  const word = heading(cell(names.kind))
  const kind = KINDS[word]
  if (kind !== undefined) return kind
  throw bodyRefused(
    'unknown_kind',
    {
      en: `${ticker}: ${names.kind} is "${word}"; expected 權, 息 or 權息. Check the file against its source.`,
      zh: `${ticker}：${names.kind} 為「${word}」，應為權、息或權息；請與來源核對檔案。`,
    },
    { said: word },
  )
}
