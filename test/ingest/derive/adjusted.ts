import type { Row } from '../../../catalog/index.ts'
import { exDay } from '../../fixtures/ingest/events.ts'
import type { TestService } from '../../support.ts'

/**
 * Ex-days of other securities in 2003, so that both markets have ex-days before the first quotes.
 */
export const LONG_AGO = [exDay('9999', '2003-05-05', 20, 19), exDay('9998', '2003-05-05', 20, 19, 'TPEX')]

/** Publishes events and quotes, and reads the adjusted prices. */
export function adjustedPricesOn(s: TestService) {
  const served = async (slug: string, symbol: string): Promise<readonly Row[]> =>
    (await s.get(`/v2/datasets/${slug}?symbol=${symbol}&sort_order=asc`, s.keyOn('pro'))).json().envelope.data
  const prices = (symbol: string) => served('adjusted-prices', symbol)
  return {
    publish: (slug: string, rows: readonly Row[]) => s.publish(slug, rows, { accept: ['row_count_drift', 'same_body', 'closed_day'] }),
    served,
    prices,
    column: async (symbol: string, name: string) => (await prices(symbol)).map(row => row[name]),
  }
}

/**
 * Changes of every derived dataset after a publication, by slug. The status if nothing was
 * published.
 */
export const changesOf = ({ followUps }: Awaited<ReturnType<TestService['publish']>>) =>
  Object.fromEntries(followUps.map(({ dataset, outcome }) => [dataset, outcome.changes ?? outcome.status]))
