import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'taifex-fx-rates',
  title: 'TAIFEX daily reference exchange rates: CSV',
  dataset: 'fx-rates',
  called: { en: 'the TAIFEX reference exchange rates', zh: '期交所每日外幣參考匯率' },
  url: 'https://www.taifex.com.tw/cht/3/dailyFXRate',
  fetch: [
    {
      period: 'latest',
      requests: [{ url: 'https://www.taifex.com.tw/data_gov/taifex_open_data.asp?data_name=DailyForeignExchangeRates' }],
    },
    {
      period: 'day',
      requests: [
        {
          url: 'https://www.taifex.com.tw/cht/3/dailyFXRateDown',
          form: { queryStartDate: '{YYYY/MM/DD}', queryEndDate: '{YYYY/MM/DD}' },
        },
      ],
    },
  ],
  daily: 'TAIFEX',
  columns: { source: { always: 'taifex' }, date: '日期' },
  unpivot: {
    label: 'pair',
    value: 'rate',
    headings: {
      '美元/新台幣': 'USD/TWD',
      '人民幣/新台幣': 'CNY/TWD',
      '歐元/美元': 'EUR/USD',
      '美元/日幣': 'USD/JPY',
      '英鎊/美元': 'GBP/USD',
      '澳幣/美元': 'AUD/USD',
      '美元/港幣': 'USD/HKD',
      '美元/人民幣': 'USD/CNY',
      '美元/南非幣': 'USD/ZAR',
      '紐幣/美元': 'NZD/USD',
    },
  },
}

export default feed
