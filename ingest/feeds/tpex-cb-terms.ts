import type { FlatFeed } from '../formats/index.ts'

/** The file prints a missing day as 0, 19110000 or 1911/00/00, and a missing price as 0.0000. */
const day = (from: string) => ({ from, none: /^(0|1911\/?00\/?00)$/ }) as const
const price = (from: string) => ({ from, none: /^0(\.0+)?$/ }) as const

const feed: FlatFeed = {
  name: 'tpex-cb-terms',
  title: 'TPEx RSdrs001, terms of convertible bonds on one day: CSV',
  dataset: 'cb-terms',
  called: 'RSdrs001 轉換公司債資訊看板',
  url: 'https://www.tpex.org.tw/zh-tw/bond/info/statistics-cb/day-quotes.html',
  fetch: [
    {
      period: 'day',
      since: '2017-01-17',
      requests: [{ url: 'https://www.tpex.org.tw/storage/bond_zone/tradeinfo/cb/{YYYY}/{YYYYMM}/RSdrs001.{YYYYMMDD}-C.csv' }],
    },
  ],
  daily: 'TPEX',
  columns: {
    bond_code: '債券代碼',
    name: '債券簡稱',
    conversion_start: day('轉換起日'),
    conversion_end: day('轉換迄日'),
    conversion_price: price('轉換價格'),
    next_reset_date: day('下次轉換價格生效日期'),
    put_start: day('最近賣回權起日'),
    put_end: day('最近賣回權迄日'),
    put_price: price('最近賣回權價格'),
    call_start: day('強制贖回起日'),
    call_end: day('強制贖回迄日'),
    call_price: price('強制贖回價格'),
    delisting_date: day('終止櫃檯買賣日'),
    issue_amount: '原始發行總額',
    outstanding_amount: '上月底發行餘額',
    reference_price: price('轉債參考價格'),
    underlying_price: price('轉換標的股票價格'),
    suspension_start: day('停止交易起日'),
    suspension_end: day('停止交易迄日'),
    coupon_rate: '票面利率',
  },
}

export default feed
