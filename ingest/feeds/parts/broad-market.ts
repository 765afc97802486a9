/** Rule by which an index is classified: it is one of these codes, each chosen because it measures a whole market. */
export const BROAD_MARKET_RULE = 'whole_market_index_by_code'

/**
 * Broad-market indices. IX0001 all listed stocks by price, IR0001 the same with dividends, IX0043 all stocks traded over the
 * counter, IX0142 and FRMSA both markets together.
 */
export const BROAD_MARKET: readonly string[] = ['IX0001', 'IR0001', 'IX0043', 'IX0142', 'FRMSA']
