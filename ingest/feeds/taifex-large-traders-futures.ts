import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'taifex-large-traders-futures',
  title: 'TAIFEX open interest of large traders in futures on one day: CSV',
  dataset: 'large-traders',
  called: { en: 'the table of large traders in futures', zh: '期貨大額交易人未沖銷部位結構' },
  url: 'https://www.taifex.com.tw/cht/3/largeTraderFutQry',
  fetch: [
    {
      period: 'latest',
      requests: [{ url: 'https://www.taifex.com.tw/data_gov/taifex_open_data.asp?data_name=OpenInterestOfLargeTradersFutures' }],
    },
    {
      period: 'day',
      requests: [
        {
          url: 'https://www.taifex.com.tw/cht/3/largeTraderFutDown',
          form: {
            queryStartDate: '{YYYY/MM/DD}',
            queryEndDate: '{YYYY/MM/DD}',
          },
        },
      ],
    },
  ],
  daily: 'TAIFEX',
  slice: 'futures',
  footnotes: true,
  // Only the table of options has this column. The other columns are the same.
  lacks: ['買賣權'],
  columns: {
    contract: ['商品(契約)', '契約'],
    trade_date: '日期',
    instrument: { always: 'futures' },
    contract_name: '商品名稱(契約名稱)',
    contract_month: { from: '到期月份(週別)', synonyms: { 999912: '999999' } },
    trader_type: { from: '交易人類別', words: { 0: 'all', 1: 'institutions' } },
    top5_buy: ['前五大交易人買方', '前五大交易人買方數量'],
    top5_sell: ['前五大交易人賣方', '前五大交易人賣方數量'],
    top10_buy: ['前十大交易人買方', '前十大交易人買方數量'],
    top10_sell: ['前十大交易人賣方', '前十大交易人賣方數量'],
    market_open_interest: '全市場未沖銷部位數',
  },
}

export default feed
