import type { Total } from '../../src/releases/index.ts'
import { type Feed, figureOf, heading, isObject, parseBy } from '../formats/index.ts'
import { type DayTable, placesOf, readDayTable } from './shared/day-table.ts'
import { MARGIN_COLUMNS, type MarginColumn, marginRow, SHARES_PER_LOT, type TpexColumn } from './shared/margin.ts'
import { isOpenData, type OpenTable, readOpenTable } from './shared/open-table.ts'

const TPEX_MARGIN: DayTable<MarginColumn | TpexColumn | 'remark'> = {
  called: 'TPEx 上櫃股票融資融券餘額',
  dataset: 'margin-trading',
  market: 'TPEX',
  headings: {
    ticker: ['代號'],
    name: ['名稱'],
    margin_previous_balance: ['前資餘額(張)'],
    margin_buy: ['資買'],
    margin_sell: ['資賣'],
    margin_cash_repayment: ['現償'],
    margin_balance: ['資餘額'],
    margin_finance_balance: ['資屬證金'],
    margin_utilization: ['資使用率(%)'],
    margin_limit: ['資限額'],
    short_previous_balance: ['前券餘額(張)'],
    short_sell: ['券賣'],
    short_buy: ['券買'],
    short_stock_repayment: ['券償'],
    short_balance: ['券餘額'],
    short_finance_balance: ['券屬證金'],
    short_utilization: ['券使用率(%)'],
    short_limit: ['券限額'],
    offset_volume: ['資券相抵(張)'],
    remark: ['備註'],
  },
  figures: marginRow,
  totals: summary,
}

const OPEN_DATA: OpenTable<MarginColumn | TpexColumn | 'remark'> = {
  called: 'tpex_mainboard_margin_balance 上櫃股票融資融券餘額',
  dataset: 'margin-trading',
  market: 'TPEX',
  day: 'Date',
  names: {
    ticker: 'SecuritiesCompanyCode',
    name: 'CompanyName',
    margin_previous_balance: 'MarginPurchaseBalancePreviousDay',
    margin_buy: 'MarginPurchase',
    margin_sell: 'MarginSales',
    margin_cash_repayment: 'CashRedemption',
    margin_balance: 'MarginPurchaseBalance',
    margin_finance_balance: 'MarginPurchaseBalanceBelongSecuritiesFinanceEnterprise',
    margin_utilization: 'MarginPurchaseUtilizationRate',
    margin_limit: 'MarginPurchaseQuota',
    short_previous_balance: 'ShortSaleBalancePreviousDay',
    short_sell: 'ShortSale',
    // The exchange misspells this name.
    short_buy: 'ShortConvering',
    short_stock_repayment: 'StockRedemption',
    short_balance: 'ShortSaleBalance',
    short_finance_balance: 'ShortSaleBalanceBelongSecuritiesFinanceEnterprise',
    short_utilization: 'ShortSaleUtilizationRate',
    short_limit: 'ShortSaleQuota',
    offset_volume: 'Offsetting',
    remark: 'Note',
  },
  figures: marginRow,
}

/** Returns the totals of the whole market, in lots. */
function summary(value: unknown): readonly Total[] {
  const tables = isObject(value) && Array.isArray(value['tables']) ? value['tables'].filter(isObject) : []
  return tables.flatMap(({ fields, summary }) => {
    const places = placesOf((Array.isArray(fields) ? fields : []).map(heading), TPEX_MARGIN.headings)
    const sums = (Array.isArray(summary) ? summary : []).find(row => Array.isArray(row) && String(row[1]).includes('合計'))
    if (places === undefined || sums === undefined) return []
    return MARGIN_COLUMNS.flatMap(column => {
      const lots = figureOf(sums[places[column]])
      return typeof lots === 'number' ? [{ column, of: null, stated: lots * SHARES_PER_LOT }] : []
    })
  })
}

const feed: Feed = {
  name: 'tpex-margin',
  title: 'TPEx margin purchases and short sales of one day: JSON, or open data tpex_mainboard_margin_balance',
  datasets: ['margin-trading'],
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/margin-trading/transactions.html',
  fetch: [
    { period: 'latest', requests: [{ url: 'https://www.tpex.org.tw/openapi/v1/tpex_mainboard_margin_balance' }] },
    {
      period: 'day',
      requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/margin/balance?date={YYYY/MM/DD}&id=&response=json' }],
    },
  ],
  daily: 'TPEX',
  parse: parseBy({
    json: (value, requestedDay) =>
      isOpenData(value) ? readOpenTable(value, requestedDay, OPEN_DATA) : readDayTable(value, requestedDay, TPEX_MARGIN),
  }),
}

export default feed
