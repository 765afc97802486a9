import { expect } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { weekdays } from '../../fixtures/publish/rows.ts'
import type { TestService } from '../../support.ts'

/**
 * Sends a request with dry_run=true, and checks that it is free.
 * @returns its body
 */
export async function dryRun(s: TestService, url: string, key: string, headers: Record<string, string> = {}) {
  const response = await s.get(`${url}${url.includes('?') ? '&' : '?'}dry_run=true`, key, headers)
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/vnd.twmd.dry-run+json; charset=utf-8'])
  expect(response.headers['x-credits-charged']).toBe('0')
  return response.json()
}

export const MANY_ROWS = '/v2/datasets/institutional-positioning?symbol=2330,2317'

/** Publishes 2,400 days of three tickers, which the path `MANY_ROWS` reads. */
export async function publishManyRows(s: TestService): Promise<void> {
  const rows = ['2330', '2317', '2454'].flatMap(ticker =>
    weekdays('2015-01-01', 2_400).map(
      (trade_date, day): Row => ({
        ...{
          ticker,
          market: 'TWSE',
          trade_date,
          foreign_net_buy: Math.imul(day + 1, 2_654_435),
          investment_trust_net_buy: Math.imul(day, 40_503),
          dealer_net_buy: 7,
        },
      }),
    ),
  )
  await s.publish('institutional-positioning', rows, { accept: ['row_count_drift'] })
}

/** Checks that the estimated size of an answer is between half and twice its real size. */
export async function expectEstimate(s: TestService, url: string, key: string): Promise<void> {
  const [dry, read] = [await dryRun(s, url, key), await s.get(url, key)]
  const ratio = dry.estimated_bytes / read.rawPayload.length
  expect.soft(dry.rows, `rows of ${url}`).toBe(Number(read.headers['x-row-count']))
  expect.soft(ratio, `estimated bytes / bytes of ${url}`).toBeGreaterThan(0.5)
  expect.soft(ratio, `estimated bytes / bytes of ${url}`).toBeLessThan(2)
}
