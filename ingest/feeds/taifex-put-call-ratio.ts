import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'taifex-put-call-ratio',
  title: 'TAIFEX put/call ratio of TAIEX options: CSV',
  dataset: 'put-call-ratio',
  called: { en: 'the put/call ratio of TAIEX options', zh: '臺指選擇權 Put/Call 比' },
  url: 'https://www.taifex.com.tw/cht/3/pcRatio',
  fetch: [
    { period: 'latest', requests: [{ url: 'https://www.taifex.com.tw/data_gov/taifex_open_data.asp?data_name=PutCallRatio' }] },
    {
      period: 'day',
      requests: [
        {
          url: 'https://www.taifex.com.tw/cht/3/pcRatioDown',
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
    contract: { always: 'TXO' },
    trade_date: '日期',
    put_volume: '賣權成交量',
    call_volume: '買權成交量',
    volume_ratio: '買賣權成交量比率%',
    put_open_interest: '賣權未平倉量',
    call_open_interest: '買權未平倉量',
    open_interest_ratio: '買賣權未平倉量比率%',
  },
}

export default feed
