import type { FlatFeed } from '../formats/index.ts'
import { announced, KIND_WORDS } from './shared/ex-day-forecast.ts'

const feed: FlatFeed = {
  name: 'twse-ex-rights-forecast',
  title: 'TWSE announced ex-rights and ex-dividend days, open data TWT48U_ALL: JSON',
  dataset: 'ex-rights-forecast',
  called: { en: 'TWT48U_ALL, announced ex-days', zh: 'TWT48U_ALL 上市股票除權除息預告表' },
  url: 'https://openapi.twse.com.tw/v1/exchangeReport/TWT48U_ALL',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/exchangeReport/TWT48U_ALL' }] }],
  nothing: /^\[\]$/,
  columns: {
    ticker: 'Code',
    market: { always: 'TWSE' },
    ex_date: 'Date',
    name: 'Name',
    kind: { from: 'Exdividend', words: KIND_WORDS },
    cash_dividend: announced('CashDividend'),
    stock_dividend_ratio: announced('StockDividendRatio'),
    subscription_ratio: announced('SubscriptionRatio'),
    subscription_price: announced('SubscriptionPricePerShare'),
    shares_offered: announced('SharesOffered'),
    shares_for_employees: announced('SharesEmpOwner'),
    shares_for_holders: announced('SharesholderOwner'),
    subscription_per_thousand: announced('StockHoldingRatio'),
  },
}

export default feed
