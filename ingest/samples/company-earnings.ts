import { earnings } from './earnings.ts'

/** The same figures as the earnings sample, in this dataset's columns. */
export const companyEarnings = (until: string) =>
  earnings(until).map(({ ticker, fiscal_period, revenue, eps, net_income, period_end, announcement_date }) => ({
    ticker,
    fiscal_period,
    revenue,
    eps,
    net_income,
    currency: 'TWD',
    period_end,
    announcement_date,
  }))
