import { bodyRefused } from '../../formats/index.ts'

/** A security as a list gives it, cells as written; null where the list has no such column. */
export interface Listing {
  readonly code: string
  readonly name: string
  readonly market: string
  readonly industry: string
  readonly type: string | null
  readonly isin: string | null
  readonly start: string | null
  readonly cfi: string | null
}

/** Where listings come from, as their rows say. */
export interface ListSource {
  readonly name: string
  readonly url: string | null
  readonly role: string
}

/** Markets as lists word them. Securities of the other two boards are not part of the service. */
const MARKETS: Readonly<Record<string, string>> = {
  上市: 'TWSE',
  上市臺灣創新板: 'TWSE',
  TWSE: 'TWSE',
  上櫃: 'TPEX',
  TPEX: 'TPEX',
  TPEx: 'TPEX',
  興櫃: 'ESB',
  興櫃一般板: 'ESB',
  興櫃戰略新板: 'ESB',
  ESB: 'ESB',
  公開發行: 'PUBLIC',
}
const SERVED = ['TWSE', 'TPEX']

/** TWSE or TPEX; undefined for a market that is not served. @throws Refusal unknown_market for one that is not known */
export function marketOf({ market, code }: Listing): string | undefined {
  const known = Object.hasOwn(MARKETS, market) ? MARKETS[market]! : undefined
  if (known !== undefined) return SERVED.includes(known) ? known : undefined
  throw bodyRefused('unknown_market', `${code}: the market says "${market}"; known are ${Object.keys(MARKETS).join(', ')}.`, {
    said: market,
  })
}
