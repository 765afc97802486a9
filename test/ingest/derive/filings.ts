import type { Row } from '../../../catalog/index.ts'
import { body, ingest } from '../../fixtures/ingest/bodies.ts'
import type { TestService } from '../../support.ts'

const HEAD =
  'ticker,name,market,fiscal_period,industry_schema,revenue_k,gross_profit_k,operating_income_k,net_income_k,net_income_parent_k,eps'

/** Publishes income statements on a service and reads the earnings. */
export const filingsOn = (s: TestService) => ({
  /**
   * Income statements of a period: the year to date in thousands of TWD. Gross profit is half of
   * the revenue, and the parent's income a tenth.
   */
  filed: (period: string, revenues: Readonly<Record<string, readonly [revenue: number, eps: number]>>): string =>
    body(
      s,
      `${period}.csv`,
      [
        HEAD,
        ...Object.entries(revenues).map(
          ([ticker, [k, eps]]) => `${ticker},範例,TWSE,${period},ci,${k},${k / 2},${k / 4},${k / 5},${k / 10},${eps}`,
        ),
        '',
      ].join('\n'),
    ),
  file: (...files: readonly string[]) => ingest(s, 'mops-eps', files),
  async quarters(symbol = '2330', query = ''): Promise<readonly Row[]> {
    return (await s.get(`/v1/earnings?symbol=${symbol}${query}`, s.keyOn('pro'))).json().data
  },
})

export const figures = (rows: readonly Row[]) => rows.map(row => [row['fiscal_period'], row['revenue'], row['net_income'], row['eps']])
