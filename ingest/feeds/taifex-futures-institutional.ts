import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'taifex-futures-institutional',
  title: 'TAIFEX institutional investors in futures on one day: CSV',
  dataset: 'futures-institutional',
  called: { en: 'the table of institutional investors in futures', zh: '三大法人-區分各期貨契約' },
  url: 'https://www.taifex.com.tw/cht/3/futContractsDate',
  fetch: [
    {
      period: 'latest',
      requests: [
        {
          url: 'https://www.taifex.com.tw/data_gov/taifex_open_data.asp?data_name=MarketDataOfMajorInstitutionalTradersDetailsOfFuturesContractsBytheDate',
        },
      ],
    },
    {
      period: 'day',
      // The site offers the last three years.
      keeps: 3 * 365,
      requests: [
        {
          url: 'https://www.taifex.com.tw/cht/3/futContractsDateDown',
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
    investor: { from: '身份別', words: { 自營商: 'dealers', 投信: 'investment_trust', 外資及陸資: 'foreign', 外資: 'foreign' } },
    long_volume: '多方交易口數',
    long_value: { from: ['多方交易契約金額(千元)', '多方契約金額(千元)'], times: 1_000 },
    short_volume: '空方交易口數',
    short_value: { from: ['空方交易契約金額(千元)', '空方契約金額(千元)'], times: 1_000 },
    net_volume: ['多空交易口數淨額', '多空口數淨額'],
    net_value: { from: ['多空交易契約金額淨額(千元)', '多空契約金額淨額(千元)'], times: 1_000 },
    long_open_interest: '多方未平倉口數',
    long_open_interest_value: { from: '多方未平倉契約金額(千元)', times: 1_000 },
    short_open_interest: '空方未平倉口數',
    short_open_interest_value: { from: '空方未平倉契約金額(千元)', times: 1_000 },
    net_open_interest: '多空未平倉口數淨額',
    net_open_interest_value: { from: '多空未平倉契約金額淨額(千元)', times: 1_000 },
  },
}

export default feed
