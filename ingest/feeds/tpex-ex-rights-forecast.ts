import type { FlatFeed } from '../formats/index.ts'
import { announced, KIND_WORDS } from './shared/ex-day-forecast.ts'

const feed: FlatFeed = {
  name: 'tpex-ex-rights-forecast',
  title: 'TPEx announced ex-rights and ex-dividend days, open data tpex_exright_prepost: JSON',
  dataset: 'ex-rights-forecast',
  called: { en: 'tpex_exright_prepost, announced ex-days', zh: 'tpex_exright_prepost 上櫃股票除權除息預告表' },
  url: 'https://www.tpex.org.tw/openapi/v1/tpex_exright_prepost',
  fetch: [{ period: 'latest', requests: [{ url: 'https://www.tpex.org.tw/openapi/v1/tpex_exright_prepost' }] }],
  nothing: /^\[\]$/,
  columns: {
    ticker: 'SecuritiesCompanyCode',
    market: { always: 'TPEX' },
    // The first heading is misspelled by the exchange.
    ex_date: ['ExRrightsExDividendDate', 'ExRightsExDividendDate'],
    name: 'CompanyName',
    kind: { from: ['ExRrightsExDividend', 'ExRightsExDividend'], words: KIND_WORDS },
    cash_dividend: announced('CashDividend'),
    stock_dividend_ratio: announced('StockDividendRatio'),
    subscription_ratio: announced('SubscriptionRatioToNewSharesIssued'),
    subscription_price: announced('SubscriptionPricePerShare'),
    shares_offered: announced('AllocatedForPublicUnderwriting'),
    shares_for_employees: announced('SubscribedByEmployees'),
    shares_for_holders: announced('SubscribedByExistingShareholders'),
    subscription_per_thousand: announced('SubscribedProRataInThousandShares'),
  },
}

export default feed
