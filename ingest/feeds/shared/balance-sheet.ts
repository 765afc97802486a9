import type { FlatTable } from '../../formats/index.ts'
import { COMPANY, NEWEST_QUARTER } from './filed-quarter.ts'

const thousands = (...from: readonly string[]) => ({ from, times: 1_000 })
/** Declares an amount in thousands that some statement forms lack. */
const itemOf = (...from: readonly string[]) => ({ from, times: 1_000, optional: true }) as const

/**
 * Returns the accepted headings. Open data has the plain heading, forms of financial companies add
 * the unit.
 */
const counted = (name: string) => [name, `${name}（單位：股）`]

/**
 * Declares the balance sheets of one market, open data t187ap07. There is one table per statement
 * form. Totals are named 總額 or 總計.
 */
export const balanceSheets = (market: 'TWSE' | 'TPEX'): FlatTable => ({
  dataset: 'balance-sheet',
  called: { en: 't187ap07, balance sheets', zh: 't187ap07 資產負債表' },
  ...NEWEST_QUARTER,
  columns: {
    ...COMPANY,
    market: { always: market },
    current_assets: itemOf('流動資產'),
    non_current_assets: itemOf('非流動資產'),
    total_assets: thousands('資產總額', '資產總計'),
    current_liabilities: itemOf('流動負債'),
    non_current_liabilities: itemOf('非流動負債'),
    total_liabilities: thousands('負債總額', '負債總計'),
    share_capital: thousands('股本'),
    capital_surplus: thousands('資本公積'),
    retained_earnings: thousands('保留盈餘', '保留盈餘（或累積虧損）'),
    other_equity: thousands('其他權益'),
    treasury_shares: thousands('庫藏股票'),
    equity_attributable_to_owners: thousands('歸屬於母公司業主之權益合計', '歸屬於母公司業主之權益', '歸屬於母公司業主權益合計'),
    equity_under_common_control: itemOf('共同控制下前手權益'),
    equity_before_merger: itemOf('合併前非屬共同控制股權'),
    non_controlling_interests: thousands('非控制權益'),
    total_equity: thousands('權益總額', '權益總計'),
    book_value_per_share: '每股參考淨值',
    shares_pending_cancellation: counted('待註銷股本股數'),
    advance_receipt_shares: counted('預收股款（權益項下）之約當發行股數'),
    treasury_shares_count: [...counted('母公司暨子公司所持有之母公司庫藏股股數'), ...counted('母公司暨子公司持有之母公司庫藏股股數')],
    cash_and_cash_equivalents: itemOf('現金及約當現金'),
    loans_and_discounts: itemOf('貼現及放款－淨額'),
    deposits: itemOf('存款及匯款'),
    insurance_liabilities: itemOf('保險負債'),
  },
})
