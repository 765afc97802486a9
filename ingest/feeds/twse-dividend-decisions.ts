import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'twse-dividend-decisions',
  title: 'TWSE dividends that boards proposed and meetings confirmed, open data t187ap45_L: JSON',
  dataset: 'dividend-decisions',
  called: { en: 't187ap45_L, dividend decisions', zh: 't187ap45_L 上市公司股利分派情形' },
  url: 'https://openapi.twse.com.tw/v1/opendata/t187ap45_L',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/opendata/t187ap45_L' }] }],
  columns: {
    ticker: '公司代號',
    market: { always: 'TWSE' },
    dividend_year: { from: '股利年度', form: 'year' },
    period: '期別',
    name: '公司名稱',
    progress: '決議（擬議）進度',
    period_type: '股利所屬年(季)度',
    period_start: { from: '股利所屬期間', part: /^(\d+)\s*[~～]/ },
    period_end: { from: '股利所屬期間', part: /[~～]\s*(\d+)$/ },
    board_date: '董事會（擬議）股利分派日',
    meeting_date: '股東會日期',
    opening_retained_earnings: '期初未分配盈餘/待彌補虧損(元)',
    net_income: '本期淨利(淨損)(元)',
    distributable_earnings: '可分配盈餘(元)',
    closing_retained_earnings: '分配後期末未分配盈餘(元)',
    cash_from_earnings: '股東配發-盈餘分配之現金股利(元/股)',
    cash_from_legal_reserve: '股東配發-法定盈餘公積發放之現金(元/股)',
    cash_from_capital_surplus: '股東配發-資本公積發放之現金(元/股)',
    total_cash_dividend: '股東配發-股東配發之現金(股利)總金額(元)',
    stock_from_earnings: '股東配發-盈餘轉增資配股(元/股)',
    stock_from_legal_reserve: '股東配發-法定盈餘公積轉增資配股(元/股)',
    stock_from_capital_surplus: '股東配發-資本公積轉增資配股(元/股)',
    total_stock_dividend_shares: '股東配發-股東配股總股數(股)',
    remarks: '備註',
  },
}

export default feed
