import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'taifex-options-institutional',
  title: 'TAIFEX institutional investors in options on one day, by calls and puts: CSV',
  dataset: 'options-institutional',
  called: { en: 'the table of institutional investors in options', zh: '三大法人-選擇權買賣權分計' },
  url: 'https://www.taifex.com.tw/cht/3/callsAndPutsDate',
  fetch: [
    {
      period: 'latest',
      requests: [
        {
          url: 'https://www.taifex.com.tw/data_gov/taifex_open_data.asp?data_name=MarketDataOfMajorInstitutionalTradersDetailsOfCallsAndPutsBytheDate',
        },
      ],
    },
    {
      period: 'day',
      // The site offers the last three years.
      keeps: 3 * 365,
      requests: [
        {
          url: 'https://www.taifex.com.tw/cht/3/callsAndPutsDateDown',
          form: {
            queryStartDate: '{YYYY/MM/DD}',
            queryEndDate: '{YYYY/MM/DD}',
          },
        },
      ],
    },
  ],
  daily: 'TAIFEX',
  columns: {
    product: '商品名稱',
    trade_date: '日期',
    option_type: { from: '買賣權別', words: { CALL: 'call', PUT: 'put', 買權: 'call', 賣權: 'put' } },
    investor: { from: '身份別', words: { 自營商: 'dealers', 投信: 'investment_trust', 外資及陸資: 'foreign', 外資: 'foreign' } },
    buy_volume: '買方交易口數',
    buy_value: { from: ['買方交易契約金額(千元)', '買方契約金額(千元)'], times: 1_000 },
    sell_volume: '賣方交易口數',
    sell_value: { from: ['賣方交易契約金額(千元)', '賣方契約金額(千元)'], times: 1_000 },
    net_volume: ['交易口數買賣淨額', '買賣交易口數淨額'],
    net_value: { from: ['交易契約金額買賣淨額(千元)', '買賣契約金額淨額(千元)'], times: 1_000 },
    buy_open_interest: '買方未平倉口數',
    buy_open_interest_value: { from: '買方未平倉契約金額(千元)', times: 1_000 },
    sell_open_interest: '賣方未平倉口數',
    sell_open_interest_value: { from: '賣方未平倉契約金額(千元)', times: 1_000 },
    net_open_interest: ['未平倉口數買賣淨額', '買賣未平倉口數淨額'],
    net_open_interest_value: { from: ['未平倉契約金額買賣淨額(千元)', '買賣未平倉契約金額淨額(千元)'], times: 1_000 },
  },
}

export default feed
