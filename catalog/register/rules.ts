export type Coverage =
  /** The dataset has the figures of the table. `without` names the missing ones. */
  | { readonly dataset: string; readonly without?: string }
  /** A query over these datasets yields the figures. `without` names the missing ones. */
  | { readonly computedFrom: readonly string[]; readonly without?: string }
  | { readonly notBuilt: string }

export interface Rule {
  /** Pattern for source, path and title, such as `TWSE opendata/t187ap45_L 上市公司股利分派情形`. */
  readonly tables: RegExp
  readonly covered: Coverage
}

const dataset = (slug: string, tables: RegExp, without?: string): Rule => ({
  tables,
  covered: { dataset: slug, ...(without && { without }) },
})
const computed = (from: readonly string[], tables: RegExp, without?: string): Rule => ({
  tables,
  covered: { computedFrom: from, ...(without && { without }) },
})
const notBuilt = (reason: string, tables: RegExp): Rule => ({ tables, covered: { notBuilt: reason } })

/** Coverage of every table. The first matching rule applies. */
export const RULES: readonly Rule[] = [
  // Tables in none of the lists of open data. Each is named by its address.
  dataset('futures-daily', /^Other .*futDataDown /),
  dataset('options-daily', /^Other .*optDataDown /),
  dataset('futures-institutional', /^Other .*(futContractsDateDown|FuturesContractsBytheDate) /),
  dataset('options-institutional', /^Other .*(callsAndPutsDateDown|CallsAndPutsBytheDate) /),
  computed(['options-institutional'], /^Other .*optContractsDateDown /),
  dataset('large-traders', /^Other .*(largeTrader\w+Down|OpenInterestOfLargeTraders\w+) /),
  dataset('final-settlement', /^Other .*FinalSettlementPrice /),
  dataset('put-call-ratio', /^Other .*(pcRatioDown|PutCallRatio) /),
  dataset('fx-rates', /^Other .*(dailyFXRateDown|DailyForeignExchangeRates|BP01D01) /),
  dataset('money-market-rates', /^Other .*EG41M01 /),
  dataset('cash-flow', /^Other .*(ajax_t164sb05|t164sb01) /),
  computed(['company-earnings', 'earnings'], /^Other .*ajax_t163sb04 /, 'expenses, taxes and comprehensive income'),
  notBuilt('No real file of the table was available. The quarterly tables of open data are read instead.', /^Other .*ajax_t163sb0[56] /),
  notBuilt('No real file of the table was available. The pages of single companies are read instead.', /^Other .*ajax_t163sb20 /),
  notBuilt('The quarterly tables of open data are read instead of the pages of single companies.', /^Other .*ajax_t164sb0[34] /),
  notBuilt('No real file of the archive was available.', /^Other .*t203sb02 /),
  notBuilt('No real file of the table was available. Conferences are read from material information.', /^Other .*ajax_t100sb02_1 /),
  dataset('monthly-revenue', /^Other .*(t21sc03|t187ap05_[LO]\.csv) /),
  dataset('shareholder-meetings', /^Other .*t187ap41_O\.csv /),
  computed(['securities'], /^Other .*t187ap03_O\.csv /, 'addresses, officers, capital and other entries of the register'),
  computed(['securities', 'theme-taxonomy'], /^Other .*class_main\.jsp /),
  dataset('foreign-holding', /^Other .*(t13sa150_otc|MI_QFIIS) /),
  dataset('daily-prices', /^Other .*(afterTrading\/MI_INDEX|dailyQuotes) /),
  dataset('market-turnover', /^Other .*(FMTQIK|tradingIndex) /),
  dataset('market-breadth', /^Other .*afterTrading\/highlight /),
  dataset('market-turnover-by-class', /^Other .*marketStats /),
  dataset('market-institutional', /^Other .*(BFI82U|insti\/summary) /),
  dataset('institutional-positioning', /^Other .*(fund\/T86|insti\/dailyTrade) /),
  dataset('valuation', /^Other .*(BWIBBU_d|peQryDate) /),
  dataset('margin-trading', /^Other .*(MI_MARGN|margin\/balance) /),
  dataset('securities-lending', /^Other .*(TWT93U|margin\/sbl) /),
  dataset('day-trading', /^Other .*(exchangeReport\/TWTB4U|intraday\/stat) /),
  dataset('ex-rights', /^Other .*(TWT49U|TWT49UDetail|exDailyQ) /),
  dataset('ex-rights-forecast', /^Other .*exRight\/TWT48U /),
  dataset('capital-changes', /^Other .*(TWTAUU|TWTB8U|TWTCAU|revivt|pvChgRslt|etfSplitRslt|etfRvsRslt) /),
  dataset('company-risk-events', /^Other .*announcement\/(notice|punish) |^Other .*bulletin\/breach /),
  dataset('delistings', /^Other .*deListed /),
  dataset('cb-prices', /^Other .*RSta0113 /),
  dataset('cb-terms', /^Other .*RSdrs001 /),
  notBuilt('No real file of the table was available.', /^Other CBBIGD /),
  notBuilt('No real file of the custody of convertible bonds was available.', /^Other .*id=2-8 /),
  dataset('shareholder-distribution', /^Other .*id=1-5 /),
  dataset('bond-yield-curve', /^Other .*government-bond\.html /),
  notBuilt('No official file was found. bond-yield-curve has the yields of the bonds nearest to each tenor instead.', /^Other Curve /),
  notBuilt('No real file was available. market-value-weights has weights in a market instead.', /^Other futuresQADetail /),
  dataset('index-classification', /^Other .*mis\.twse\.com\.tw/),
  dataset('branch-trades', /^Other .*bshtm/),
  notBuilt('No real file of the business indicators was available.', /^Other .*dataset\/6099 /),
  notBuilt('Odd lots, block trades and trading after the close are not covered.', /^Other .*BFIAUU /),

  notBuilt('Public companies without a listing are not covered.', /公開發行公司|公發公司/),
  notBuilt('The emerging stock board is not covered.', /興櫃|_esb_/),
  notBuilt('The startup board is not covered.', /創櫃/),
  notBuilt('Open-ended funds on TPEx are not covered.', /開放式基金/),
  notBuilt('Gold on TPEx is not covered.', /黃金現貨/),
  notBuilt('Warrants are not covered.', /權證|牛熊證/),

  dataset('monthly-revenue', /t187ap05_[LO] /),
  dataset('revenue-highs', /t187ap05_OB /),
  computed(['monthly-revenue'], /t187ap05_OA /),
  notBuilt('No real file of the table was available.', /t187ap(06_O_\w+A|38_L|39_O) /),
  computed(['company-earnings', 'earnings'], /t187ap06_[LO]_\w+ /, 'expenses, taxes and comprehensive income'),
  dataset('balance-sheet', /t187ap07_[LO]_\w+ /, 'other items of financial companies'),
  dataset('profitability', /187ap17_[LO] /),
  computed(['company-earnings', 'earnings'], /t187ap14_[LO] /, 'par value and non-operating income'),
  dataset('dividend-decisions', /t187ap45_L /),
  dataset('shareholder-meetings', /t187ap41_[LO] /),
  dataset('announcements', /t187ap04_[LO] /),
  computed(['securities'], /t187ap03_[LO] /, 'addresses, officers, capital and other entries of the register'),
  notBuilt('All tables of ESG disclosures were empty when the list was read.', /t187ap46_/),
  notBuilt('The table names natural persons.', /t187ap(02|1[1-3]|30|31|33)_[LO] /),
  notBuilt('Figures about the boards and meetings of companies are not covered.', /t187ap(08|09|10|29_[A-D]|34)_[LO] /),
  notBuilt('Texts about individual companies, without figures.', /t187ap(2[2-7]|32|35)_[LO] |CSR103/),
  notBuilt('Forecasts of results: a handful of companies publish them.', /t187ap1[56]_[LO] /),

  dataset('daily-prices', /STOCK_DAY_ALL |tpex_mainboard_(daily_close_)?quotes /),
  computed(['daily-prices'], /STOCK_DAY_AVG_ALL|FMNPTK_ALL|tpex_(trading_(volumes|amount)_avg|volume_rank|amount_rank) /),
  computed(['daily-prices'], /MI_INDEX20 /, 'last bid and ask'),
  computed(['daily-prices', 'foreign-holding'], /FMSRFK_ALL/),
  computed(['daily-prices', 'securities'], /STOCK_FIRST|tpex_trading_volume_ratio/),
  dataset('market-value-weights', /tpex_daily_market_value /),
  computed(['daily-prices', 'foreign-holding'], /tpex_daily_turnover /),
  computed(['valuation'], /tpex_pe_ratio_top10/),
  dataset('valuation', /BWIBBU_|tpex_mainboard_peratio_analysis/),
  dataset('market-turnover', /FMTQIK |tpex_daily_trading_index/),
  dataset('market-breadth', /twtazu_od/),
  computed(['market-breadth', 'market-turnover'], /tpex_mainborad_highlight/, 'authorized capital and market value'),
  dataset('day-trading', /TWTB4U|tpex_securities /),
  dataset('day-trading-market', /tpex_intraday_trading_statistics/),
  notBuilt('No real file of day-trading suspensions was available.', /TWTBAU[12]|tpex_intraday_(trading_(pre|his)|fee)/),
  notBuilt(
    'Trading during the day is not covered: the service has one row a day.',
    /MI_5MINS |盤中個股|tpex_prvol|tpex_delayed_stock|tpex_ceil_non_trading/,
  ),
  notBuilt(
    'Odd lots, block trades and trading after the close are not covered.',
    /TWT53U|BFT41U|block\/|_block|tpex_odd_stock|tpex_off_market|trading_summary_odd|鉅額/,
  ),
  notBuilt('Price limits of a day are not covered.', /TWT84U|TWT88U|tpex_ipo_no_limit/),
  notBuilt('Lists of the current moment, without history.', /tpex_spendi|BFZFZU_T/),

  dataset('margin-trading', /MI_MARGN|tpex_mainboard_margin_balance/),
  dataset('securities-lending', /tpex_margin_sbl/),
  computed(['margin-trading'], /tpex_margin_trading_(margin_used|short_sell|marginspot)/),
  notBuilt(
    'Terms of margin trading and lending are not covered.',
    /TWT96U|BFI84U|tpex_margin_trading_(term|adjust|lend|margin_mark)|tpex_short_sell/,
  ),

  dataset('institutional-positioning', /tpex_3insti_daily_trading/),
  computed(['institutional-positioning'], /tpex_3insti_(dealer_trading|trading|qfii_trading)/),
  dataset('market-institutional', /tpex_3insti_summary/),
  dataset('foreign-holding', /tpex_3insti_qfii /),
  computed(['foreign-holding', 'securities'], /MI_QFIIS_|tpex_3insti_qfii_industry/),

  dataset('ex-rights', /tpex_exright_daily/),
  dataset('ex-rights-forecast', /TWT48U_ALL|tpex_exright_prepost/),
  dataset('delistings', /suspendListing/),
  dataset(
    'company-risk-events',
    /announcement\/(punish|notice|notetrans)|TWT85U|TWTAWU|tpex_cmode|tpex_trading_warning_information|tpex_disposal_information/,
  ),
  notBuilt('Lists of securities of TPEx that were repeatedly under attention are not read.', /tpex_trading_warning_note/),
  dataset('trading-calendar', /holidaySchedule/),
  notBuilt('Applications for a listing are not covered.', /applylisting|newlisting|applicant_companies/),

  dataset('market-indices', /exchangeReport\/MI_INDEX /, 'thematic and leveraged indices'),
  dataset('market-indices', /FRMSA|TAI50I/, 'the total return index'),
  dataset('market-indices', /MFI94U/),
  computed(['market-indices', 'market-turnover'], /MI_INDEX4/),
  notBuilt('Indices have closing values only.', /MI_5MINS_HIST/),
  notBuilt('Indices of TPEx are not covered.', /tpex_index |_reward_index|_change |tpex50_index|tphd_index/),
  notBuilt('No real file of index members was available.', /_constituents|tpex_index_consti/),
  notBuilt('No real file of the issues of convertible bonds, and no official list of its fields, was available.', /ISSBD5_data/),
  notBuilt('Bonds other than the yield curve and convertible bonds are not covered.', /^T(WSE|PEx) .*債/),
  dataset('etf-register', /t187ap47_L/, 'persons, addresses and telephone numbers'),

  dataset('securities-firm-master', /t187ap18 |brokerList/),
  dataset('broker-branch-reference', /OpenData_BRK02/, 'opening day and telephone'),
  notBuilt(
    'Figures of securities and futures firms are not covered.',
    /券商|證券商|期貨商(?!品)|電子式交易|secRegData|結算會員|名冊|造市者/,
  ),
  notBuilt('Regular savings plans are not covered.', /ETFRank/),
  notBuilt('News of the exchange, without figures.', / news\//),

  dataset('futures-daily', /DailyMarketReportFut/),
  dataset('options-daily', /DailyMarketReportOpt/),
  dataset('put-call-ratio', /PutCallRatio/),
  dataset('futures-institutional', /DetailsOfFuturesContractsBytheDate/),
  dataset('options-institutional', /DetailsOfCallsAndPutsBytheDate/),
  computed(['futures-institutional', 'options-institutional'], /MajorInstitutionalTraders/),
  dataset('large-traders', /OpenInterestOfLargeTraders/),
  dataset('fx-rates', /DailyForeignExchangeRates/),
  dataset('final-settlement', /FinalSettlementPrice/),
  notBuilt('Figures by type of trader, other than the institutions, are not covered.', /MarketParticipants|TradingStatistics|eTradeQty/),
  computed(['futures-daily', 'options-daily'], /AnnualTrad|STFTop10| va0[13] /),
  notBuilt('Figures that need the size or the underlying of contracts are not covered.', / va\d\d /),
  notBuilt('Volumes of spread orders are not covered.', /CalendarSpreadOrders/),
  notBuilt('Terms, margins, limits, fees, deltas and deliveries of contracts are not covered.', /^TAIFEX /),
]
