// Made from the description of the service by `npm run contract`; not edited by hand.

/** Reads by name: slugs of datasets, with `/cross-section` behind them for all keys of one day. */
export interface Reads {
  /** Adjusted prices */
  readonly 'adjusted-prices': { readonly row: AdjustedPricesRow; readonly params: AdjustedPricesParams }
  /** Adjustment factors */
  readonly 'adjustment-factors': { readonly row: AdjustmentFactorsRow; readonly params: AdjustmentFactorsParams }
  /** Business segments */
  readonly 'all-segments': { readonly row: AllSegmentsRow; readonly params: AllSegmentsParams }
  /** Material information */
  readonly 'announcements': { readonly row: AnnouncementsRow; readonly params: AnnouncementsParams }
  /** Balance sheets */
  readonly 'balance-sheet': { readonly row: BalanceSheetRow; readonly params: BalanceSheetParams }
  /** Government bond yield curve */
  readonly 'bond-yield-curve': { readonly row: BondYieldCurveRow; readonly params: BondYieldCurveParams }
  /** Trades by branch */
  readonly 'branch-trades': { readonly row: BranchTradesRow; readonly params: BranchTradesParams }
  /** Broker branch reference */
  readonly 'broker-branch-reference': { readonly row: BrokerBranchReferenceRow; readonly params: BrokerBranchReferenceParams }
  /** Capital reductions and splits */
  readonly 'capital-changes': { readonly row: CapitalChangesRow; readonly params: CapitalChangesParams }
  /** Cash-flow statements */
  readonly 'cash-flow': { readonly row: CashFlowRow; readonly params: CashFlowParams }
  /** Convertible bonds: daily prices */
  readonly 'cb-prices': { readonly row: CbPricesRow; readonly params: CbPricesParams }
  /** Convertible bonds: terms */
  readonly 'cb-terms': { readonly row: CbTermsRow; readonly params: CbTermsParams }
  /** Company earnings */
  readonly 'company-earnings': { readonly row: CompanyEarningsRow; readonly params: CompanyEarningsParams }
  /** Company risk events */
  readonly 'company-risk-events': { readonly row: CompanyRiskEventsRow; readonly params: CompanyRiskEventsParams }
  /** Daily prices */
  readonly 'daily-prices': { readonly row: DailyPricesRow; readonly params: DailyPricesParams }
  /** Day trading of the market */
  readonly 'day-trading-market': { readonly row: DayTradingMarketRow; readonly params: DayTradingMarketParams }
  /** Day trading */
  readonly 'day-trading': { readonly row: DayTradingRow; readonly params: DayTradingParams }
  /** Delistings */
  readonly 'delistings': { readonly row: DelistingsRow; readonly params: DelistingsParams }
  /** Dividend decisions */
  readonly 'dividend-decisions': { readonly row: DividendDecisionsRow; readonly params: DividendDecisionsParams }
  /** Earnings */
  readonly 'earnings': { readonly row: EarningsRow; readonly params: EarningsParams }
  /** Register of funds */
  readonly 'etf-register': { readonly row: EtfRegisterRow; readonly params: EtfRegisterParams }
  /** Events calendar */
  readonly 'events': { readonly row: EventsRow; readonly params: EventsParams }
  /** Announced ex-days */
  readonly 'ex-rights-forecast': { readonly row: ExRightsForecastRow; readonly params: ExRightsForecastParams }
  /** Ex-rights and ex-dividend results */
  readonly 'ex-rights': { readonly row: ExRightsRow; readonly params: ExRightsParams }
  /** Final settlement prices */
  readonly 'final-settlement': { readonly row: FinalSettlementRow; readonly params: FinalSettlementParams }
  /** Foreign holdings */
  readonly 'foreign-holding': { readonly row: ForeignHoldingRow; readonly params: ForeignHoldingParams }
  /** Futures: daily quotes */
  readonly 'futures-daily': { readonly row: FuturesDailyRow; readonly params: FuturesDailyParams }
  /** Futures: institutional investors */
  readonly 'futures-institutional': { readonly row: FuturesInstitutionalRow; readonly params: FuturesInstitutionalParams }
  /** Exchange rates */
  readonly 'fx-rates': { readonly row: FxRatesRow; readonly params: FxRatesParams }
  /** Holder concentration */
  readonly 'holder-concentration': { readonly row: HolderConcentrationRow; readonly params: HolderConcentrationParams }
  /** Index classification */
  readonly 'index-classification': { readonly row: IndexClassificationRow; readonly params: IndexClassificationParams }
  /** Institutional positioning */
  readonly 'institutional-positioning': { readonly row: InstitutionalPositioningRow; readonly params: InstitutionalPositioningParams }
  /** Investor conferences */
  readonly 'investor-conferences': { readonly row: InvestorConferencesRow; readonly params: InvestorConferencesParams }
  /** Open interest of large traders */
  readonly 'large-traders': { readonly row: LargeTradersRow; readonly params: LargeTradersParams }
  /** Lending utilisation */
  readonly 'lending-utilisation': { readonly row: LendingUtilisationRow; readonly params: LendingUtilisationParams }
  /** Limit moves */
  readonly 'limit-moves': { readonly row: LimitMovesRow; readonly params: LimitMovesParams }
  /** Margin trading */
  readonly 'margin-trading': { readonly row: MarginTradingRow; readonly params: MarginTradingParams }
  /** Market breadth */
  readonly 'market-breadth': { readonly row: MarketBreadthRow; readonly params: MarketBreadthParams }
  /** Market indices */
  readonly 'market-indices': { readonly row: MarketIndicesRow; readonly params: MarketIndicesParams }
  /** Institutional trades of the market */
  readonly 'market-institutional': { readonly row: MarketInstitutionalRow; readonly params: MarketInstitutionalParams }
  /** Margin balances of the market */
  readonly 'market-margin': { readonly row: MarketMarginRow; readonly params: MarketMarginParams }
  /** Market turnover by class */
  readonly 'market-turnover-by-class': { readonly row: MarketTurnoverByClassRow; readonly params: MarketTurnoverByClassParams }
  /** Market turnover */
  readonly 'market-turnover': { readonly row: MarketTurnoverRow; readonly params: MarketTurnoverParams }
  /** Market value weights */
  readonly 'market-value-weights': { readonly row: MarketValueWeightsRow; readonly params: MarketValueWeightsParams }
  /** Money market rates */
  readonly 'money-market-rates': { readonly row: MoneyMarketRatesRow; readonly params: MoneyMarketRatesParams }
  /** Monthly bars */
  readonly 'monthly-bars': { readonly row: MonthlyBarsRow; readonly params: MonthlyBarsParams }
  /** Monthly revenue */
  readonly 'monthly-revenue': { readonly row: MonthlyRevenueRow; readonly params: MonthlyRevenueParams }
  /** Options: daily quotes */
  readonly 'options-daily': { readonly row: OptionsDailyRow; readonly params: OptionsDailyParams }
  /** Options: institutional investors */
  readonly 'options-institutional': { readonly row: OptionsInstitutionalRow; readonly params: OptionsInstitutionalParams }
  /** Profitability */
  readonly 'profitability': { readonly row: ProfitabilityRow; readonly params: ProfitabilityParams }
  /** Put/call ratio of TAIEX options */
  readonly 'put-call-ratio': { readonly row: PutCallRatioRow; readonly params: PutCallRatioParams }
  /** Returns */
  readonly 'returns': { readonly row: ReturnsRow; readonly params: ReturnsParams }
  /** Revenue highs */
  readonly 'revenue-highs': { readonly row: RevenueHighsRow; readonly params: RevenueHighsParams }
  /** Securities firm master */
  readonly 'securities-firm-master': { readonly row: SecuritiesFirmMasterRow; readonly params: SecuritiesFirmMasterParams }
  /** Short sales of borrowed shares */
  readonly 'securities-lending': { readonly row: SecuritiesLendingRow; readonly params: SecuritiesLendingParams }
  /** Securities */
  readonly 'securities': { readonly row: SecuritiesRow; readonly params: SecuritiesParams }
  /** Shareholder distribution */
  readonly 'shareholder-distribution': { readonly row: ShareholderDistributionRow; readonly params: ShareholderDistributionParams }
  /** Shareholders’ meetings */
  readonly 'shareholder-meetings': { readonly row: ShareholderMeetingsRow; readonly params: ShareholderMeetingsParams }
  /** Technical indicators */
  readonly 'technical-indicators': { readonly row: TechnicalIndicatorsRow; readonly params: TechnicalIndicatorsParams }
  /** Theme taxonomy */
  readonly 'theme-taxonomy': { readonly row: ThemeTaxonomyRow; readonly params: ThemeTaxonomyParams }
  /** Trading calendar */
  readonly 'trading-calendar': { readonly row: TradingCalendarRow; readonly params: TradingCalendarParams }
  /** Valuation percentiles */
  readonly 'valuation-percentiles': { readonly row: ValuationPercentilesRow; readonly params: ValuationPercentilesParams }
  /** Valuation ratios */
  readonly 'valuation': { readonly row: ValuationRow; readonly params: ValuationParams }
  /** Weekly bars */
  readonly 'weekly-bars': { readonly row: WeeklyBarsRow; readonly params: WeeklyBarsParams }
  /** Adjusted prices: cross-section */
  readonly 'adjusted-prices/cross-section': { readonly row: AdjustedPricesRow; readonly params: AdjustedPricesCrossSectionParams }
  /** Material information: cross-section */
  readonly 'announcements/cross-section': { readonly row: AnnouncementsRow; readonly params: AnnouncementsCrossSectionParams }
  /** Balance sheets: cross-section */
  readonly 'balance-sheet/cross-section': { readonly row: BalanceSheetRow; readonly params: BalanceSheetCrossSectionParams }
  /** Government bond yield curve: cross-section */
  readonly 'bond-yield-curve/cross-section': { readonly row: BondYieldCurveRow; readonly params: BondYieldCurveCrossSectionParams }
  /** Trades by branch: cross-section */
  readonly 'branch-trades/cross-section': { readonly row: BranchTradesRow; readonly params: BranchTradesCrossSectionParams }
  /** Capital reductions and splits: cross-section */
  readonly 'capital-changes/cross-section': { readonly row: CapitalChangesRow; readonly params: CapitalChangesCrossSectionParams }
  /** Cash-flow statements: cross-section */
  readonly 'cash-flow/cross-section': { readonly row: CashFlowRow; readonly params: CashFlowCrossSectionParams }
  /** Convertible bonds: daily prices: cross-section */
  readonly 'cb-prices/cross-section': { readonly row: CbPricesRow; readonly params: CbPricesCrossSectionParams }
  /** Convertible bonds: terms: cross-section */
  readonly 'cb-terms/cross-section': { readonly row: CbTermsRow; readonly params: CbTermsCrossSectionParams }
  /** Company risk events: cross-section */
  readonly 'company-risk-events/cross-section': { readonly row: CompanyRiskEventsRow; readonly params: CompanyRiskEventsCrossSectionParams }
  /** Daily prices: cross-section */
  readonly 'daily-prices/cross-section': { readonly row: DailyPricesRow; readonly params: DailyPricesCrossSectionParams }
  /** Day trading of the market: cross-section */
  readonly 'day-trading-market/cross-section': { readonly row: DayTradingMarketRow; readonly params: DayTradingMarketCrossSectionParams }
  /** Day trading: cross-section */
  readonly 'day-trading/cross-section': { readonly row: DayTradingRow; readonly params: DayTradingCrossSectionParams }
  /** Delistings: cross-section */
  readonly 'delistings/cross-section': { readonly row: DelistingsRow; readonly params: DelistingsCrossSectionParams }
  /** Events calendar: cross-section */
  readonly 'events/cross-section': { readonly row: EventsRow; readonly params: EventsCrossSectionParams }
  /** Announced ex-days: cross-section */
  readonly 'ex-rights-forecast/cross-section': { readonly row: ExRightsForecastRow; readonly params: ExRightsForecastCrossSectionParams }
  /** Ex-rights and ex-dividend results: cross-section */
  readonly 'ex-rights/cross-section': { readonly row: ExRightsRow; readonly params: ExRightsCrossSectionParams }
  /** Final settlement prices: cross-section */
  readonly 'final-settlement/cross-section': { readonly row: FinalSettlementRow; readonly params: FinalSettlementCrossSectionParams }
  /** Foreign holdings: cross-section */
  readonly 'foreign-holding/cross-section': { readonly row: ForeignHoldingRow; readonly params: ForeignHoldingCrossSectionParams }
  /** Futures: daily quotes: cross-section */
  readonly 'futures-daily/cross-section': { readonly row: FuturesDailyRow; readonly params: FuturesDailyCrossSectionParams }
  /** Futures: institutional investors: cross-section */
  readonly 'futures-institutional/cross-section': { readonly row: FuturesInstitutionalRow; readonly params: FuturesInstitutionalCrossSectionParams }
  /** Exchange rates: cross-section */
  readonly 'fx-rates/cross-section': { readonly row: FxRatesRow; readonly params: FxRatesCrossSectionParams }
  /** Holder concentration: cross-section */
  readonly 'holder-concentration/cross-section': { readonly row: HolderConcentrationRow; readonly params: HolderConcentrationCrossSectionParams }
  /** Institutional positioning: cross-section */
  readonly 'institutional-positioning/cross-section': { readonly row: InstitutionalPositioningRow; readonly params: InstitutionalPositioningCrossSectionParams }
  /** Investor conferences: cross-section */
  readonly 'investor-conferences/cross-section': { readonly row: InvestorConferencesRow; readonly params: InvestorConferencesCrossSectionParams }
  /** Open interest of large traders: cross-section */
  readonly 'large-traders/cross-section': { readonly row: LargeTradersRow; readonly params: LargeTradersCrossSectionParams }
  /** Lending utilisation: cross-section */
  readonly 'lending-utilisation/cross-section': { readonly row: LendingUtilisationRow; readonly params: LendingUtilisationCrossSectionParams }
  /** Limit moves: cross-section */
  readonly 'limit-moves/cross-section': { readonly row: LimitMovesRow; readonly params: LimitMovesCrossSectionParams }
  /** Margin trading: cross-section */
  readonly 'margin-trading/cross-section': { readonly row: MarginTradingRow; readonly params: MarginTradingCrossSectionParams }
  /** Market breadth: cross-section */
  readonly 'market-breadth/cross-section': { readonly row: MarketBreadthRow; readonly params: MarketBreadthCrossSectionParams }
  /** Market indices: cross-section */
  readonly 'market-indices/cross-section': { readonly row: MarketIndicesRow; readonly params: MarketIndicesCrossSectionParams }
  /** Institutional trades of the market: cross-section */
  readonly 'market-institutional/cross-section': { readonly row: MarketInstitutionalRow; readonly params: MarketInstitutionalCrossSectionParams }
  /** Margin balances of the market: cross-section */
  readonly 'market-margin/cross-section': { readonly row: MarketMarginRow; readonly params: MarketMarginCrossSectionParams }
  /** Market turnover by class: cross-section */
  readonly 'market-turnover-by-class/cross-section': { readonly row: MarketTurnoverByClassRow; readonly params: MarketTurnoverByClassCrossSectionParams }
  /** Market turnover: cross-section */
  readonly 'market-turnover/cross-section': { readonly row: MarketTurnoverRow; readonly params: MarketTurnoverCrossSectionParams }
  /** Market value weights: cross-section */
  readonly 'market-value-weights/cross-section': { readonly row: MarketValueWeightsRow; readonly params: MarketValueWeightsCrossSectionParams }
  /** Monthly bars: cross-section */
  readonly 'monthly-bars/cross-section': { readonly row: MonthlyBarsRow; readonly params: MonthlyBarsCrossSectionParams }
  /** Monthly revenue: cross-section */
  readonly 'monthly-revenue/cross-section': { readonly row: MonthlyRevenueRow; readonly params: MonthlyRevenueCrossSectionParams }
  /** Options: daily quotes: cross-section */
  readonly 'options-daily/cross-section': { readonly row: OptionsDailyRow; readonly params: OptionsDailyCrossSectionParams }
  /** Options: institutional investors: cross-section */
  readonly 'options-institutional/cross-section': { readonly row: OptionsInstitutionalRow; readonly params: OptionsInstitutionalCrossSectionParams }
  /** Profitability: cross-section */
  readonly 'profitability/cross-section': { readonly row: ProfitabilityRow; readonly params: ProfitabilityCrossSectionParams }
  /** Put/call ratio of TAIEX options: cross-section */
  readonly 'put-call-ratio/cross-section': { readonly row: PutCallRatioRow; readonly params: PutCallRatioCrossSectionParams }
  /** Returns: cross-section */
  readonly 'returns/cross-section': { readonly row: ReturnsRow; readonly params: ReturnsCrossSectionParams }
  /** Revenue highs: cross-section */
  readonly 'revenue-highs/cross-section': { readonly row: RevenueHighsRow; readonly params: RevenueHighsCrossSectionParams }
  /** Short sales of borrowed shares: cross-section */
  readonly 'securities-lending/cross-section': { readonly row: SecuritiesLendingRow; readonly params: SecuritiesLendingCrossSectionParams }
  /** Shareholder distribution: cross-section */
  readonly 'shareholder-distribution/cross-section': { readonly row: ShareholderDistributionRow; readonly params: ShareholderDistributionCrossSectionParams }
  /** Shareholders’ meetings: cross-section */
  readonly 'shareholder-meetings/cross-section': { readonly row: ShareholderMeetingsRow; readonly params: ShareholderMeetingsCrossSectionParams }
  /** Technical indicators: cross-section */
  readonly 'technical-indicators/cross-section': { readonly row: TechnicalIndicatorsRow; readonly params: TechnicalIndicatorsCrossSectionParams }
  /** Trading calendar: cross-section */
  readonly 'trading-calendar/cross-section': { readonly row: TradingCalendarRow; readonly params: TradingCalendarCrossSectionParams }
  /** Valuation percentiles: cross-section */
  readonly 'valuation-percentiles/cross-section': { readonly row: ValuationPercentilesRow; readonly params: ValuationPercentilesCrossSectionParams }
  /** Valuation ratios: cross-section */
  readonly 'valuation/cross-section': { readonly row: ValuationRow; readonly params: ValuationCrossSectionParams }
  /** Weekly bars: cross-section */
  readonly 'weekly-bars/cross-section': { readonly row: WeeklyBarsRow; readonly params: WeeklyBarsCrossSectionParams }
}

/** Paths of the reads that are not at `/v2/datasets/<name>`. */
export const PATHS: Readonly<Record<string, string>> = {
  'all-segments': '/v1/segments/all',
  'company-earnings': '/v1/financial-reports/company-earnings',
  'earnings': '/v1/earnings',
}

/** Codes of refusals. */
export type RefusalCode = 'malformed_request' | 'key_in_url' | 'invalid_signature' | 'invalid_cursor' | 'repeated_header' | 'missing_api_key' | 'invalid_api_key' | 'revoked_api_key' | 'expired_api_key' | 'invalid_service_token' | 'invalid_admin_token' | 'invalid_self_serve_token' | 'invalid_or_expired_code' | 'conflicting_credentials' | 'credits_exhausted' | 'plan_required' | 'account_closed' | 'account_suspended' | 'foreign_origin' | 'invalid_file_url' | 'expired_file_url' | 'revoked_file_url' | 'reauth_required' | 'unknown_path' | 'unknown_dataset' | 'unknown_id' | 'method_not_allowed' | 'format_not_supported' | 'request_timeout' | 'conflict' | 'already_refunded' | 'subscription_not_active' | 'no_customer' | 'key_limit' | 'webhook_limit' | 'key_not_revealable' | 'release_retired' | 'too_large' | 'uri_too_long' | 'unsupported_media_type' | 'range_not_satisfiable' | 'invalid_parameter' | 'unbounded_read' | 'body_refused' | 'rate_limited' | 'concurrency_limited' | 'headers_too_large' | 'internal' | 'integrity' | 'reserved_endpoint' | 'overloaded' | 'not_writable' | 'data_unavailable' | 'dataset_building' | 'billing_unavailable' | 'draining' | 'query_timeout'

export interface AdjustedPricesParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `open:100..250` includes both ends. `open:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface AdjustmentFactorsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** First event day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last event day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Source dataset of the events to return. */
  readonly source?: 'ex-rights' | 'capital-changes' | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'event_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `close_before:100..250` includes both ends.
   * `close_before:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface AllSegmentsParams {
  /**
   * One ticker. Lists are not accepted, because the default of `report_type` depends on the
   * company.
   */
  readonly symbol: string
  /**
   * `quarterly`, `annual`, or `all` for both. Default: `quarterly` if the company reports quarters,
   * otherwise `annual`.
   */
  readonly report_type?: 'quarterly' | 'annual' | 'all' | undefined
  /** Period end or announcement date of the rows to return. */
  readonly date?: string | undefined
  /** First period end to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last period end to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'period_end' | 'announcement_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `revenue:100..250` includes both ends.
   * `revenue:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface AnnouncementsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First announcement day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last announcement day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'announced_on' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
}

export interface BalanceSheetParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First quarter end to return, inclusive. */
  readonly start_date?: string | undefined
  /** Latest quarter end to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'period_end' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `current_assets:100..250` includes both ends.
   * `current_assets:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface BondYieldCurveParams {
  /** `TWGB` for the full government curve, or one tenor, for example `10Y`. */
  readonly symbol: string
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Alias of `start_date`. */
  readonly date_from?: string | undefined
  /** Alias of `end_date`. */
  readonly date_to?: string | undefined
  /** Trading day of the curve to return. */
  readonly trade_date?: string | undefined
  /** Curve type to return. */
  readonly curve_type?: string | undefined
  /** Tenor to return. */
  readonly tenor_label?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | 'maturity_years' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `maturity_years:100..250` includes both ends.
   * `maturity_years:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface BranchTradesParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Branch to return. */
  readonly branch_code?: string | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `price:100..250` includes both ends.
   * `price:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface BrokerBranchReferenceParams {
  /** Code of the parent firm whose branches to return. Codes are case-sensitive. */
  readonly parent_broker_code?: string | undefined
  /** Code of the branch to return. Codes are case-sensitive. */
  readonly branch_code?: string | undefined
  /**
   * Exact short name of the parent firm whose branches to return. The characters 臺 and 台 are
   * equivalent.
   */
  readonly parent_broker_name?: string | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Publisher whose rows to return. */
  readonly source_provider?: string | undefined
  /** Source role whose rows to return. */
  readonly source_role?: string | undefined
  /** Returns rows of this source family. */
  readonly source_family?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'parent_broker_code' | 'branch_code' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
}

export interface CapitalChangesParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** First resumption day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last resumption day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Change type to return. */
  readonly change_type?: 'capital_reduction' | 'par_value_change' | 'etf_split' | 'etf_reverse_split' | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'resume_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `close_before:100..250` includes both ends.
   * `close_before:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface CashFlowParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Basis of the statements to return. */
  readonly basis?: 'consolidated' | 'individual' | 'parent_only' | undefined
  /** First quarter end to return, inclusive. */
  readonly start_date?: string | undefined
  /** Latest quarter end to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'period_end' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `operating_cash_flow:100..250` includes both
   * ends. `operating_cash_flow:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface CbPricesParams {
  /** One bond code, or up to 500 separated by commas. */
  readonly bond: string | readonly string[]
  /** Type of trade to return. */
  readonly trade_type?: 'order_book' | 'negotiated' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `close:100..250` includes both ends.
   * `close:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface CbTermsParams {
  /** One bond code, or up to 500 separated by commas. */
  readonly bond: string | readonly string[]
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `conversion_price:100..250` includes both ends.
   * `conversion_price:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface CompanyEarningsParams {
  /**
   * One ticker. Lists are not accepted, because the default of `report_type` depends on the
   * company.
   */
  readonly symbol: string
  /**
   * `quarterly`, `annual`, or `all` for both. Default: `quarterly` if the company reports quarters,
   * otherwise `annual`.
   */
  readonly report_type?: 'quarterly' | 'annual' | 'all' | undefined
  /** Period end or announcement date of the rows to return. */
  readonly date?: string | undefined
  /** First period end to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last period end to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'period_end' | 'announcement_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `revenue:100..250` includes both ends.
   * `revenue:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface CompanyRiskEventsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Risk type to return. */
  readonly risk_type?: 'attention' | 'disposition' | 'altered_trading' | 'managed_stock' | 'suspension' | 'default_settlement' | undefined
  /** First announcement day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last announcement day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'event_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
}

export interface DailyPricesParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `open:100..250` includes both ends. `open:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface DayTradingMarketParams {
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `volume:100..250` includes both ends.
   * `volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface DayTradingParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `volume:100..250` includes both ends.
   * `volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface DelistingsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First delisting day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last delisting day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'delisting_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
}

export interface DividendDecisionsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Gregorian year of the dividend. */
  readonly dividend_year?: string | undefined
  /** First period end to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last period end to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'period_end' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `dividend_year:100..250` includes both ends.
   * `dividend_year:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface EarningsParams {
  /**
   * One ticker. Lists are not accepted, because the default of `report_type` depends on the
   * company.
   */
  readonly symbol: string
  /** Quarter, for example 2026-Q1 or 2026Q1, or year, for example 2026. */
  readonly period?: string | undefined
  /**
   * `quarterly` or `annual`. Default: `quarterly` if the company reports quarters, otherwise
   * `annual`.
   */
  readonly report_type?: 'quarterly' | 'annual' | undefined
  /** If `true`, returns the latest period only. */
  readonly latest?: boolean | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'period_end' | 'announcement_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `revenue:100..250` includes both ends.
   * `revenue:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface EtfRegisterParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol?: string | readonly string[] | undefined
  /** Returns funds of this type, as published. */
  readonly fund_type?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'ticker' | 'listed_on' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `units_issued:100..250` includes both ends.
   * `units_issued:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface EventsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** First event day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last event day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Event type to return. */
  readonly event_type?: 'ex_dividend' | 'ex_rights' | 'ex_rights_and_dividend' | 'capital_reduction' | 'par_value_change' | 'etf_split' | 'etf_reverse_split' | 'shareholders_meeting' | 'investor_conference' | 'delisting' | 'material_information' | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'event_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
}

export interface ExRightsForecastParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First ex-day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last ex-day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Type of ex-day to return. */
  readonly kind?: 'dividend' | 'rights' | 'rights_and_dividend' | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'ex_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `cash_dividend:100..250` includes both ends.
   * `cash_dividend:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ExRightsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** First ex-day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last ex-day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Type of ex-day to return. */
  readonly kind?: 'dividend' | 'rights' | 'rights_and_dividend' | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'ex_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `close_before:100..250` includes both ends.
   * `close_before:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface FinalSettlementParams {
  /** One contract code, or up to 500 separated by commas. */
  readonly contract: string | readonly string[]
  /** Expiry to return, for example 202607. */
  readonly contract_month?: string | undefined
  /** First settlement day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last settlement day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'settlement_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `final_settlement_price:100..250` includes both
   * ends. `final_settlement_price:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ForeignHoldingParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `issued_shares:100..250` includes both ends.
   * `issued_shares:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface FuturesDailyParams {
  /** One contract code, or up to 500 separated by commas. */
  readonly contract: string | readonly string[]
  /** Expiry to return, for example 202607. */
  readonly contract_month?: string | undefined
  /** Session to return. */
  readonly session?: 'regular' | 'after_hours' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `open:100..250` includes both ends. `open:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface FuturesInstitutionalParams {
  /** Chinese name of the product to return. */
  readonly product?: string | undefined
  /** Group of investors to return. */
  readonly investor?: 'dealers' | 'investment_trust' | 'foreign' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `long_volume:100..250` includes both ends.
   * `long_volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface FxRatesParams {
  /** One pair of currencies, or up to 50 separated by commas. */
  readonly pair?: string | readonly string[] | undefined
  /** Source of the rates to return. */
  readonly source?: 'cbc' | 'taifex' | undefined
  /** First day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `rate:100..250` includes both ends. `rate:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface HolderConcentrationParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** First day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'week_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `holders_400:100..250` includes both ends.
   * `holders_400:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface IndexClassificationParams {
  /** Index to return. */
  readonly index_code?: string | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Index type to return. */
  readonly index_type?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'as_of_date' | 'index_code' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
}

export interface InstitutionalPositioningParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `foreign_net_buy:100..250` includes both ends.
   * `foreign_net_buy:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface InvestorConferencesParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First conference day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last conference day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'conference_start' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
}

export interface LargeTradersParams {
  /** One contract code, or up to 500 separated by commas. */
  readonly contract: string | readonly string[]
  /** Type of contract to return: `futures`, `call` or `put`. */
  readonly instrument?: 'futures' | 'call' | 'put' | undefined
  /** Expiry to return. The value 999999 is the total of all expiries. */
  readonly contract_month?: string | undefined
  /** Group of traders to return. */
  readonly trader_type?: 'all' | 'institutions' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `top5_buy:100..250` includes both ends.
   * `top5_buy:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface LendingUtilisationParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `sold:100..250` includes both ends. `sold:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface LimitMovesParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol?: string | readonly string[] | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Limit at which the shares to return closed: `up` or `down`. */
  readonly closed?: 'up' | 'down' | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `reference_price:100..250` includes both ends.
   * `reference_price:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarginTradingParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `margin_previous_balance:100..250` includes both
   * ends. `margin_previous_balance:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketBreadthParams {
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Scope to return. Only TWSE has rows with the scope `all`. */
  readonly scope?: 'all' | 'stocks' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `advances:100..250` includes both ends.
   * `advances:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketIndicesParams {
  /** One index, or up to 500 separated by commas. Case-sensitive. */
  readonly index_code?: string | readonly string[] | undefined
  /** Index type to return: price or total return. */
  readonly kind?: 'price' | 'total_return' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | 'index_code' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `value:100..250` includes both ends.
   * `value:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketInstitutionalParams {
  /** Group of investors to return. */
  readonly investor?: 'dealers_proprietary' | 'dealers_hedging' | 'investment_trust' | 'foreign' | 'foreign_dealers' | 'total' | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `buy:100..250` includes both ends. `buy:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketMarginParams {
  /** Item to return. */
  readonly item?: 'margin' | 'short' | 'margin_value' | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `buy:100..250` includes both ends. `buy:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketTurnoverByClassParams {
  /** Class to return. */
  readonly class?: string | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `value:100..250` includes both ends.
   * `value:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketTurnoverParams {
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `volume:100..250` includes both ends.
   * `volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketValueWeightsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol?: string | readonly string[] | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | 'rank' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `market_value:100..250` includes both ends.
   * `market_value:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MoneyMarketRatesParams {
  /** One item, or up to 25 separated by commas. */
  readonly item?: string | readonly string[] | undefined
  /** First month end to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last month end to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'period_end' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `rate:100..250` includes both ends. `rate:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface MonthlyBarsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Earliest `last_date` to return, inclusive. */
  readonly start_date?: string | undefined
  /** Latest `last_date` to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'last_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `open:100..250` includes both ends. `open:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface MonthlyRevenueParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Month to return, for example 2026-05. */
  readonly month?: string | undefined
  /** First month end to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last month end to return, inclusive. */
  readonly end_date?: string | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'period_end' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `revenue:100..250` includes both ends.
   * `revenue:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface OptionsDailyParams {
  /** One contract code, or up to 500 separated by commas. */
  readonly contract: string | readonly string[]
  /** Expiry to return, for example 202607. */
  readonly contract_month?: string | undefined
  /** Session to return. */
  readonly session?: 'regular' | 'after_hours' | undefined
  /** Type of option to return: `call` or `put`. */
  readonly option_type?: 'call' | 'put' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `strike_price:100..250` includes both ends.
   * `strike_price:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface OptionsInstitutionalParams {
  /** Chinese name of the product to return. */
  readonly product?: string | undefined
  /** Type of option to return: `call` or `put`. */
  readonly option_type?: 'call' | 'put' | undefined
  /** Group of investors to return. */
  readonly investor?: 'dealers' | 'investment_trust' | 'foreign' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `buy_volume:100..250` includes both ends.
   * `buy_volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ProfitabilityParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First quarter end to return, inclusive. */
  readonly start_date?: string | undefined
  /** Latest quarter end to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'period_end' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `revenue:100..250` includes both ends.
   * `revenue:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface PutCallRatioParams {
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `put_volume:100..250` includes both ends.
   * `put_volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ReturnsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `return_1d:100..250` includes both ends.
   * `return_1d:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface RevenueHighsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol?: string | readonly string[] | undefined
  /** Month to return, for example 2026-05. */
  readonly month?: string | undefined
  /** First month end to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last month end to return, inclusive. */
  readonly end_date?: string | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'period_end' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `revenue:100..250` includes both ends.
   * `revenue:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface SecuritiesFirmMasterParams {
  /** One exchange code of a firm, or up to 500 separated by commas. Default: all firms. */
  readonly symbol?: string | readonly string[] | undefined
  /** Alias of `symbol`. */
  readonly broker_id?: string | readonly string[] | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'broker_id' | 'report_date' | 'change_date' | 'established_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `registered_capital_k:100..250` includes both
   * ends. `registered_capital_k:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface SecuritiesLendingParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `previous_balance:100..250` includes both ends.
   * `previous_balance:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface SecuritiesParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol?: string | readonly string[] | undefined
  /** ISIN to return. */
  readonly isin?: string | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Security type to return, as written in the ISIN list, for example 股票. */
  readonly security_type?: string | undefined
  /** Industry to return, by its official name. */
  readonly industry?: string | undefined
  /** First listing date to return, inclusive. */
  readonly listed_from?: string | undefined
  /** Last listing date to return, inclusive. */
  readonly listed_to?: string | undefined
  /** Status of the securities to return. */
  readonly status?: 'listed' | 'delisted' | undefined
  /** First delisting date to return, inclusive. */
  readonly delisted_from?: string | undefined
  /** Last delisting date to return, inclusive. */
  readonly delisted_to?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'ticker' | 'listed_on' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
}

export interface ShareholderDistributionParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /**
   * Levels to return, separated by commas. Level 15 has the holders of more than one million
   * shares. Level 17 is the total.
   */
  readonly level?: string | readonly string[] | undefined
  /** First day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'week_date' | 'level' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `level:100..250` includes both ends.
   * `level:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ShareholderMeetingsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Type of meeting to return. */
  readonly meeting_type?: 'annual' | 'extraordinary' | undefined
  /** First meeting day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last meeting day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'meeting_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
}

export interface TechnicalIndicatorsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `close:100..250` includes both ends.
   * `close:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ThemeTaxonomyParams {
  /** One ticker, or up to 500 separated by commas. Default: all tickers. */
  readonly symbol?: string | readonly string[] | undefined
  /** `theme_id` of the theme whose securities to return. */
  readonly theme?: string | undefined
  /** Type of classification to return. */
  readonly taxonomy_type?: 'industry' | 'sector' | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Date of the snapshot. Only the current snapshot is available. */
  readonly as_of_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'as_of_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
}

export interface TradingCalendarParams {
  /** Market to return. Both markets have the same trading days. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Day to return. */
  readonly date?: string | undefined
  /** First day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last day to return, inclusive. */
  readonly end_date?: string | undefined
  /** `true` returns trading days, `false` returns closed days. */
  readonly is_open?: 'true' | 'false' | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
}

export interface ValuationPercentilesParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `pe_ratio:100..250` includes both ends.
   * `pe_ratio:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ValuationParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** First trading day to return, inclusive. */
  readonly start_date?: string | undefined
  /** Last trading day to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'trade_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `pe_ratio:100..250` includes both ends.
   * `pe_ratio:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface WeeklyBarsParams {
  /** One ticker, or up to 500 separated by commas. */
  readonly symbol: string | readonly string[]
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Earliest `last_date` to return, inclusive. */
  readonly start_date?: string | undefined
  /** Latest `last_date` to return, inclusive. */
  readonly end_date?: string | undefined
  /** Column to sort by. Rows with equal values are in the default order. */
  readonly sort_by?: 'last_date' | undefined
  /** Sort direction. */
  readonly sort_order?: 'asc' | 'desc' | undefined
  /**
   * Numeric ranges to match, separated by commas. `open:100..250` includes both ends. `open:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface AdjustedPricesCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /**
   * Numeric ranges to match, separated by commas. `open:100..250` includes both ends. `open:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface AnnouncementsCrossSectionParams {
  /** Day whose rows are returned. Day of the announcement. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
}

export interface BalanceSheetCrossSectionParams {
  /** Day whose rows are returned. Last day of the quarter. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `current_assets:100..250` includes both ends.
   * `current_assets:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface BondYieldCurveCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Curve type to return. */
  readonly curve_type?: string | undefined
  /**
   * Numeric ranges to match, separated by commas. `maturity_years:100..250` includes both ends.
   * `maturity_years:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface BranchTradesCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Branch to return. */
  readonly branch_code?: string | undefined
  /**
   * Numeric ranges to match, separated by commas. `price:100..250` includes both ends.
   * `price:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface CapitalChangesCrossSectionParams {
  /** Day whose rows are returned. First trading day after the exchange of shares. */
  readonly date: string
  /** Change type to return. */
  readonly change_type?: 'capital_reduction' | 'par_value_change' | 'etf_split' | 'etf_reverse_split' | undefined
  /**
   * Numeric ranges to match, separated by commas. `close_before:100..250` includes both ends.
   * `close_before:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface CashFlowCrossSectionParams {
  /** Day whose rows are returned. Last day of the period that the statement covers. */
  readonly date: string
  /** Basis of the statements to return. */
  readonly basis?: 'consolidated' | 'individual' | 'parent_only' | undefined
  /**
   * Numeric ranges to match, separated by commas. `operating_cash_flow:100..250` includes both
   * ends. `operating_cash_flow:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface CbPricesCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Type of trade to return. */
  readonly trade_type?: 'order_book' | 'negotiated' | undefined
  /**
   * Numeric ranges to match, separated by commas. `close:100..250` includes both ends.
   * `close:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface CbTermsCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /**
   * Numeric ranges to match, separated by commas. `conversion_price:100..250` includes both ends.
   * `conversion_price:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface CompanyRiskEventsCrossSectionParams {
  /**
   * Day whose rows are returned. Date on which the exchange announced the flag. If the list has no
   * announcement date, this is the date on which the list was collected, and lineage states so.
   */
  readonly date: string
  /** Risk type to return. */
  readonly risk_type?: 'attention' | 'disposition' | 'altered_trading' | 'managed_stock' | 'suspension' | 'default_settlement' | undefined
}

export interface DailyPricesCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `open:100..250` includes both ends. `open:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface DayTradingMarketCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /**
   * Numeric ranges to match, separated by commas. `volume:100..250` includes both ends.
   * `volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface DayTradingCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `volume:100..250` includes both ends.
   * `volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface DelistingsCrossSectionParams {
  /** Day whose rows are returned. First day on which the security no longer trades. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
}

export interface EventsCrossSectionParams {
  /**
   * Day whose rows are returned. Date of the event. An event of several days has the date of its
   * first day. Material information has the date of its announcement.
   */
  readonly date: string
  /** Event type to return. */
  readonly event_type?: 'ex_dividend' | 'ex_rights' | 'ex_rights_and_dividend' | 'capital_reduction' | 'par_value_change' | 'etf_split' | 'etf_reverse_split' | 'shareholders_meeting' | 'investor_conference' | 'delisting' | 'material_information' | undefined
}

export interface ExRightsForecastCrossSectionParams {
  /** Day whose rows are returned. Ex-day: first trading day without the right or dividend. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Type of ex-day to return. */
  readonly kind?: 'dividend' | 'rights' | 'rights_and_dividend' | undefined
  /**
   * Numeric ranges to match, separated by commas. `cash_dividend:100..250` includes both ends.
   * `cash_dividend:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ExRightsCrossSectionParams {
  /** Day whose rows are returned. Ex-day: first trading day without the right or dividend. */
  readonly date: string
  /** Type of ex-day to return. */
  readonly kind?: 'dividend' | 'rights' | 'rights_and_dividend' | undefined
  /**
   * Numeric ranges to match, separated by commas. `close_before:100..250` includes both ends.
   * `close_before:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface FinalSettlementCrossSectionParams {
  /** Day whose rows are returned. Final settlement day. */
  readonly date: string
  /** Expiry to return, for example 202607. */
  readonly contract_month?: string | undefined
  /**
   * Numeric ranges to match, separated by commas. `final_settlement_price:100..250` includes both
   * ends. `final_settlement_price:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ForeignHoldingCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `issued_shares:100..250` includes both ends.
   * `issued_shares:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface FuturesDailyCrossSectionParams {
  /**
   * Day whose rows are returned. Trading day. The after-hours session of the previous night belongs
   * to this day.
   */
  readonly date: string
  /** Expiry to return, for example 202607. */
  readonly contract_month?: string | undefined
  /** Session to return. */
  readonly session?: 'regular' | 'after_hours' | undefined
  /**
   * Numeric ranges to match, separated by commas. `open:100..250` includes both ends. `open:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface FuturesInstitutionalCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Group of investors to return. */
  readonly investor?: 'dealers' | 'investment_trust' | 'foreign' | undefined
  /**
   * Numeric ranges to match, separated by commas. `long_volume:100..250` includes both ends.
   * `long_volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface FxRatesCrossSectionParams {
  /** Day whose rows are returned. Day of the rate. */
  readonly date: string
  /** Source of the rates to return. */
  readonly source?: 'cbc' | 'taifex' | undefined
  /**
   * Numeric ranges to match, separated by commas. `rate:100..250` includes both ends. `rate:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface HolderConcentrationCrossSectionParams {
  /** Day whose rows are returned. Last trading day of the week. */
  readonly date: string
  /**
   * Numeric ranges to match, separated by commas. `holders_400:100..250` includes both ends.
   * `holders_400:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface InstitutionalPositioningCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /**
   * Numeric ranges to match, separated by commas. `foreign_net_buy:100..250` includes both ends.
   * `foreign_net_buy:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface InvestorConferencesCrossSectionParams {
  /** Day whose rows are returned. First day of the conference. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
}

export interface LargeTradersCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Type of contract to return: `futures`, `call` or `put`. */
  readonly instrument?: 'futures' | 'call' | 'put' | undefined
  /** Expiry to return. The value 999999 is the total of all expiries. */
  readonly contract_month?: string | undefined
  /** Group of traders to return. */
  readonly trader_type?: 'all' | 'institutions' | undefined
  /**
   * Numeric ranges to match, separated by commas. `top5_buy:100..250` includes both ends.
   * `top5_buy:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface LendingUtilisationCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `sold:100..250` includes both ends. `sold:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface LimitMovesCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Limit at which the shares to return closed: `up` or `down`. */
  readonly closed?: 'up' | 'down' | undefined
  /**
   * Numeric ranges to match, separated by commas. `reference_price:100..250` includes both ends.
   * `reference_price:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarginTradingCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `margin_previous_balance:100..250` includes both
   * ends. `margin_previous_balance:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketBreadthCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Scope to return. Only TWSE has rows with the scope `all`. */
  readonly scope?: 'all' | 'stocks' | undefined
  /**
   * Numeric ranges to match, separated by commas. `advances:100..250` includes both ends.
   * `advances:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketIndicesCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Index type to return: price or total return. */
  readonly kind?: 'price' | 'total_return' | undefined
  /**
   * Numeric ranges to match, separated by commas. `value:100..250` includes both ends.
   * `value:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketInstitutionalCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `buy:100..250` includes both ends. `buy:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketMarginCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `buy:100..250` includes both ends. `buy:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketTurnoverByClassCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `value:100..250` includes both ends.
   * `value:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketTurnoverCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /**
   * Numeric ranges to match, separated by commas. `volume:100..250` includes both ends.
   * `volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MarketValueWeightsCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `market_value:100..250` includes both ends.
   * `market_value:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface MonthlyBarsCrossSectionParams {
  /**
   * Day whose rows are returned. Last trading day of the month with quotes, the same for all
   * securities. In the current month, this date changes every trading day.
   */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `open:100..250` includes both ends. `open:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface MonthlyRevenueCrossSectionParams {
  /** Day whose rows are returned. Last day of the month. */
  readonly date: string
  /** Month to return, for example 2026-05. */
  readonly month?: string | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `revenue:100..250` includes both ends.
   * `revenue:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface OptionsDailyCrossSectionParams {
  /**
   * Day whose rows are returned. Trading day. The after-hours session of the previous night belongs
   * to this day.
   */
  readonly date: string
  /** Expiry to return, for example 202607. */
  readonly contract_month?: string | undefined
  /** Session to return. */
  readonly session?: 'regular' | 'after_hours' | undefined
  /** Type of option to return: `call` or `put`. */
  readonly option_type?: 'call' | 'put' | undefined
  /**
   * Numeric ranges to match, separated by commas. `strike_price:100..250` includes both ends.
   * `strike_price:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface OptionsInstitutionalCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Type of option to return: `call` or `put`. */
  readonly option_type?: 'call' | 'put' | undefined
  /** Group of investors to return. */
  readonly investor?: 'dealers' | 'investment_trust' | 'foreign' | undefined
  /**
   * Numeric ranges to match, separated by commas. `buy_volume:100..250` includes both ends.
   * `buy_volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ProfitabilityCrossSectionParams {
  /** Day whose rows are returned. Last day of the quarter. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `revenue:100..250` includes both ends.
   * `revenue:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface PutCallRatioCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /**
   * Numeric ranges to match, separated by commas. `put_volume:100..250` includes both ends.
   * `put_volume:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ReturnsCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `return_1d:100..250` includes both ends.
   * `return_1d:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface RevenueHighsCrossSectionParams {
  /** Day whose rows are returned. Last day of the month. */
  readonly date: string
  /** Month to return, for example 2026-05. */
  readonly month?: string | undefined
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `revenue:100..250` includes both ends.
   * `revenue:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface SecuritiesLendingCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `previous_balance:100..250` includes both ends.
   * `previous_balance:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ShareholderDistributionCrossSectionParams {
  /**
   * Day whose rows are returned. Last trading day of the week. Holdings are as of the end of this
   * day.
   */
  readonly date: string
  /**
   * Levels to return, separated by commas. Level 15 has the holders of more than one million
   * shares. Level 17 is the total.
   */
  readonly level?: string | readonly string[] | undefined
  /**
   * Numeric ranges to match, separated by commas. `level:100..250` includes both ends.
   * `level:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ShareholderMeetingsCrossSectionParams {
  /** Day whose rows are returned. Day of the meeting. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /** Type of meeting to return. */
  readonly meeting_type?: 'annual' | 'extraordinary' | undefined
}

export interface TechnicalIndicatorsCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `close:100..250` includes both ends.
   * `close:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface TradingCalendarCrossSectionParams {
  /** Day whose rows are returned. Date, in Taipei time. */
  readonly date: string
  /** `true` returns trading days, `false` returns closed days. */
  readonly is_open?: 'true' | 'false' | undefined
}

export interface ValuationPercentilesCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `pe_ratio:100..250` includes both ends.
   * `pe_ratio:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface ValuationCrossSectionParams {
  /** Day whose rows are returned. Trading day, in Taipei time. */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `pe_ratio:100..250` includes both ends.
   * `pe_ratio:..<250` excludes 250.
   */
  readonly range?: string | undefined
}

export interface WeeklyBarsCrossSectionParams {
  /**
   * Day whose rows are returned. Last trading day of the week with quotes, the same for all
   * securities. In the current week, this date changes every trading day.
   */
  readonly date: string
  /** Market to return. */
  readonly market?: 'TWSE' | 'TPEX' | undefined
  /**
   * Numeric ranges to match, separated by commas. `open:100..250` includes both ends. `open:..<250`
   * excludes 250.
   */
  readonly range?: string | undefined
}

export interface SearchParams {
  /**
   * Search text: a code, a name, or the start of a code or name. Securities have Chinese names,
   * companies and industries also have English short names. Datasets and fields have words in both
   * languages.
   */
  readonly q: string
  /** Type of hits to return. */
  readonly type?: 'all' | 'symbol' | 'index' | 'theme' | 'dataset' | 'field' | 'broker' | 'branch' | undefined
  /** Maximum number of hits to return. */
  readonly limit?: number | undefined
  /** Number of hits to skip. */
  readonly offset?: number | undefined
}

export interface QueryParams {
  /**
   * Entity type of the ids. company: A listed or over-the-counter security, identified by its
   * exchange code. broker: A securities firm, identified by the exchange code of its head office.
   * Codes are case-sensitive. branch: A branch of a securities firm, identified by its exchange
   * code. Codes are case-sensitive: 585B and 585b are two branches. index: An index of an exchange,
   * identified by its code. bond_tenor: A point of the government yield curve, identified by its
   * nominal tenor in years or months.
   */
  readonly entity_type: 'company' | 'broker' | 'branch' | 'index' | 'bond_tenor'
  /** Id of one entity. */
  readonly entity_id?: string | undefined
  /** Ids of entities, separated by commas. A query has at most 100 ids. */
  readonly entity_ids?: string | readonly string[] | undefined
  /**
   * Names of fields, as listed by /v2/query/fields, separated by commas. Default: all default
   * fields that the plan includes. Required if the plan includes no default field.
   */
  readonly fields?: string | readonly string[] | undefined
  /** Taipei day as of which the values were known. Must not be in the future. Default: today. */
  readonly as_of_date?: string | undefined
  /** If `true`, returns only the values, without day, period and release. */
  readonly minimal_fields?: boolean | undefined
}

export interface UpdatesParams {
  /**
   * Returns publications with data on this day or later. The day is compared with the later of
   * `data_as_of` and `data_date_to`. Default: the newest data day of each category, or no limit if
   * `published_since` or `dataset` is sent.
   */
  readonly since?: string | undefined
  /**
   * Returns publications at or after this time, whatever the days of their data. Accepts a day or
   * an RFC 3339 timestamp. A time without an offset is Taipei time.
   */
  readonly published_since?: string | undefined
  /**
   * Category whose publications to return: a family of datasets, or `monthly_revenue`, which is
   * also part of the family `financial_statements`.
   */
  readonly category?: 'macroeconomics' | 'market_structure' | 'capital_flows' | 'companies_events' | 'financial_statements' | 'monthly_revenue' | undefined
  /** Slug or id of the dataset whose publications to return, whatever the days of their data. */
  readonly dataset?: string | undefined
  /** Maximum number of entries per page. */
  readonly limit?: number | undefined
  /**
   * Cursor: `next_cursor` of the previous page. Returns the next page. The cursor includes `since`,
   * `published_since`, `category` and `dataset`, so these parameters can be omitted or must be the
   * same.
   */
  readonly cursor?: string | undefined
}

export interface AcceptedFile {
  readonly id: string
  /**
   * Outcome of the call. `refused`: the file broke rules that were not accepted, and stays in
   * quarantine. `failed`: the file was not checked, and `said` has the reason. `running`:
   * publication is in progress, so repeat the call for the result.
   */
  readonly outcome: 'published' | 'unchanged' | 'empty' | 'refused' | 'failed' | 'running'
  /** Releases that contain the rows, by slug of the dataset. */
  readonly releases: Readonly<Record<string, string>>
  readonly faults: readonly RefusedRule[]
  readonly said: string | null
  /** Recorded outcome for the file. Null while the file is in quarantine. */
  readonly settled: SettledFile | null
}

export interface Account {
  readonly account_id: string
  readonly email: string
  readonly account_status: AccountStatus
  /**
   * Suspension of the account. Reads are refused with 403 `account_suspended` during a suspension.
   * Null if the account is not suspended.
   */
  readonly suspension: Suspension | null
  readonly plan_id: PlanName
  /** Origin of the current plan: free, grant or subscription. */
  readonly plan_source: 'free' | 'grant' | 'subscription'
  /**
   * Plan that the operator granted, even if the account pays for a higher plan. Null without a
   * current grant.
   */
  readonly grant: PlanHeld | null
  /** Creation time of the account. RFC 3339, offset +08:00. */
  readonly created_at: string
  /** Maximum number of rows per response. */
  readonly row_limit: number
  readonly rate_limits: RateLimits
  readonly credits: Credits
  readonly settings: Settings
  /**
   * Live subscription with the highest plan. If no subscription is live, the last subscription.
   * Null if the account never had a subscription.
   */
  readonly subscription: Subscription | null
  /**
   * All live subscriptions at the payment provider that may be billed again. Each subscription is
   * billed separately.
   */
  readonly subscriptions: readonly Subscription[]
}

export interface AccountDetail {
  readonly account_id: string
  /** E-mail address of the account. Null if the account is closed. */
  readonly email: string | null
  readonly account_status: AccountStatus
  /**
   * Suspension of the account. Reads are refused with 403 `account_suspended` during a suspension.
   * Null if the account is not suspended.
   */
  readonly suspension: Suspension | null
  /** Creation time of the account. RFC 3339, offset +08:00. */
  readonly created_at: string
  /** Closing time, RFC 3339, offset +08:00. Null if the account is not closed. */
  readonly closed_at: string | null
  /**
   * Time of the last sign-in, RFC 3339, offset +08:00. Null if there was no sign-in within about 37
   * days.
   */
  readonly last_sign_in_at: string | null
  readonly plan_id: PlanName
  /** Origin of the current plan: free, grant or subscription. */
  readonly plan_source: 'free' | 'grant' | 'subscription'
  readonly grant: AccountGrant | null
  /** Maximum number of rows per response. */
  readonly row_limit: number
  readonly rate_limits: RateLimits
  readonly own_limits: OwnLimits
  readonly credits: Credits
  /** All active keys and the newest revoked or expired keys, newest first. */
  readonly keys: readonly Key[]
  readonly usage: AccountUsage
  readonly payments: AccountPayments
  /** Mails of the last 90 days, newest first, at most 50. The texts of mails are not stored. */
  readonly mails: readonly {
    /** Time at which the mail was queued. RFC 3339, offset +08:00. */
    readonly at: string
    /** `code` for a sign-in code, `notice` for a notice. */
    readonly kind: string
    readonly subject: string
    readonly state: 'waiting' | 'sent' | 'given_up'
    /** Last error of the mail server. Null if there was no error. */
    readonly last_error: string | null
  }[]
  /** Notes of operators, newest first. Not shown to the owner. */
  readonly notes: readonly {
    /** Time of the note. RFC 3339, offset +08:00. */
    readonly at: string
    readonly author: string
    readonly text: string
  }[]
}

export interface AccountEntry {
  readonly account_id: string
  /** E-mail address of the account. Null if the account is closed. */
  readonly email: string | null
  readonly account_status: AccountStatus
  readonly plan_id: PlanName
  /** Creation time of the account. RFC 3339, offset +08:00. */
  readonly created_at: string
  /** Number of active keys. */
  readonly active_keys: number
  /** Time of the last charged read, RFC 3339, offset +08:00. Null if there was no charged read. */
  readonly last_used_at: string | null
}

export interface AccountGrant {
  readonly plan_id: PlanName
  /** End of the grant, RFC 3339, offset +08:00. Null if the grant has no end. */
  readonly expires_at: string | null
  /** Reason for the grant, not shown to the owner. Null if none was sent. */
  readonly note: string | null
}

export interface AccountList {
  /** Number of entries in `data`. */
  readonly data_count: number
  /** Accounts, newest first. */
  readonly data: readonly AccountEntry[]
  /** Value of the parameter `before` for the next page. Null on the last page. */
  readonly next_before: string | null
}

export interface AccountPayments {
  /** Customer id at the payment provider. Null before the first checkout. */
  readonly customer_id: string | null
  readonly subscriptions: readonly Subscription[]
  /** Billed periods, newest first, at most 50. */
  readonly billed_periods: readonly {
    readonly subscription_id: string
    /** Start of the billing period. RFC 3339, offset +08:00. */
    readonly from: string
    /** End of the billing period. RFC 3339, offset +08:00. */
    readonly until: string
    /**
     * Price of the whole billing period. In integer minor units (99000 is TWD 990.00), before tax.
     */
    readonly amount: number
  }[]
}

export type AccountStatus = 'active' | 'suspended' | 'closed'

export interface AccountSummary {
  /** Requested e-mail address. Invalid addresses are returned unchanged. */
  readonly email: string
  readonly plan_id: PlanName
  /**
   * `closed` if the account of the address is closed, `suspended` if the operator suspended the
   * account, otherwise `active`.
   */
  readonly account_status: AccountStatus
  /** Source of the plan: `account` if an account has the address, otherwise `default`. */
  readonly source: 'account' | 'default'
  /** Maximum number of rows per response. */
  readonly row_limit: number
  readonly credits: Credits
}

/** Usage of the last 30 days. */
export interface AccountUsage {
  readonly window: UsageWindow
  readonly totals: UsageTotals
  readonly by_dataset: readonly {
    /** Name of the dataset in paths. */
    readonly slug: string
    /** Number of successful reads. */
    readonly requests: number
    /** Credits charged for successful reads. */
    readonly credits: number
    /** Rows in the responses to successful reads. */
    readonly rows: number
    /** Number of refused or failed reads, which are not charged. */
    readonly errors: number
  }[]
  readonly by_key: readonly UsageOfKey[]
}

/** One row of Adjusted prices. */
export interface AdjustedPricesRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 還原開盤價. First price multiplied by the factor, rounded to six decimals. Null on days without
   * trades and if the factor is null. Unit: TWD per share.
   */
  readonly open: number | null
  /**
   * 還原最高價. Highest price multiplied by the factor, rounded to six decimals. Null on days without
   * trades and if the factor is null. Unit: TWD per share.
   */
  readonly high: number | null
  /**
   * 還原最低價. Lowest price multiplied by the factor, rounded to six decimals. Null on days without
   * trades and if the factor is null. Unit: TWD per share.
   */
  readonly low: number | null
  /**
   * 還原收盤價. Last price multiplied by the factor, rounded to six decimals. Null on days without
   * trades and if the factor is null. Unit: TWD per share.
   */
  readonly close: number | null
  /**
   * 還原成交股數. Number of shares traded, multiplied by the share ratios of later splits and capital
   * changes, rounded to whole shares. Dividends and bonus shares have no effect. Null if one of the
   * ratios is unknown. Unit: shares.
   */
  readonly volume: number | null
  /**
   * 累積還原因子. Product of the factors of all later ex-days and capital changes that are in effect. 1
   * if there are no later events. Null if a factor is unknown. In this case, gap contains the id of
   * the event. Unit: ratio.
   */
  readonly factor: number | null
  /** 收盤價. Closing price as traded. Null on days without trades. Unit: TWD per share. */
  readonly traded_close: number | null
  /**
   * 下一個事件. Id of the first ex-day or capital change after this day. The row of this event in
   * adjustment-factors has the same cumulative factor. Null if there is no later event.
   */
  readonly next_event: string | null
  /**
   * 缺漏標籤. Labels of missing adjustment data, separated by spaces. The labels no_factor and
   * no_share_ratio include the id of the event whose value is unknown. The label ex_days_begin
   * includes a date: the market has no recorded ex-days before this date. The label
   * no_ex_days_on_record means that the market has no recorded ex-days. Null if nothing is missing.
   */
  readonly gap: string | null
}

/** One row of Adjustment factors. */
export interface AdjustmentFactorsRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /**
   * 事件日. First trading day under the new terms. Prices of earlier days are multiplied by the
   * factor.
   */
  readonly event_date: string
  /** 事件代號. Dataset, ticker and date of the event, joined by colons. */
  readonly event_id: string
  /** 來源資料集. Dataset that contains the event: ex-rights or capital-changes. */
  readonly source: string
  /** 事件類別. Kind of ex-day or type of change, as named in the source dataset. */
  readonly event_type: string
  /** 事件前收盤價. Last close before the event. Null if not published. Unit: TWD per share. */
  readonly close_before: number | null
  /**
   * 參考價. Reference price that the exchange published for the event day. For a capital reduction
   * with a cash offering on the same day, this is the ex-rights reference price. Null if not
   * published. Unit: TWD per share.
   */
  readonly reference_price: number | null
  /**
   * 因子. Reference price divided by the last close before the event, rounded to ten decimals. Null
   * if one of the two prices is not published. Unit: ratio.
   */
  readonly factor: number | null
  /**
   * 累積因子. Product of the factors of this event and all later events. Multiplication starts with the
   * newest event and rounds to ten decimals at each step. Null if one of the factors is null. Unit:
   * ratio.
   */
  readonly cumulative_factor: number | null
  /**
   * 換股率. Number of new shares per old share, as published. If not published, this is the last close
   * divided by the reference price, or null if cash was returned. 1 for ex-days. Unit: ratio.
   */
  readonly share_ratio: number | null
  /**
   * 累積換股率. Product of the share ratios of this event and all later events. Null if one of these
   * ratios is null. Unit: ratio.
   */
  readonly cumulative_share_ratio: number | null
  /**
   * 缺漏標籤. Labels that explain a null cumulative value or a factor of 1, separated by spaces. Each
   * label includes the id of an event. no_factor: the factor of that event is unknown.
   * no_share_ratio: the share ratio of that event is unknown. counted_as: the market was closed on
   * this day, so that later event has the factor. Null if nothing is missing.
   */
  readonly gap: string | null
}

/** One row of Business segments. */
export interface AllSegmentsRow {
  /** 公司代號. Exchange code of the company. */
  readonly ticker: string
  /** 財報期間. Quarter, for example 2026-Q1, or fiscal year, for example 2025. */
  readonly fiscal_period: string
  /** 財報類別. Length of the period: quarterly (a single quarter) or annual (a full year). */
  readonly report_type: string
  /** 部門. Segment name as reported by the company. */
  readonly segment: string
  /** 部門收入. Segment revenue of the period. Null if not disclosed. Unit: TWD. */
  readonly revenue: number | null
  /**
   * 部門損益. Segment net income of the period. Negative for a loss. Null if not disclosed. Unit: TWD.
   */
  readonly net_income: number | null
  /** 財報期間截止日. Last day of the fiscal period. */
  readonly period_end: string
  /** 公告日. Date on which the company announced the report. Null if unknown. */
  readonly announcement_date: string | null
}

/** One row of Material information. */
export interface AnnouncementsRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 發言日期. Day of the announcement. */
  readonly announced_on: string
  /** 發言時間. Time of the announcement as HH:MM:SS, in Taipei time. */
  readonly announced_time: string
  /** 主旨. Subject of the announcement. */
  readonly subject: string
  /** 公司名稱. Short name of the company. */
  readonly name: string
  /**
   * 符合條款. Clause of the disclosure rules that requires the announcement, for example 第51款. Null if
   * not published.
   */
  readonly clause: string | null
  /** 事實發生日. Day of the event that the company announces. Null if not published. */
  readonly event_date: string | null
  /** 說明. Full text of the announcement, unchanged. Null if not published. */
  readonly description: string | null
}

/** Meaning of the parameter `as_of` of reads. */
export interface AsOf {
  /**
   * Column with the announcement day of a row. Reads with an earlier `as_of` omit the row. Null if
   * the dataset has no such column.
   */
  readonly known_at: string | null
  /** Rows that `as_of` returns, as a sentence. */
  readonly description: string
  /** `description` in Chinese. */
  readonly description_zh: string
}

export interface AuditEntry {
  /** Id of the entry. Later entries have higher ids. */
  readonly id: number
  /** Time of the action. RFC 3339, offset +08:00. */
  readonly at: string
  /**
   * Actor of the action: `admin` (admin token), `operator` (a command or the service) or an account
   * id.
   */
  readonly actor: string
  /** Name of the action, for example `key revoked`. */
  readonly action: string
  /** Id of the account that the action concerns. Null if the action concerns no account. */
  readonly account_id: string | null
  /** Id of the changed object. Null if the account itself was changed. */
  readonly target: string | null
  /** Id of the request that caused the action. Null for a command. */
  readonly request_id: string | null
  /** Further facts about the action, by name, without secrets. */
  readonly facts: Readonly<Record<string, unknown>>
}

export interface AuditLog {
  /** Number of entries in this response. */
  readonly row_count: number
  /** Number of entries in this response, equal to `row_count`. */
  readonly data_count: number
  /** Value of `before` for the next page. Null on the last page. */
  readonly next_before: number | null
  /** Time of this response. RFC 3339, offset +08:00. */
  readonly as_of: string
  /** Entries of the audit log, newest first. */
  readonly data: readonly AuditEntry[]
}

/** One row of Balance sheets. */
export interface BalanceSheetRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 資產負債表日. Last day of the quarter. */
  readonly period_end: string
  /** 公司名稱. Short name of the company. */
  readonly name: string
  /**
   * 流動資產. Current assets. Only companies that separate current from non-current items report this
   * item. Null for other companies. Unit: TWD.
   */
  readonly current_assets: number | null
  /**
   * 非流動資產. Non-current assets. Only companies that separate current from non-current items report
   * this item. Null for other companies. Unit: TWD.
   */
  readonly non_current_assets: number | null
  /** 資產總計. Total assets. Unit: TWD. */
  readonly total_assets: number
  /**
   * 流動負債. Current liabilities. Only companies that separate current from non-current items report
   * this item. Null for other companies. Unit: TWD.
   */
  readonly current_liabilities: number | null
  /**
   * 非流動負債. Non-current liabilities. Only companies that separate current from non-current items
   * report this item. Null for other companies. Unit: TWD.
   */
  readonly non_current_liabilities: number | null
  /** 負債總計. Total liabilities. Unit: TWD. */
  readonly total_liabilities: number
  /** 股本. Share capital at the end of the quarter. Null if not published. Unit: TWD. */
  readonly share_capital: number | null
  /**
   * 資本公積. Capital surplus, for example amounts paid for shares above par value. Null if not
   * published. Unit: TWD.
   */
  readonly capital_surplus: number | null
  /**
   * 保留盈餘. Retained earnings. Negative for an accumulated deficit. Null if not published. Unit: TWD.
   */
  readonly retained_earnings: number | null
  /**
   * 其他權益. Other equity, for example unrealized gains and exchange differences. Null if not
   * published. Unit: TWD.
   */
  readonly other_equity: number | null
  /**
   * 庫藏股票. Amount of treasury shares: own shares that the company bought back. The sign is as
   * published. Null if not published. Unit: TWD.
   */
  readonly treasury_shares: number | null
  /**
   * 歸屬於母公司業主之權益合計. Equity attributable to owners of the parent. Null if not published. Unit: TWD.
   */
  readonly equity_attributable_to_owners: number | null
  /**
   * 共同控制下前手權益. Equity of former owners of a company acquired under common control. Null if the
   * company has no such item. Unit: TWD.
   */
  readonly equity_under_common_control: number | null
  /**
   * 合併前非屬共同控制股權. Pre-merger equity of companies that were not under common control. Null if the
   * company has no such item. Unit: TWD.
   */
  readonly equity_before_merger: number | null
  /**
   * 非控制權益. Equity in subsidiaries that does not belong to the parent. Null if the company has no
   * such item. Unit: TWD.
   */
  readonly non_controlling_interests: number | null
  /** 權益總計. Total equity. Unit: TWD. */
  readonly total_equity: number
  /**
   * 每股參考淨值. Book value (net worth) per share, as published for reference. Null if not published.
   * Unit: TWD per share.
   */
  readonly book_value_per_share: number | null
  /**
   * 待註銷股本股數. Number of shares whose cancellation is pending. Null if not published. Unit: shares.
   */
  readonly shares_pending_cancellation: number | null
  /**
   * 預收股款之約當發行股數. Number of new shares that correspond to advance payments included in equity. Null
   * if not published. Unit: shares.
   */
  readonly advance_receipt_shares: number | null
  /**
   * 母公司庫藏股股數. Number of shares of the parent that the parent and its subsidiaries own. Null if not
   * published. Unit: shares.
   */
  readonly treasury_shares_count: number | null
  /**
   * 現金及約當現金. Cash and cash equivalents. Only financial holding companies, banks and insurers report
   * this item. Null for other companies. Unit: TWD.
   */
  readonly cash_and_cash_equivalents: number | null
  /**
   * 貼現及放款－淨額. Loans and discounts, net. Only financial holding companies and banks report this
   * item. Null for other companies. Unit: TWD.
   */
  readonly loans_and_discounts: number | null
  /**
   * 存款及匯款. Deposits and remittances. Only financial holding companies and banks report this item.
   * Null for other companies. Unit: TWD.
   */
  readonly deposits: number | null
  /**
   * 保險負債. Insurance liabilities. Only insurers report this item. Null for other companies. Unit:
   * TWD.
   */
  readonly insurance_liabilities: number | null
  /** 年度. Gregorian year of the quarter. Unit: years. */
  readonly fiscal_year: number
  /** 季別. Number of the quarter, 1 to 4. */
  readonly fiscal_quarter: number
}

export interface BilledSubscription {
  /** Id of the subscription at the payment provider. */
  readonly subscription_id: string
  /**
   * Status as reported by the payment provider: active, trialing, past_due, unpaid, canceled and
   * others.
   */
  readonly status: string
  readonly plan_id: PlanName
  /** True if the subscription ends at the end of the paid period and is not billed again. */
  readonly cancel_at_period_end: boolean
}

export interface BillingLeft {
  /**
   * True if a subscription is still live at the payment provider, even if the subscription ends
   * with the paid period. Closing the account does not cancel subscriptions.
   */
  readonly action_required: boolean
  /** Reason why an action is required. Null if no action is required. */
  readonly reason: 'subscription_still_live' | null
  /**
   * Path of the POST operation that returns a portal link. The operation requires a new sign-in
   * with the same address, because the token of this call has ended. Null if no subscription is
   * live.
   */
  readonly portal_path: string | null
  /**
   * Page of the payment provider for cancelling the subscription. The link works without sign-in
   * until it expires. Null if no subscription is live, or if the provider did not respond.
   */
  readonly portal_url: string | null
  /** All live subscriptions, including subscriptions that end with the paid period. */
  readonly subscriptions: readonly SubscriptionLeft[]
  /** Path of the POST operation that starts a new sign-in. Null if no subscription is live. */
  readonly sign_in_path: string | null
  /**
   * Next step for the customer, as a sentence in the language of `Accept-Language`. Null if no
   * subscription is live.
   */
  readonly next_step: string | null
}

export interface BillingPreview {
  readonly window: UsageWindow
  readonly currency: 'TWD'
  /** Always true. Only the invoice of the payment provider is binding. */
  readonly is_estimate: boolean
  readonly plan: {
    /** Current plan. */
    readonly id: PlanName
    /**
     * Cost of the account’s subscriptions within the window. The price of a billing period is split
     * in proportion to its time within the window, to the millisecond. The amounts of adjacent
     * windows therefore add up to the full price. In integer minor units (99000 is TWD 990.00),
     * before tax.
     */
    readonly base_amount: number
  }
  /** Lines of the estimate: the plan first, then one line per dataset. */
  readonly lines: readonly (PlanLine | UsageLine)[]
  readonly credits: {
    /** Calendar month in Taipei in which the window ends, YYYY-MM. */
    readonly period: string
    /** Credits that the current plan includes per period. */
    readonly included: number
    /** Credits that the operator granted in addition to the credits of the plan. */
    readonly granted: number
    /** Credits of refunded reads. Refunded credits can be used again. */
    readonly refunded: number
    /**
     * Credits charged for all datasets in the whole calendar month. `lines` has only the credits
     * within the window.
     */
    readonly used: number
    /**
     * Credits billed beyond the plan. Always 0, because reads stop when the credits are used up.
     */
    readonly overage: number
  }
  /** Sum of the amounts of all lines. In integer minor units (99000 is TWD 990.00), before tax. */
  readonly subtotal: number
  /** Always null. The payment provider adds tax to the invoice. */
  readonly tax: null
  /** Cost of the window. In integer minor units (99000 is TWD 990.00), before tax. */
  readonly total: number
  /** Date of the next invoice, RFC 3339, offset +08:00. Null if no invoice is due. */
  readonly next_invoice_at: string | null
  /** Live subscription with the highest plan. Null if no subscription is live. */
  readonly subscription: BilledSubscription | null
  /**
   * All subscriptions that are live or cover part of the window. The amounts of these subscriptions
   * add up to `plan.base_amount`.
   */
  readonly subscriptions: readonly SubscriptionCost[]
}

/** One row of Government bond yield curve. */
export interface BondYieldCurveRow {
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 曲線種類. Curve type. The type government_benchmark uses the benchmark bond of each tenor, without
   * fitting. The type government_nearest_bond uses the bond closest to the tenor.
   */
  readonly curve_type: string
  /** 年期. Nominal tenor: a number followed by Y for years or M for months, for example 10Y. */
  readonly tenor_label: string
  /** 到期年數. Nominal tenor in years, the horizontal axis of the curve. Unit: years. */
  readonly maturity_years: number
  /** 殖利率. Yield to maturity, in percent per year. May be negative. Unit: percent. */
  readonly yield_rate: number
  /**
   * 資料基準日. Date of the quoted yield. Equals trade_date unless the source repeated an older quote.
   */
  readonly as_of: string
  /** 曲線版本. Version of the rule that assigns bonds to tenors. */
  readonly index_version: string
  /** 資料提供者. Publisher of the figures. */
  readonly source_provider: string
  /** 來源角色. Role of the source: canonical or fallback. */
  readonly source_role: string
  /** 來源類別. Group of publications to which the source belongs. */
  readonly source_family: string
  /** 發布機關. Official name of the publisher, in Chinese if the publisher has a Chinese name. */
  readonly source_authority: string
  /**
   * 資料來源紀錄. Details of the source: bond used for the tenor, remaining years of the bond, date
   * printed in the source, and whether this date matches the requested date.
   */
  readonly lineage: unknown
}

/** One row of Trades by branch. */
export interface BranchTradesRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 券商代號. Exchange code of the branch or head office. */
  readonly branch_code: string
  /** 價格. Price at which the shares traded. Unit: TWD per share. */
  readonly price: number
  /** 買進股數. Number of shares that the branch bought at this price. Unit: shares. */
  readonly buy_volume: number
  /** 賣出股數. Number of shares that the branch sold at this price. Unit: shares. */
  readonly sell_volume: number
  /** 買賣超股數. Shares bought minus shares sold. Unit: shares. */
  readonly net_volume: number
}

/** One row of Broker branch reference. */
export interface BrokerBranchReferenceRow {
  /**
   * 總公司代號. Exchange code of the parent firm. The firm is found by its name, not by the prefix of
   * the branch code. If no firm has the name, this is a fallback key.
   */
  readonly parent_broker_code: string
  /** 總公司名稱. Short name of the parent firm. */
  readonly parent_broker_name: string
  /** 分公司代號. Exchange code of the branch. Codes are case-sensitive. */
  readonly branch_code: string
  /** 分公司名稱. Name of the branch without the name of the parent firm. */
  readonly branch_name: string
  /** 市場. Exchange whose list contains the branch. */
  readonly market: string
  /**
   * 地址. Street address, with full-width digits and punctuation converted to half width. Null if the
   * list has no address. In this case, data_gaps contains a label.
   */
  readonly address: string | null
  /** 資料提供者. Publisher of the list. */
  readonly source_provider: string
  /** 來源角色. Role of the source: canonical or fallback. */
  readonly source_role: string
  /** 來源類別. Group of publications to which the source belongs. */
  readonly source_family: string
  /**
   * 資料來源紀錄. Details of the source: entry of the list, date of the list, opening date of the branch,
   * and method that separated the names of parent and branch.
   */
  readonly source_lineage: unknown
  /** 資料缺漏. Labels of the values missing in this row. Empty if the row is complete. */
  readonly data_gaps: unknown
}

/** One row of Capital reductions and splits. */
export interface CapitalChangesRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 恢復買賣日期. First trading day after the exchange of shares. */
  readonly resume_date: string
  /** 證券名稱. Short name of the security on the resumption day, without extra spaces. */
  readonly name: string
  /** 變動類別. Type of change: capital_reduction, par_value_change, etf_split, etf_reverse_split. */
  readonly change_type: string
  /**
   * 原因. Reason in the exchange’s words, for example 彌補虧損 (offsetting losses) or 退還股款 (returning
   * capital). Null for par value changes.
   */
  readonly reason: string | null
  /**
   * 停止買賣前收盤價格. Last close before the suspension of trading. Without a close, the substitute price
   * under the rules of the exchange. Null if not published. Unit: TWD per share.
   */
  readonly close_before: number | null
  /**
   * 恢復買賣參考價. Reference price of a new share, which the exchange computes from the last close. The
   * adjustment factor of earlier prices is the reference price divided by the last close. Null if
   * not published. Unit: TWD per share.
   */
  readonly reference_price: number | null
  /** 漲停價格. Upper price limit on the resumption day. Null if not published. Unit: TWD per share. */
  readonly limit_up: number | null
  /** 跌停價格. Lower price limit on the resumption day. Null if not published. Unit: TWD per share. */
  readonly limit_down: number | null
  /**
   * 開盤競價基準. Base price of the opening auction, rounded to the tick size. Null if not published.
   * Unit: TWD per share.
   */
  readonly opening_reference: number | null
  /**
   * 除權參考價. Ex-rights reference price if shares are offered for cash at the same time. Null
   * otherwise. Unit: TWD per share.
   */
  readonly price_less_rights: number | null
  /**
   * 換股率. New shares per old share: 2 for a two-for-one split, 0.3 if 300 shares replace 1,000. Null
   * if not published, as in the TWSE list. Unit: ratio.
   */
  readonly exchange_ratio: number | null
  /** 每股退還股款. Cash returned per old share. Null if not published. Unit: TWD per share. */
  readonly refund_per_share: number | null
  /**
   * 變更前股票面額. Par value before a par value change. Null for other types of change. Unit: TWD per
   * share.
   */
  readonly par_before: number | null
  /**
   * 變更後股票面額. Par value after a par value change. Null for other types of change. Unit: TWD per
   * share.
   */
  readonly par_after: number | null
  /** 停止買賣日期. Day on which trading was suspended. Null if not published. */
  readonly halted_on: string | null
  /** 事件代號. Id of the event, as used in adjusted-prices and adjustment-factors. */
  readonly event_id: string
}

/** One row of Cash-flow statements. */
export interface CashFlowRow {
  /** 公司代號. Exchange code of the company. */
  readonly ticker: string
  /** 財報期間截止日. Last day of the period that the statement covers. */
  readonly period_end: string
  /**
   * 財報類別. Basis of the statement: consolidated, individual (for a company without subsidiaries) or
   * parent_only.
   */
  readonly basis: string
  /**
   * 營業活動之淨現金流入（流出）. Net cash from operating activities, year to date. Negative for an outflow.
   * Unit: TWD.
   */
  readonly operating_cash_flow: number
  /**
   * 投資活動之淨現金流入（流出）. Net cash from investing activities, year to date. Negative for an outflow.
   * Unit: TWD.
   */
  readonly investing_cash_flow: number
  /**
   * 籌資活動之淨現金流入（流出）. Net cash from financing activities, year to date. Negative for an outflow.
   * Unit: TWD.
   */
  readonly financing_cash_flow: number
  /**
   * 匯率變動對現金及約當現金之影響. Effect of exchange rates on cash, year to date. Null if the statement has no
   * such item. Unit: TWD.
   */
  readonly exchange_rate_effect: number | null
  /**
   * 本期現金及約當現金增加（減少）數. Change in cash and cash equivalents since the start of the year. Unit: TWD.
   */
  readonly net_change_in_cash: number
  /** 期初現金及約當現金餘額. Cash and cash equivalents at the start of the year. Unit: TWD. */
  readonly beginning_cash: number
  /** 期末現金及約當現金餘額. Cash and cash equivalents on period_end. Unit: TWD. */
  readonly ending_cash: number
  /**
   * 資產負債表帳列之現金及約當現金. Cash and cash equivalents in the balance sheet. Null if the statement does not
   * show them. Unit: TWD.
   */
  readonly balance_sheet_cash: number | null
  /**
   * 其他符合國際會計準則第七號現金及約當現金定義之項目. Part of ending_cash that the balance sheet shows under other items.
   * Null if the statement has no such item. Unit: TWD.
   */
  readonly other_cash_equivalents: number | null
  /** 折舊費用. Depreciation, year to date. Null if the statement has no such item. Unit: TWD. */
  readonly depreciation: number | null
  /** 攤銷費用. Amortization, year to date. Null if the statement has no such item. Unit: TWD. */
  readonly amortization: number | null
  /**
   * 取得不動產、廠房及設備. Cash paid for property, plant and equipment, year to date. Negative for payments.
   * Null if the statement has no such item. Unit: TWD.
   */
  readonly capital_expenditure: number | null
  /** 年度. Gregorian year of the quarter. Unit: years. */
  readonly fiscal_year: number
  /** 季別. Number of the quarter, 1 to 4. */
  readonly fiscal_quarter: number
  /**
   * 自由現金流量. Free cash flow, year to date: operating_cash_flow plus capital_expenditure. Null if
   * capital_expenditure is null. Unit: TWD.
   */
  readonly free_cash_flow: number | null
}

export interface CatalogDataset {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  readonly title: string
  /** Title in Chinese. */
  readonly title_zh: string
  readonly family: Family
  readonly description: string
  /** Description in Chinese. */
  readonly description_zh: string
  /** Columns that identify a row. */
  readonly grain: readonly string[]
  readonly status: ServingStatus
  readonly minimum_plan: PlanName
  /** Price of a successful read, in credits. */
  readonly credits_per_call: number
  /**
   * Structure of the response. For the structure `B`, rows are in `envelope.data`. For other
   * structures, rows are in `data`.
   */
  readonly envelope: 'A' | 'B' | 'C' | 'D'
  /** Formats available for reads. */
  readonly formats: readonly string[]
  readonly filters: readonly DatasetFilter[]
  /** Columns that the parameter `sort_by` accepts. The parameter `sort` accepts all columns. */
  readonly sort_by: readonly string[]
  /** Number of rows that a read returns if `limit` is not sent. */
  readonly default_limit: number
  readonly row_count: number | null
  readonly symbols_count: number | null
  /** First day of the data. Null if the dataset has no rows or no dates. */
  readonly first_date: string | null
  /** Last day of the data. Null if the dataset has no rows or no dates. */
  readonly last_date: string | null
  readonly dataset_version: string
  /** Id of the served release, as in the `X-Release` header. Null if no release is served. */
  readonly release_version: string | null
  readonly release_date: string | null
  readonly data_as_of: string | null
  readonly freshness_state: FreshnessState
  readonly last_published_at: string | null
  /**
   * Schedule of new data. Data with the cadence `quarter` is due at the statutory filing deadlines.
   * Data with the cadence `on_change` has no due date.
   */
  readonly cadence: 'trading_day' | 'week' | 'month' | 'quarter' | 'on_change'
  readonly next_expected_at: string | null
  readonly lag_days: number | null
  /**
   * Support of point-in-time reads. `publication_date`: reads with `as_of` also omit rows that were
   * announced later.
   */
  readonly pit_support: 'none' | 'publication_date'
  readonly as_of: AsOf
  readonly source: DatasetSource
  /**
   * Known gaps or warnings, as labels. The label `synthetic_sample_data` means that the rows are
   * synthetic samples, not market data.
   */
  readonly known_gaps: readonly string[]
  /** Explanation of each label in `known_gaps`, in the same order. */
  readonly known_gap_notes: readonly GapNote[]
  /**
   * Known gaps or warnings, as labels. The label `synthetic_sample_data` means that the rows are
   * synthetic samples, not market data.
   */
  readonly warnings: readonly string[]
  readonly links: DatasetLinks
}

export interface CatalogStats {
  /**
   * Time of this response. The response is valid for `cache_ttl_seconds` seconds. RFC 3339, offset
   * +08:00.
   */
  readonly generated_at: string
  readonly cache_ttl_seconds: 600
  readonly metrics: readonly Metric[]
  /**
   * Known gaps or warnings, as labels. The label `synthetic_sample_data` means that the rows are
   * synthetic samples, not market data.
   */
  readonly warnings: readonly string[]
}

/** One row of Convertible bonds: daily prices. */
export interface CbPricesRow {
  /** 代號. Code of the convertible bond. The first four digits are the code of the stock. */
  readonly bond_code: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 交易. Type of trade: order_book (matched by the trading system) or negotiated (agreed on by two
   * parties).
   */
  readonly trade_type: string
  /** 名稱. Short name of the bond. */
  readonly name: string
  /** 收市. Last price. Null without trades. */
  readonly close: number | null
  /** 漲跌. Change from the previous close. Null if not published. */
  readonly change: number | null
  /** 開市. First price. Null without trades. */
  readonly open: number | null
  /** 最高. Highest price. Null without trades. */
  readonly high: number | null
  /** 最低. Lowest price. Null without trades. */
  readonly low: number | null
  /** 筆數. Number of trades. Null if not published. */
  readonly transactions: number | null
  /**
   * 單位. Number of bonds traded. The face value of a bond is TWD 100,000. Null if not published.
   * Unit: lots.
   */
  readonly units: number | null
  /** 金額. Value traded. Null if not published. Unit: TWD. */
  readonly value: number | null
  /** 均價. Average price. Null without trades. */
  readonly average_price: number | null
  /**
   * 明日參價. Reference price from which the price limits of the next trading day are computed. Null if
   * not published.
   */
  readonly next_reference_price: number | null
  /** 明日漲停. Upper price limit on the next trading day. Null if not published. */
  readonly next_limit_up: number | null
  /** 明日跌停. Lower price limit on the next trading day. Null if not published. */
  readonly next_limit_down: number | null
}

/** One row of Convertible bonds: terms. */
export interface CbTermsRow {
  /** 代號. Code of the convertible bond. The first four digits are the code of the stock. */
  readonly bond_code: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 債券簡稱. Short name of the bond. */
  readonly name: string
  /** 轉換起日. First day on which holders can convert the bond into shares. Null if not published. */
  readonly conversion_start: string | null
  /** 轉換迄日. Last day on which holders can convert the bond into shares. Null if not published. */
  readonly conversion_end: string | null
  /**
   * 轉換價格. Conversion price: face value in TWD that converts into one share. Null if not published.
   */
  readonly conversion_price: number | null
  /** 下次轉換價格生效日期. Day on which the next conversion price takes effect. Null if not published. */
  readonly next_reset_date: string | null
  /**
   * 最近賣回權起日. First day of the next period in which holders can sell the bond back to the issuer.
   * Null if not published.
   */
  readonly put_start: string | null
  /**
   * 最近賣回權迄日. Last day of the next period in which holders can sell the bond back to the issuer.
   * Null if not published.
   */
  readonly put_end: string | null
  /**
   * 最近賣回權價格. Price per TWD 100 of face value at which holders can sell the bond back to the issuer.
   * Null if not published.
   */
  readonly put_price: number | null
  /**
   * 強制贖回起日. First day of the period in which the issuer redeems the bond early. Null if not
   * published.
   */
  readonly call_start: string | null
  /**
   * 強制贖回迄日. Last day of the period in which the issuer redeems the bond early. Null if not
   * published.
   */
  readonly call_end: string | null
  /** 強制贖回價格. Price of the early redemption, per TWD 100 of face value. Null if not published. */
  readonly call_price: number | null
  /** 終止櫃檯買賣日. Day on which trading of the bond ends. Null if not published. */
  readonly delisting_date: string | null
  /** 原始發行總額. Total face value of the bonds at issue. Null if not published. Unit: TWD. */
  readonly issue_amount: number | null
  /**
   * 上月底發行餘額. Face value outstanding at the end of the previous month. Null if not published. Unit:
   * TWD.
   */
  readonly outstanding_amount: number | null
  /** 轉債參考價格. Reference price of the bond, per TWD 100 of face value. Null if not published. */
  readonly reference_price: number | null
  /** 轉換標的股票價格. Price in TWD of the share into which the bond converts. Null if not published. */
  readonly underlying_price: number | null
  /** 停止交易起日. First day of a suspension of trading. Null if not published. */
  readonly suspension_start: string | null
  /** 停止交易迄日. Last day of a suspension of trading. Null if not published. */
  readonly suspension_end: string | null
  /** 票面利率. Coupon in percent per year. Null if not published. Unit: percent. */
  readonly coupon_rate: number | null
  /**
   * 轉換價值. Value of the shares for TWD 100 of face value: 100 × underlying_price / conversion_price.
   * Null if one of these prices is null.
   */
  readonly conversion_value: number | null
}

export interface CheckoutSession {
  /** Id of the checkout session at the payment provider. */
  readonly session_id: string
  /** URL of the checkout page of the payment provider. Redirect the customer to this URL. */
  readonly url: string
  /** Expiry time of the checkout page. RFC 3339, offset +08:00. */
  readonly expires_at: string
  readonly plan_id: 'pro' | 'max'
}

export interface ClosedAccount {
  readonly account_id: string
  readonly account_status: 'closed'
  /** Closing time of the account. RFC 3339, offset +08:00. */
  readonly closed_at: string
  /** Number of keys that this call revoked. Requests with these keys are refused. */
  readonly api_keys_revoked: number
  /** All sessions of the account have ended. */
  readonly portal_access_invalidated: boolean
  /** The address and the names of keys are deleted. */
  readonly profile_redacted: boolean
  /** Payment records are kept, without personal data, under the account id. */
  readonly billing_records_retained: boolean
  /** Usage records are kept, without personal data, under the account id. */
  readonly usage_records_retained: boolean
  readonly billing: BillingLeft
}

export interface CodeSent {
  /** Id of this sign-in. Send this id together with the code. */
  readonly flow_id: string
  /** Always `code_sent`, whether or not the address has an account. */
  readonly status: 'code_sent'
  /** Seconds until the code expires. */
  readonly expires_in: number
  /** Seconds until another code can be sent. */
  readonly resend_after: number
  /**
   * Notice to all callers that the service receives too many requests for codes, and sends codes
   * only to addresses with an account. Absent otherwise.
   */
  readonly notice?: string
}

/** One row of Company earnings. */
export interface CompanyEarningsRow {
  /** 公司代號. Exchange code of the company. */
  readonly ticker: string
  /** 財報期間. Quarter, for example 2026-Q1, or fiscal year, for example 2025. */
  readonly fiscal_period: string
  /** 財報類別. Length of the period: quarterly (a single quarter) or annual (a full year). */
  readonly report_type: string
  /**
   * 營業收入. Operating revenue of the period. Negative in rare cases. Null for banks, which report no
   * operating revenue. Unit: TWD.
   */
  readonly revenue: number | null
  /**
   * 基本每股盈餘. Basic earnings per share of the period. Negative for a loss. Null if not reported.
   * Unit: TWD per share.
   */
  readonly eps: number | null
  /**
   * 本期淨利（淨損）. Net income attributable to owners of the parent if reported, otherwise net income of
   * the period. Negative for a loss. Null if not reported. Unit: TWD.
   */
  readonly net_income: number | null
  /**
   * 幣別. ISO 4217 code of the currency of the amounts. Always TWD for companies listed in Taiwan.
   */
  readonly currency: string
  /** 財報期間截止日. Last day of the fiscal period. */
  readonly period_end: string
  /** 公告日. Date on which the company announced the report. Null if unknown. */
  readonly announcement_date: string | null
}

/** One row of Company risk events. */
export interface CompanyRiskEventsRow {
  /** 證券代號. Exchange code of the security. */
  readonly symbol: string
  /**
   * 公告日. Date on which the exchange announced the flag. If the list has no announcement date, this
   * is the date on which the list was collected, and lineage states so.
   */
  readonly event_date: string
  /**
   * 風險類別. Normalized risk type: attention, disposition, altered_trading, managed_stock, suspension,
   * default_settlement.
   */
  readonly risk_type: string
  /** 公告事由. Reason for the flag, in the words of the exchange. */
  readonly description: string
  /** 來源角色. Role of the source: official announcement of the exchange. */
  readonly source_role: string
  /**
   * 資料來源紀錄. Details of the source, for example the authority that published the flag, and the
   * release of the list.
   */
  readonly lineage: unknown
}

export interface Comparison {
  readonly method: string
  /**
   * Id of the dataset whose rows were compared: this dataset, or a dataset whose columns this
   * dataset uses.
   */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  /** Data with which the rows were compared. */
  readonly source: string
  readonly description: string | null
  /** `description` in Chinese. */
  readonly description_zh: string | null
  /**
   * Result of the comparisons. `verified`: all rows were compared and agree. `partial`: all
   * compared rows agree, but some rows could not be compared. `mismatch`: some rows disagree.
   * `not_checked`: no rows were compared, or the rows are samples.
   */
  readonly badge: 'verified' | 'partial' | 'mismatch' | 'not_checked'
  readonly compared_at: string
  /** Number of rows that should be compared. */
  readonly rows: number
  readonly rows_compared: number
  readonly matched: number
  readonly mismatched: number
  /** `matched` divided by `rows_compared`. Null for the badge `not_checked`. */
  readonly match_ratio: number | null
  /** Release whose rows were compared. */
  readonly release_version: string
  /**
   * Release of the dataset with which the rows were compared. Null if the rows were not compared
   * with a dataset of this service.
   */
  readonly against_release: string | null
}

export interface Coverage {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  readonly row_count: number | null
  readonly symbols_count: number | null
  /** First day of the data. Null if the dataset has no rows or no dates. */
  readonly first_date: string | null
  /** Last day of the data. Null if the dataset has no rows or no dates. */
  readonly last_date: string | null
  /** Year of `first_date`. Null if `first_date` is null. */
  readonly start_year: number | null
  /** Due time of new data, in words, in Taipei time. */
  readonly update_timing: string
  /** `update_timing` in Chinese. */
  readonly update_timing_zh: string
  /** True if the dataset includes delisted securities. */
  readonly delisted_included: boolean
  readonly markets: readonly string[]
  /** Kind of coverage over time, for example `daily_time_series`. */
  readonly coverage_type: string
  /** Subject of the dataset, for example `government_bond_curve`. */
  readonly scope: string
  /**
   * Share of cells with a value, from 0 to 1. Excludes provenance columns and columns that do not
   * apply to every row. Null if no release was measured. In this case, reads return 0.
   */
  readonly completeness_ratio: number | null
  /**
   * Known gaps or warnings, as labels. The label `synthetic_sample_data` means that the rows are
   * synthetic samples, not market data.
   */
  readonly known_gaps: readonly string[]
  /** Explanation of each label in `known_gaps`, in the same order. */
  readonly known_gap_notes: readonly GapNote[]
  /**
   * Known gaps or warnings, as labels. The label `synthetic_sample_data` means that the rows are
   * synthetic samples, not market data.
   */
  readonly warnings: readonly string[]
  readonly counted_at: string | null
}

/** List of `Coverage` objects, or of `SymbolCoverage` objects if `symbol` was sent. */
export interface CoverageList {
  readonly data: readonly Coverage[] | readonly SymbolCoverage[]
  /** Number of datasets in `data`. */
  readonly data_count: number
}

export interface CoveredDay {
  /** Day of the rows. YYYY-MM-DD, Taipei time. */
  readonly date: string
  /** Number of rows. */
  readonly rows: number
}

export interface CoveredDays {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  /** Release that contains the rows. Null if no release is served. */
  readonly release_version: string | null
  /** Name of the date column. Null if rows have no date. */
  readonly column: string | null
  /** Number of days with rows. */
  readonly days_with_rows: number
  readonly days_without_rows: number | null
  /** Number of days in `data`. */
  readonly data_count: number
  readonly data: readonly CoveredDay[]
}

/** Credits of the current period. */
export interface Credits {
  /** Calendar month in Taipei, YYYY-MM. */
  readonly period: string
  /** Credits that the plan includes for the period. */
  readonly included: number
  /** Credits that the operator granted in addition to the credits of the plan. */
  readonly granted: number
  /** Credits of refunded reads. Refunded credits can be used again. */
  readonly refunded: number
  /** Credits charged so far in the period. */
  readonly used: number
  /** Remaining credits, at least 0. */
  readonly remaining: number
  /**
   * Start of the next period, when the full credits are available again. RFC 3339, offset +08:00.
   */
  readonly resets_at: string
}

/** One row of Daily prices. */
export interface DailyPricesRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 證券名稱. Short name of the security on the trading day, without extra spaces. */
  readonly name: string
  /**
   * 開盤價. First price of the regular session. Null if the session had no trade, even if odd lots
   * traded. Unit: TWD per share.
   */
  readonly open: number | null
  /**
   * 最高價. Highest price of the regular session. Null if the session had no trade, even if odd lots
   * traded. Unit: TWD per share.
   */
  readonly high: number | null
  /**
   * 最低價. Lowest price of the regular session. Null if the session had no trade, even if odd lots
   * traded. Unit: TWD per share.
   */
  readonly low: number | null
  /**
   * 收盤價. Last price of the regular session. Null if the session had no trade, even if odd lots
   * traded. Not adjusted for dividends. Unit: TWD per share.
   */
  readonly close: number | null
  /** 成交股數. Number of shares traded. 0 on days without trades. Unit: shares. */
  readonly volume: number
  /** 成交金額. Value traded. 0 on days without trades. Unit: TWD. */
  readonly turnover: number
  /** 成交筆數. Number of trades. Null if not in the report of the exchange. */
  readonly trades: number | null
}

export interface DamageReport {
  /** Number of entries in `data`. */
  readonly data_count: number
  readonly data: readonly DamagedDataset[]
  readonly scrub: ScrubState
}

export interface DamagedDataset {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  /** Older release that is served instead of the damaged release. Null if reads are refused. */
  readonly fallback: string | null
  readonly findings: readonly {
    /** Path relative to the folder of releases. */
    readonly file: string
    readonly reason: string
  }[]
}

export interface DatasetCatalog {
  readonly api_version: 'v2'
  /** Time of the last change of the list. RFC 3339, offset +08:00. */
  readonly generated_at: string
  /** Number of datasets in `data`. */
  readonly data_count: number
  readonly data: readonly CatalogDataset[]
}

export interface DatasetEntitlement {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  readonly minimum_plan: PlanName
  /** Price of a successful read, in credits. */
  readonly credits_per_call: number
  /** True if the plan of the key includes the dataset. */
  readonly allowed: boolean
  /**
   * Reason why the plan does not include the dataset, as a sentence in the language of
   * `Accept-Language`. Null if the plan includes the dataset.
   */
  readonly reason: string | null
}

export interface DatasetFilter {
  /** Name of the query parameter. */
  readonly name: string
  /** Column that the parameter filters. */
  readonly column: string
  /**
   * Condition of the filter. `eq`: equal to the value. `in`: in a list of values separated by
   * commas. `from` and `to`: inclusive bounds. `period`: a fiscal quarter or year. `first_of`: one
   * of `values`, by default the first of `values` that has rows. `latest`: only the newest row.
   */
  readonly operator: 'eq' | 'in' | 'from' | 'to' | 'period' | 'first_of' | 'latest'
  /** Type of the column. */
  readonly type: 'text' | 'date' | 'timestamp' | 'number' | 'integer' | 'boolean' | 'json'
  readonly required: boolean
}

/** Paths of operations for this dataset. */
export interface DatasetLinks {
  readonly read: string
  /**
   * Path of the operation that returns the rows of all keys for one day. Absent if the dataset is
   * not a daily series.
   */
  readonly cross_section?: string
  /** Path of the operation that returns statistics of each column. */
  readonly profile: string
  readonly schema: string
  readonly freshness: string
  readonly coverage: string
  readonly reconciliation: string
}

export interface DatasetProfile {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  /** Release that contains the rows. Null if no release is served. */
  readonly release: string | null
  /** Value of `as_of` in the request. Absent if not sent. */
  readonly as_of?: string
  readonly data_as_of: string | null
  /** Filter parameters with their applied values. A value is null if the parameter was not sent. */
  readonly filters: Readonly<Record<string, string | null>>
  /** Number of matching rows. */
  readonly row_count: number
  /** Reason why there are no rows. Null if there are rows. */
  readonly empty_reason: 'no_match' | 'past_the_end' | 'outside_coverage' | 'not_trading_day' | 'not_captured' | 'not_built' | 'unknown_symbol' | null
  readonly known_gaps: readonly string[]
  readonly warnings: readonly string[]
  /** Number of columns in `data`. */
  readonly data_count: number
  readonly data: readonly ProfiledColumn[]
}

export interface DatasetReleases {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  readonly title: string
  readonly title_zh: string
  /**
   * Serving status, as in the catalog. The value is `internal` for a dataset that is not in the
   * catalog.
   */
  readonly status: 'building' | 'verified' | 'reference' | 'preview' | 'degraded' | 'unavailable' | 'internal'
  /** Release that reads use. Null if no release is served. */
  readonly served: string | null
  /**
   * Release that the data folder names as current. Differs from the served release if the current
   * release is damaged or not loaded yet. Null if no release is current.
   */
  readonly named: string | null
  readonly published_at: string | null
  readonly data_as_of: string | null
  readonly rows: number | null
  /** True if the rows are synthetic samples. Null if no release is served. */
  readonly synthetic: boolean | null
  /** Number of releases on disk. */
  readonly kept: number
  /** Number of pinned releases, which are never deleted. */
  readonly pinned: number
  /** Number of times an earlier release was served again. */
  readonly withdrawn: number
  /** Number of retired releases, which are no longer available. */
  readonly retired: number
  /**
   * Number of damaged files because of which newer releases are not served. /v2/admin/damage lists
   * these files.
   */
  readonly damaged: number
}

export interface DatasetSchema {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  readonly dataset_version: string
  /**
   * sha256 of the names, types and nullability of all columns. The hash changes if a column
   * changes.
   */
  readonly schema_hash: string
  /** Columns that identify a row. */
  readonly grain: readonly string[]
  /** Column by which the rows are partitioned. Null if the dataset is not partitioned. */
  readonly partition_by: string | null
  readonly as_of: AsOf
  readonly columns: readonly SchemaColumn[]
  /**
   * Rules that each publication checks for every row. Types, nulls and unique keys are checked as
   * well.
   */
  readonly rules: readonly SchemaRule[]
}

/**
 * Source of the data. If `warnings` contains `synthetic_sample_data`, the rows are samples and do
 * not come from this source.
 */
export interface DatasetSource {
  /** Attribution of the data source. */
  readonly attribution: string
  /** `attribution` in Chinese. */
  readonly attribution_zh: string
  /** URL of the source. */
  readonly url: string
}

/** One row of Day trading of the market. */
export interface DayTradingMarketRow {
  /** 市場. TWSE for the listed market, TPEX for the over-the-counter market. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 當日沖銷交易總成交股數. Number of shares bought and sold on the same day, in all securities of the market.
   * Unit: shares.
   */
  readonly volume: number
  /**
   * 當日沖銷交易總成交股數占市場比重. Day-traded shares as a percentage of the volume of the market. Unit: percent.
   */
  readonly volume_share: number
  /** 當日沖銷交易總買進成交金額. Value of the purchases in all day trades. Unit: TWD. */
  readonly buy_value: number
  /** 當日沖銷交易總買進成交金額占市場比重. buy_value as a percentage of the turnover of the market. Unit: percent. */
  readonly buy_share: number
  /** 當日沖銷交易總賣出成交金額. Value of the sales in all day trades. Unit: TWD. */
  readonly sell_value: number
  /**
   * 當日沖銷交易總賣出成交金額占市場比重. sell_value as a percentage of the turnover of the market. Unit: percent.
   */
  readonly sell_share: number
}

/** One row of Day trading. */
export interface DayTradingRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 證券名稱. Short name of the security on the trading day. */
  readonly name: string
  /**
   * 暫停現股賣出後現款買進當沖註記. Published mark for a security whose day trades must start with a purchase.
   * Null if day trades may also start with a sale.
   */
  readonly suspension_mark: string | null
  /** 當日沖銷交易成交股數. Number of shares bought and sold on the same day. Unit: shares. */
  readonly volume: number
  /** 當日沖銷交易買進成交金額. Value of the purchases in day trades. Unit: TWD. */
  readonly buy_value: number
  /** 當日沖銷交易賣出成交金額. Value of the sales in day trades. Unit: TWD. */
  readonly sell_value: number
}

export interface DaysAtRisk {
  /** Oldest missing day that the source will soon stop offering. YYYY-MM-DD, Taipei time. */
  readonly day: string
  /** Number of missing days that the source will soon stop offering, see `at_risk`. */
  readonly days: number
  /**
   * Time from which the source no longer offers the oldest missing day. RFC 3339, offset +08:00.
   */
  readonly lost_at: string
}

export interface DeletedWebhook {
  readonly webhook_id: string
  readonly deleted: boolean
}

/** One row of Delistings. */
export interface DelistingsRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 終止上市（櫃）日期. First day on which the security no longer trades. */
  readonly delisting_date: string
  /** 公司名稱. Name of the company, as published. */
  readonly company_name: string
  /** 終止上櫃原因. Reason for the delisting, as published. Null for TWSE, which publishes no reasons. */
  readonly reason: string | null
}

/** One row of Dividend decisions. */
export interface DividendDecisionsRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 股利年度. Gregorian year of the dividend. Unit: years. */
  readonly dividend_year: number
  /**
   * 期別. Number of the dividend period in the year. A company can have up to four periods per year.
   * The dividend of the year is the sum over these periods.
   */
  readonly period: number
  /** 公司名稱. Short name of the company or preferred share. */
  readonly name: string
  /**
   * 決議（擬議）進度. Stage of the decision, as published, for example proposed by the board or confirmed
   * by the shareholders’ meeting.
   */
  readonly progress: string
  /** 股利所屬年(季)度. Type of period, as published, for example 年度 (full year). */
  readonly period_type: string
  /** 股利所屬期間起日. First day of the period whose profit is distributed. */
  readonly period_start: string
  /** 股利所屬期間迄日. Last day of the period whose profit is distributed. */
  readonly period_end: string
  /**
   * 董事會（擬議）股利分派日. Day on which the board decided or proposed the dividend. Null if not published.
   */
  readonly board_date: string | null
  /** 股東會日期. Day of the shareholders’ meeting. Null if not published. */
  readonly meeting_date: string | null
  /**
   * 期初未分配盈餘/待彌補虧損. Retained earnings at the start of the period. Negative for a deficit. Null if
   * not published. Unit: TWD.
   */
  readonly opening_retained_earnings: number | null
  /** 本期淨利(淨損). Net income of the period. Null if not published. Unit: TWD. */
  readonly net_income: number | null
  /** 可分配盈餘. Earnings that can be distributed. Null if not published. Unit: TWD. */
  readonly distributable_earnings: number | null
  /** 分配後期末未分配盈餘. Retained earnings after the distribution. Null if not published. Unit: TWD. */
  readonly closing_retained_earnings: number | null
  /** 盈餘分配之現金股利. Cash dividend from earnings. Null if not published. Unit: TWD per share. */
  readonly cash_from_earnings: number | null
  /** 法定盈餘公積發放之現金. Cash paid from the legal reserve. Null if not published. Unit: TWD per share. */
  readonly cash_from_legal_reserve: number | null
  /** 資本公積發放之現金. Cash paid from capital surplus. Null if not published. Unit: TWD per share. */
  readonly cash_from_capital_surplus: number | null
  /** 股東配發之現金(股利)總金額. Total cash paid to shareholders. Null if not published. Unit: TWD. */
  readonly total_cash_dividend: number | null
  /**
   * 盈餘轉增資配股. Stock dividend from earnings, in TWD of par value per share. At a par value of TWD 10,
   * a value of 1 means 100 new shares per 1,000 shares held. Null if not published. Unit: TWD per
   * share.
   */
  readonly stock_from_earnings: number | null
  /**
   * 法定盈餘公積轉增資配股. Stock dividend from the legal reserve, in TWD of par value per share. At a par
   * value of TWD 10, a value of 1 means 100 new shares per 1,000 shares held. Null if not
   * published. Unit: TWD per share.
   */
  readonly stock_from_legal_reserve: number | null
  /**
   * 資本公積轉增資配股. Stock dividend from capital surplus, in TWD of par value per share. At a par value
   * of TWD 10, a value of 1 means 100 new shares per 1,000 shares held. Null if not published.
   * Unit: TWD per share.
   */
  readonly stock_from_capital_surplus: number | null
  /** 股東配股總股數. Total number of shares distributed. Null if not published. Unit: shares. */
  readonly total_stock_dividend_shares: number | null
  /** 備註. Remarks, as published. Null if there are none. */
  readonly remarks: string | null
}

/** Expected result and price of a read. */
export interface DryRun {
  readonly dry_run: boolean
  readonly dataset: string
  readonly slug: string
  /**
   * Format of the response. Null if the read is refused before the format is known. In this case,
   * `release`, `rows`, `rows_are` and `estimated_bytes` are also null.
   */
  readonly format: 'json' | 'csv' | 'ndjson' | 'arrow' | 'parquet' | null
  readonly release: string | null
  readonly rows: number | null
  /**
   * Precision of `rows`. `exact`: the rows were counted. `at_most`: `rows` is an upper bound,
   * because counting would be expensive. Null if `rows` is null.
   */
  readonly rows_are: 'exact' | 'at_most' | null
  /**
   * Size of the body before compression, in bytes. The size is exact up to 2,000 rows, and
   * extrapolated for more rows. For `at_most` rows and for field queries, the size is a rough upper
   * bound. Null if unknown.
   */
  readonly estimated_bytes: number | null
  /**
   * Price of the read in credits. 0 if the read would be refused, and for visitors of the portal.
   */
  readonly credits: number
  /** Maximum number of rows per response in the plan. */
  readonly row_limit: number
  /** True if more rows match than the plan allows per response. Null if unknown. */
  readonly limited: boolean | null
  readonly would_be_refused: boolean
  /**
   * Status and body of the error response that the read would receive. Null if the read would
   * succeed.
   */
  readonly refusal: {
    readonly status: number
    readonly detail: unknown
    readonly error: RefusedRead
  } | null
}

/** One row of Earnings. */
export interface EarningsRow {
  /** 公司代號. Exchange code of the company. */
  readonly ticker: string
  /** 財報期間. Quarter, for example 2026-Q1, or fiscal year, for example 2025. */
  readonly fiscal_period: string
  /** 財報類別. Length of the period: quarterly (a single quarter) or annual (a full year). */
  readonly report_type: string
  /** 公告日. Date on which the company announced the report. Null if unknown. */
  readonly announcement_date: string | null
  /**
   * 營業收入. Operating revenue of the period. Negative in rare cases. Null for banks, which report no
   * operating revenue. Unit: TWD.
   */
  readonly revenue: number | null
  /**
   * 營業毛利（毛損）. Gross profit of the period, after unrealized and realized profit on sales
   * (營業毛利（毛損）淨額). Negative for a loss. Null if the industry’s statement has no such item. Unit:
   * TWD.
   */
  readonly gross_profit: number | null
  /**
   * 營業利益（損失）. Operating income of the period. Negative for a loss. Null if the industry’s statement
   * has no such item. Unit: TWD.
   */
  readonly operating_income: number | null
  /**
   * 本期淨利（淨損）. Net income attributable to owners of the parent if reported, otherwise net income of
   * the period. Negative for a loss. Null if not announced. Unit: TWD.
   */
  readonly net_income: number | null
  /**
   * 基本每股盈餘. Basic earnings per share of the period. Negative for a loss. Null if not announced.
   * Unit: TWD per share.
   */
  readonly eps: number | null
  /**
   * 每股盈餘與預期差異率（%）. Difference between actual and consensus earnings per share, in percent of the
   * consensus. Null if no consensus is available. Unit: percent.
   */
  readonly eps_surprise_pct: number | null
  /** 財報期間截止日. Last day of the fiscal period. */
  readonly period_end: string
}

export interface Entitlements {
  readonly account_id: string
  readonly plan_id: PlanName
  /**
   * Plan that the operator granted, even if the account pays for a higher plan. Null without a
   * current grant.
   */
  readonly grant: PlanHeld | null
  /** Maximum number of rows per response. */
  readonly row_limit: number
  readonly rate_limits: RateLimits
  readonly credits: Credits
  /** Formats available for reads. */
  readonly formats: readonly string[]
  /** Features of the plan, as snake_case words. */
  readonly features: readonly string[]
  readonly datasets: readonly DatasetEntitlement[]
}

export interface EntityFields {
  readonly entity_id: string
  /**
   * Values by field name, in the requested order. With `minimal_fields`, values have no day, period
   * and release.
   */
  readonly fields: Readonly<Record<string, FieldValue>> | Readonly<Record<string, unknown>>
}

/** One row of Register of funds. */
export interface EtfRegisterRow {
  /** 基金代號. Exchange code of the fund. */
  readonly ticker: string
  /** 基金簡稱. Short name of the fund. */
  readonly name: string
  /** 基金中文名稱. Full name of the fund in Chinese. Null if not published. */
  readonly full_name: string | null
  /** 基金英文名稱. Full name of the fund in English. Null if not published. */
  readonly english_name: string | null
  /** 基金類型. Type of the fund, as published. Null if not published. */
  readonly fund_type: string | null
  /** 標的指數/追蹤指數名稱. Index that the fund tracks. Null for funds without an index. */
  readonly index_name: string | null
  /**
   * 標的指數是否為客製化. Published statement on whether the index is customized or requires disclosure. Null
   * if not published.
   */
  readonly custom_index: string | null
  /**
   * 是否包含國外成分股. Published statement on whether the fund holds foreign securities. Null if not
   * published.
   */
  readonly foreign_members: string | null
  /** 績效指標中文名稱. Benchmark of the fund. Null for funds without a benchmark. */
  readonly benchmark_name: string | null
  /** 成立日期. Day on which the fund was established. Null if not published. */
  readonly established_on: string | null
  /** 上市日期. First trading day of the fund. Null if not published. */
  readonly listed_on: string | null
  /**
   * 發行單位數. Number of units issued as of the date of the register. Null if not published. Unit:
   * shares.
   */
  readonly units_issued: number | null
  /** 保管機構. Custodian bank of the fund. Null if not published. */
  readonly custodian: string | null
  /** 備註. Remarks, as published. Null if there are none. */
  readonly remarks: string | null
  /** 出表日期. Date of the register. */
  readonly as_of_date: string
}

export interface EventReceipt {
  /** Always true: the event is stored. */
  readonly received: boolean
  /** True if the event was already stored and was therefore ignored. */
  readonly duplicate: boolean
}

/** One row of Events calendar. */
export interface EventsRow {
  /** 證券代號. Exchange code of the security. */
  readonly symbol: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /**
   * 事件日. Date of the event. An event of several days has the date of its first day. Material
   * information has the date of its announcement.
   */
  readonly event_date: string
  /**
   * 事件類別. Normalized event type: ex_dividend (ex-dividend day), ex_rights (ex-rights day),
   * ex_rights_and_dividend (ex-rights and ex-dividend on one day), capital_reduction (trading
   * resumes after a capital reduction), par_value_change (trading resumes with a new par value),
   * etf_split (trading resumes after a split of a fund), etf_reverse_split (trading resumes after a
   * reverse split of a fund), shareholders_meeting (annual or extraordinary shareholders’ meeting),
   * investor_conference (investor conference), delisting (first day without trading),
   * material_information (announcement by the company).
   */
  readonly event_type: string
  /**
   * 主旨. Title in Chinese, with the published reason or subject. For material information, only the
   * subject.
   */
  readonly title: string
  /** 英文主旨. Title in English, without the published reason or subject. */
  readonly title_en: string
  /** 來源角色. Role of the source: official announcement of a major event. */
  readonly source_role: string
}

/** One row of Announced ex-days. */
export interface ExRightsForecastRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 除權除息日期. Ex-day: first trading day without the right or dividend. */
  readonly ex_date: string
  /** 名稱. Short name of the security. */
  readonly name: string
  /** 除權息. Type of ex-day: dividend, rights, rights_and_dividend. */
  readonly kind: string
  /** 現金股利. Cash paid per share. Null if not announced. Unit: TWD per share. */
  readonly cash_dividend: number | null
  /**
   * 無償配股率. Number of new shares issued free per share held. Null if no new shares are issued free.
   * Unit: ratio.
   */
  readonly stock_dividend_ratio: number | null
  /**
   * 現金增資配股率. Number of shares offered for cash per share held. Null if no shares are offered. Unit:
   * ratio.
   */
  readonly subscription_ratio: number | null
  /**
   * 現金增資認購價. Subscription price per share offered for cash. Null without an offering. Unit: TWD per
   * share.
   */
  readonly subscription_price: number | null
  /** 公開承銷股數. Number of shares offered to the public. Null if not announced. Unit: shares. */
  readonly shares_offered: number | null
  /** 員工認購股數. Number of shares reserved for employees. Null if not announced. Unit: shares. */
  readonly shares_for_employees: number | null
  /**
   * 原股東認購股數. Number of shares offered to existing shareholders. Null if not announced. Unit:
   * shares.
   */
  readonly shares_for_holders: number | null
  /**
   * 按持股比例仟股認購. Number of shares to which a holder of 1,000 shares may subscribe. Null if not
   * announced. Unit: shares.
   */
  readonly subscription_per_thousand: number | null
}

/** One row of Ex-rights and ex-dividend results. */
export interface ExRightsRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 除權息日期. Ex-day: first trading day without the right or dividend. */
  readonly ex_date: string
  /** 證券名稱. Short name of the security on the ex-day, without extra spaces. */
  readonly name: string
  /** 權/息. Type of ex-day: dividend, rights, rights_and_dividend. */
  readonly kind: string
  /**
   * 除權息前收盤價. Close of the previous trading day. Without trades, the substitute price under the
   * rules of the exchange. Null if not published. Unit: TWD per share.
   */
  readonly close_before: number | null
  /**
   * 除權息參考價. Previous close minus the value of the right and dividend. The adjustment factor of
   * earlier prices is the reference price divided by the previous close. Null if not published.
   * Unit: TWD per share.
   */
  readonly reference_price: number | null
  /**
   * 權值+息值. Value per share of the right and dividend: previous close minus reference price,
   * unrounded. Null if not published. Unit: TWD per share.
   */
  readonly value: number | null
  /**
   * 權值. Value per share of the right to new shares. Null if only the total is published. Unit: TWD
   * per share.
   */
  readonly rights_value: number | null
  /**
   * 息值. Value per share of the cash dividend. Null if only the total is published. Unit: TWD per
   * share.
   */
  readonly dividend_value: number | null
  /** 漲停價. Upper price limit on the ex-day. Null if not published. Unit: TWD per share. */
  readonly limit_up: number | null
  /** 跌停價. Lower price limit on the ex-day. Null if not published. Unit: TWD per share. */
  readonly limit_down: number | null
  /**
   * 開盤競價基準. Base price of the opening auction, rounded to the tick size. Null if not published.
   * Unit: TWD per share.
   */
  readonly opening_reference: number | null
  /**
   * 減除股利參考價. Reference price without the effect of shares offered for cash. Null if not published.
   * Unit: TWD per share.
   */
  readonly price_less_dividend: number | null
  /**
   * 現金股利. Cash paid per share or unit. Null if the details were not collected. Unit: TWD per share.
   */
  readonly cash_dividend: number | null
  /**
   * 每仟股無償配股. Number of new shares issued free per 1,000 shares held. Null if the details were not
   * collected. Unit: shares.
   */
  readonly bonus_shares_per_thousand: number | null
  /**
   * 現金增資認購價. Subscription price per share offered for cash. 0 if there is no offering. Null if the
   * details were not collected. Unit: TWD per share.
   */
  readonly subscription_price: number | null
  /**
   * 按持股比例每仟股認購. Number of offered shares to which a holder of 1,000 shares may subscribe. Null if
   * the details were not collected. Unit: shares.
   */
  readonly subscription_per_thousand: number | null
  /**
   * 現金增資股數. Total number of shares offered for cash. Null if the details were not collected. Unit:
   * shares.
   */
  readonly offered_shares: number | null
  /** 事件代號. Id of the event, as used in adjusted-prices and adjustment-factors. */
  readonly event_id: string
}

/** Family of the dataset. */
export type Family = 'macroeconomics' | 'market_structure' | 'capital_flows' | 'companies_events' | 'financial_statements' | 'internal'

export interface Fault {
  /**
   * Location of the fault: `query`, `body` or `header`, followed by the name of the parameter or
   * field.
   */
  readonly loc: readonly (string | number)[]
  /** Description of the accepted values. */
  readonly msg: string
  /**
   * missing: A required value was not sent. empty: The value is empty. unknown_parameter: The
   * operation has no such parameter or field. repeated_parameter: The parameter was sent more than
   * once. repeated_value: The list contains a value twice. wrong_type: The value has the wrong
   * type, for example text instead of a number. enum: The value is not one of the allowed values.
   * unknown_field: The field does not exist. pattern: The value does not have the required format.
   * characters: The value contains characters that are not allowed. int_range: The value is not an
   * integer within the bounds. bool: The value is not true or false. date: The value is not a date.
   * timestamp: The value is not a timestamp. reused_name: The id of the request was already used
   * for a different call. range: The value conflicts with the other parameters, the current day, or
   * the range of the column. too_many: The list contains too many values. too_long: The value
   * contains too many characters. email: The value is not a single plain e-mail address. url: The
   * value is not an address of this service. sql_syntax: The value is not a valid query.
   * sql_not_allowed: The query uses something that queries cannot use. sql_budget: The query
   * exceeds a limit of the plan.
   */
  readonly type: 'missing' | 'empty' | 'unknown_parameter' | 'repeated_parameter' | 'repeated_value' | 'wrong_type' | 'enum' | 'unknown_field' | 'pattern' | 'characters' | 'int_range' | 'bool' | 'date' | 'timestamp' | 'reused_name' | 'range' | 'too_many' | 'too_long' | 'email' | 'url' | 'sql_syntax' | 'sql_not_allowed' | 'sql_budget'
  /** Value that was sent, cut off after 100 characters. */
  readonly input?: string
}

export interface FeedRun {
  readonly feed: string
  readonly datasets: readonly string[]
  /** Due time of the data of the feed, in words, in Taipei time. */
  readonly due: string
  /** `due` in Chinese. */
  readonly due_zh: string
  /** Time of the next run. Null if the feed never ran or does not run automatically. */
  readonly next_at: string | null
  readonly last_run: {
    /** Time of the run. RFC 3339, offset +08:00. */
    readonly at: string
    readonly outcome: 'came' | 'late' | 'unreachable' | 'refused'
    readonly said: string
    /** `said` in Chinese. Absent if only English is available. */
    readonly said_zh?: string
  } | null
  readonly covers: string | null
  /** Number of failed runs since the last success. */
  readonly tries: number
  /**
   * Time for which the source offers a publication: `all` (without limit), `days` (for
   * `history_days` days) or `newest` (until the next publication).
   */
  readonly history: 'all' | 'days' | 'newest'
  /**
   * Number of days for which a publication stays available at the source. Null unless `history` is
   * `days`.
   */
  readonly history_days: number | null
  /**
   * Days that are missing in the served release and that the source will soon stop offering. A day
   * counts in the second half of the time for which the source offers it, at most 30 days before
   * the end of this time. Null if there are no such days, or if the dataset has only samples.
   */
  readonly at_risk: DaysAtRisk | null
  /**
   * Hosts from which the service fetches nothing, because FETCH_CONSENT does not list these hosts.
   */
  readonly needs_consent: readonly string[]
}

export interface FeedRuns {
  /** Number of entries in `data`. */
  readonly data_count: number
  readonly data: readonly FeedRun[]
}

export interface FieldQueryAnswer {
  readonly api_version: 'v2'
  readonly endpoint: '/v2/query'
  readonly request_id: string
  readonly plan_id: 'free' | 'pro' | 'max'
  readonly entity_type: 'company' | 'broker' | 'branch' | 'index' | 'bond_tenor'
  readonly as_of_date: string
  /** Number of entities with at least one value. */
  readonly data_count: number
  /** Entities with at least one value, in the requested order. */
  readonly data: readonly EntityFields[]
  /** Fields without a value, with entity and reason. */
  readonly missing: readonly MissingField[]
  /**
   * Known gaps of the datasets, as labels. The label `synthetic_sample_data` means that the rows
   * are synthetic.
   */
  readonly known_gaps: readonly string[]
  readonly warnings: readonly string[]
}

export interface FieldValue {
  /**
   * Value of the field, as in reads of the dataset. Fields with several values have a list. Never
   * null.
   */
  readonly value: unknown
  /** Unit of the value. Null if the value has no unit. */
  readonly unit: string | null
  /**
   * Day to which the value belongs: trading day, end of the fiscal period, or day of the snapshot.
   */
  readonly as_of_date: string
  /** Fiscal period of the value. Null if the value has no fiscal period. */
  readonly period: string | null
  /** Day on which the value was announced. Null if unknown or not applicable. */
  readonly announced_at: string | null
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  /**
   * Role of the source of the value. The role `synthetic_sample` means that the value is synthetic.
   */
  readonly source_role: string
  /**
   * Release that contains the value. For an earlier `as_of_date`, this can be an earlier release
   * than the served one.
   */
  readonly release_version: string
}

/** One row of Final settlement prices. */
export interface FinalSettlementRow {
  /** 商品代號. Code of the contract, as published, for example TX for TAIEX futures. */
  readonly contract: string
  /** 最後結算日. Final settlement day. */
  readonly settlement_date: string
  /** 契約月份. Expiry of the contract, as published, for example 202607. */
  readonly contract_month: string
  /** 商品名稱. Name of the contract. */
  readonly contract_name: string
  /** 最後結算價. Final settlement price, in the unit in which the contract is quoted. */
  readonly final_settlement_price: number
}

/** One row of Foreign holdings. */
export interface ForeignHoldingRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 證券名稱. Short name of the security on the trading day, without extra spaces. */
  readonly name: string
  /** 國際證券編碼. ISIN of the security. Null for TPEx, which publishes no ISIN. */
  readonly isin: string | null
  /** 發行股數. Number of shares issued. Unit: shares. */
  readonly issued_shares: number
  /**
   * 尚可投資股數. Number of shares that foreign and mainland Chinese investors may still buy. Unit:
   * shares.
   */
  readonly available_shares: number
  /**
   * 全體外資及陸資持有股數. Number of shares that foreign and mainland Chinese investors own. Unit: shares.
   */
  readonly held_shares: number
  /**
   * 尚可投資比率. Shares still available as a percentage of issued shares, truncated to two decimals.
   * Unit: percent.
   */
  readonly available_pct: number
  /**
   * 持股比率. Shares owned by foreign and mainland Chinese investors as a percentage of issued shares,
   * truncated to two decimals. Unit: percent.
   */
  readonly held_pct: number
  /**
   * 法令投資上限比率. Legal limit for foreign and mainland Chinese investors together, as a percentage of
   * issued shares. Unit: percent.
   */
  readonly foreign_limit_pct: number
  /**
   * 陸資法令投資上限比率. Legal limit for mainland Chinese investors, as a percentage of issued shares. Null
   * if not published. Unit: percent.
   */
  readonly mainland_limit_pct: number | null
  /**
   * 與前日異動原因. Code of the reason for a change other than trading: 2 (new report by the company), 3
   * (other), 4 (depositary receipts) or 5 (conversions). Null if only trading changed the holding.
   */
  readonly change_reason: string | null
  /**
   * 最近一次申報異動日期. Last date on which the company reported the holding. Null if the company never
   * reported a holding.
   */
  readonly reported_on: string | null
}

export interface Freshness {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  readonly freshness_state: FreshnessState
  readonly freshness_as_of: string | null
  readonly last_published_at: string | null
  /**
   * Schedule of new data. Data with the cadence `quarter` is due at the statutory filing deadlines.
   * Data with the cadence `on_change` has no due date.
   */
  readonly cadence: 'trading_day' | 'week' | 'month' | 'quarter' | 'on_change'
  readonly expected_at: string | null
  readonly next_expected_at: string | null
  readonly lag_days: number | null
  /** Id of the served release, as in the `X-Release` header. Null if no release is served. */
  readonly release_version: string | null
  /**
   * Note on the dates, as a sentence in the language of `Accept-Language`. Null if there is no
   * note.
   */
  readonly note: string | null
  /**
   * Known gaps or warnings, as labels. The label `synthetic_sample_data` means that the rows are
   * synthetic samples, not market data.
   */
  readonly warnings: readonly string[]
}

/**
 * Freshness of the dataset. `fresh`: contains all expected data. `due`: overdue by less than 12
 * hours (daily data), 2 days (weekly data) or 3 days (monthly and quarterly data). `late`: overdue
 * by more than these times, or the newest release is damaged. `static`: has no due dates.
 * `building`: never published.
 */
export type FreshnessState = 'fresh' | 'due' | 'late' | 'static' | 'building'

/** One row of Futures: daily quotes. */
export interface FuturesDailyRow {
  /** 契約. Code of the contract, for example TX for TAIEX futures, TXO for TAIEX options. */
  readonly contract: string
  /** 交易日期. Trading day. The after-hours session of the previous night belongs to this day. */
  readonly trade_date: string
  /**
   * 到期月份(週別). Expiry: a month such as 202302, a week such as 202302W1, or both months of a calendar
   * spread such as 202302/202303.
   */
  readonly contract_month: string
  /** 交易時段. Trading session: regular (day) or after_hours (night). */
  readonly session: string
  /** 開盤價. First price of the session. Null without trades. */
  readonly open: number | null
  /** 最高價. Highest price of the session. Null without trades. */
  readonly high: number | null
  /** 最低價. Lowest price of the session. Null without trades. */
  readonly low: number | null
  /** 收盤價. Last price of the session. Null without trades. */
  readonly close: number | null
  /**
   * 漲跌價. Difference between the last price and the settlement price of the previous trading day.
   * Null if not published.
   */
  readonly change: number | null
  /**
   * 漲跌%. Change, as a percentage of the settlement price of the previous trading day. Null if not
   * published. Unit: percent.
   */
  readonly change_percent: number | null
  /** 成交量. Number of contracts traded in the session. Unit: contracts. */
  readonly volume: number
  /**
   * 結算價. Daily settlement price of the regular session. 0 for a contract that expires on this day.
   * Null for the after-hours session.
   */
  readonly settlement_price: number | null
  /**
   * 未沖銷契約數. Open interest: contracts still open after the regular session, including contracts that
   * expire on this day. Null for the after-hours session. Unit: contracts.
   */
  readonly open_interest: number | null
  /** 最後最佳買價. Best bid price at the end of the session. Null if there was no bid. */
  readonly best_bid: number | null
  /** 最後最佳賣價. Best ask price at the end of the session. Null if there was no ask. */
  readonly best_ask: number | null
  /** 歷史最高價. Highest price since the contract was listed. Null if not published. */
  readonly historical_high: number | null
  /** 歷史最低價. Lowest price since the contract was listed. Null if not published. */
  readonly historical_low: number | null
  /**
   * 是否因訊息面暫停交易. Mark of a trading halt because of news, as published. Null if trading was not
   * halted.
   */
  readonly trading_halt: string | null
  /**
   * 價差對單式委託成交量. Number of contracts of spread orders (orders for two months together) that traded
   * against orders for one month. Null if not published. Unit: contracts.
   */
  readonly spread_volume: number | null
  /** 是否為價差. True for a calendar spread, whose prices are differences between two months. */
  readonly is_spread: boolean
}

/** One row of Futures: institutional investors. */
export interface FuturesInstitutionalRow {
  /** 商品名稱. Chinese name of the product, as published, for example 臺股期貨. */
  readonly product: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 身份別. Group of investors: dealers, investment_trust or foreign. The group foreign includes
   * mainland Chinese investors.
   */
  readonly investor: string
  /** 多方交易口數. Number of contracts bought. Unit: contracts. */
  readonly long_volume: number
  /** 多方交易契約金額. Contract value of long_volume, accurate to TWD 1,000. Unit: TWD. */
  readonly long_value: number
  /** 空方交易口數. Number of contracts sold. Unit: contracts. */
  readonly short_volume: number
  /** 空方交易契約金額. Contract value of short_volume, accurate to TWD 1,000. Unit: TWD. */
  readonly short_value: number
  /** 多空交易口數淨額. long_volume minus short_volume. Unit: contracts. */
  readonly net_volume: number
  /**
   * 多空交易契約金額淨額. long_value minus short_value, as published. Rounding can change the difference by
   * TWD 1,000. Unit: TWD.
   */
  readonly net_value: number
  /** 多方未平倉口數. Number of long contracts that are open at the end of the day. Unit: contracts. */
  readonly long_open_interest: number
  /** 多方未平倉契約金額. Contract value of long_open_interest, accurate to TWD 1,000. Unit: TWD. */
  readonly long_open_interest_value: number
  /** 空方未平倉口數. Number of short contracts that are open at the end of the day. Unit: contracts. */
  readonly short_open_interest: number
  /** 空方未平倉契約金額. Contract value of short_open_interest, accurate to TWD 1,000. Unit: TWD. */
  readonly short_open_interest_value: number
  /** 多空未平倉口數淨額. long_open_interest minus short_open_interest. Unit: contracts. */
  readonly net_open_interest: number
  /**
   * 多空未平倉契約金額淨額. long_open_interest_value minus short_open_interest_value, as published. Rounding
   * can change the difference by TWD 1,000. Unit: TWD.
   */
  readonly net_open_interest_value: number
}

/** One row of Exchange rates. */
export interface FxRatesRow {
  /**
   * 幣別對. Pair of currencies in the form BASE/QUOTE. The rate is the price of one unit of BASE in
   * units of QUOTE.
   */
  readonly pair: string
  /** 來源. Source of the rate: cbc (central bank) or taifex (reference rates of TAIFEX). */
  readonly source: string
  /** 日期. Day of the rate. */
  readonly date: string
  /** 匯率. Price of one unit of the base currency in units of the quote currency. */
  readonly rate: number
}

export interface GapNote {
  readonly label: string
  readonly description: string
  /** `description` in Chinese. */
  readonly description_zh: string
}

export interface GivenCredits {
  /** Id of the entry, shown as `request_id` in the usage ledger. */
  readonly entry_id: string
  readonly kind: 'grant' | 'refund'
  readonly account_id: string
  /**
   * Time of the entry. The credits apply to the calendar month of this time. RFC 3339, offset
   * +08:00.
   */
  readonly at: string
  /** Number of credits granted or refunded. */
  readonly credited: number
  readonly reason: string
  /** Request id of the refunded read. Null for a grant. */
  readonly refunded_request_id: string | null
  readonly credits: Credits
}

/** One row of Holder concentration. */
export interface HolderConcentrationRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 資料日期. Last trading day of the week. */
  readonly week_date: string
  /**
   * 400 張以上人數. Number of holders of more than 400 lots (1,000 shares each). Null if the source has
   * only the total.
   */
  readonly holders_400: number | null
  /**
   * 400 張以上股數. Shares of holders of more than 400 lots (1,000 shares each). Null if the source has
   * only the total. Unit: shares.
   */
  readonly shares_400: number | null
  /**
   * 400 張以上比例. Shares of holders of more than 400 lots as a percentage of total_shares, rounded to
   * four decimals. Null if the source has only the total. Unit: percent.
   */
  readonly percent_400: number | null
  /**
   * 1000 張以上人數. Number of holders of more than 1000 lots (1,000 shares each). Null if the source
   * has only the total.
   */
  readonly holders_1000: number | null
  /**
   * 1000 張以上股數. Shares of holders of more than 1000 lots (1,000 shares each). Null if the source
   * has only the total. Unit: shares.
   */
  readonly shares_1000: number | null
  /**
   * 1000 張以上比例. Shares of holders of more than 1000 lots as a percentage of total_shares, rounded
   * to four decimals. Null if the source has only the total. Unit: percent.
   */
  readonly percent_1000: number | null
  /** 總股東人數. Total number of holders of the security, as published. */
  readonly total_holders: number
  /** 集保總股數. Number of shares in central custody, as published. Unit: shares. */
  readonly total_shares: number
}

export interface InboxFile {
  /** Inbox folder that contains the file. */
  readonly inbox: string
  readonly file: string
  /** Time of the last write to the file. RFC 3339, offset +08:00. */
  readonly modified_at: string
}

export interface InboxState {
  /** Files that the service will import when they are complete, oldest first, at most 1,000. */
  readonly waiting: readonly InboxFile[]
  /** Total number of waiting files. */
  readonly waiting_count: number
  /** Files that the service does not import, each with the reason. */
  readonly left: readonly LeftFile[]
  /** Recently imported files, newest first. */
  readonly taken: readonly TakenFile[]
  /** True if a process of this service imports files of the inbox. */
  readonly watching: boolean
}

/** One row of Index classification. */
export interface IndexClassificationRow {
  /** 指數代號. Code of the index in the exchange’s list, for example IX0001. */
  readonly index_code: string
  /** 市場. Exchange that publishes the index: TWSE or TPEX. */
  readonly market: string
  /** 資料基準日. Date of the classification. */
  readonly as_of_date: string
  /** 分類版本. Version of the classification rule. */
  readonly classification_version: string
  /** 指數名稱. Chinese name of the index in the list of the exchange. */
  readonly index_name: string
  /** 指數類型. Type of the index. The type broad_market covers a whole market. */
  readonly index_type: string
  /** 類股. Sector that the index measures. Null for a broad-market index. */
  readonly sector: string | null
  /** 產業. Industry that the index measures. Null for a broad-market index. */
  readonly industry: string | null
  /** 上層指數代號. Code of the parent index. Null for an index without a parent. */
  readonly parent_index_code: string | null
  /** 是否為類股指數. True if the index measures one sector. */
  readonly is_sector_index: boolean
  /** 是否為大盤指數. True if the index measures a whole market. */
  readonly is_broad_market_index: boolean
  /** 主要主題. First theme of the index. Null if the index has no theme. */
  readonly theme_primary: string | null
  /** 次要主題. Second theme of the index. Null if the index has no second theme. */
  readonly theme_secondary: string | null
  /** 分類來源. Source of the classification. */
  readonly classification_source: string
  /** 資料提供者. Publisher of the list that contains the index. */
  readonly provider: string
  /** 來源角色. Role of the source: official or curated. */
  readonly source_role: string
  /**
   * 資料來源紀錄. Details of the source: key, mapping rule, upstream list, version, and reasons for
   * omitted fields.
   */
  readonly lineage: unknown
  /** 更新時間. Time of the last change of the entry. */
  readonly updated_at: string
}

export interface IndexClose {
  readonly index_code: string
  readonly name: string
  /** Name in Chinese. */
  readonly name_zh: string
  /** Closing value, in index points. */
  readonly value: number
  /**
   * Change since the previous close, in index points. Negative for a fall. Null if the report has
   * no comparison.
   */
  readonly change: number | null
  /** Change since the previous close, in percent. Null if the report has no comparison. */
  readonly change_pct: number | null
  /** Trading day of the close. YYYY-MM-DD, Taipei time. */
  readonly trade_date: string
  readonly source: string
}

/** One row of Institutional positioning. */
export interface InstitutionalPositioningRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 外資買賣超股數. Net shares bought by foreign and mainland Chinese investors, excluding foreign
   * dealers. Negative for net selling. Unit: shares.
   */
  readonly foreign_net_buy: number
  /** 投信買賣超股數. Net shares bought by investment trusts. Negative for net selling. Unit: shares. */
  readonly investment_trust_net_buy: number
  /**
   * 自營商買賣超股數. Net shares bought by dealers, including foreign dealers, for own account and for
   * hedging. Negative for net selling. Unit: shares.
   */
  readonly dealer_net_buy: number
  /**
   * 三大法人買賣超股數. Net shares bought by foreign investors, investment trusts and dealers together.
   * Negative for net selling. Unit: shares.
   */
  readonly institutional_net_buy_total: number
  /**
   * 外資買賣超占成交量比重. foreign_net_buy divided by the shares traded on the day. Null if the volume is
   * missing or zero. Unit: ratio.
   */
  readonly foreign_pct: number | null
  /**
   * 外資占比歷史百分位. Percentile rank of foreign_pct within the ticker’s own history up to and including
   * this day, from 0 (lowest) to 1 (highest). Later days never change the rank. The rank is not a
   * rating. Null if there are fewer than two values. Unit: ratio.
   */
  readonly foreign_pct_percentile: number | null
  /**
   * 連續買超日數. Number of consecutive trading days, up to this day, on which
   * institutional_net_buy_total is positive. 0 if institutional_net_buy_total of this day is not
   * positive. A trading day without data ends the count. Unit: days.
   */
  readonly buy_streak: number
  /**
   * 連續賣超日數. Number of consecutive trading days, up to this day, on which
   * institutional_net_buy_total is negative. 0 if institutional_net_buy_total of this day is not
   * negative. A trading day without data ends the count. Unit: days.
   */
  readonly sell_streak: number
  /**
   * 三大法人買賣超占成交量比重. institutional_net_buy_total divided by the shares traded on the day. Negative
   * for net selling. Null if the volume is missing or zero. Unit: ratio.
   */
  readonly inst_share_of_volume: number | null
}

/** One row of Investor conferences. */
export interface InvestorConferencesRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 召開法人說明會之日期. First day of the conference. */
  readonly conference_start: string
  /**
   * 召開法人說明會之時間. Start time of the conference as HH:MM, in Taipei time unless the place is abroad.
   */
  readonly time: string
  /** 法人說明會迄日. Last day of the conference. Equals conference_start for a conference of one day. */
  readonly conference_end: string
  /** 召開法人說明會之地點. Place of the conference, as announced. Null if not announced. */
  readonly location: string | null
  /** 法人說明會擇要訊息. Subject of the conference, as announced. Null if not announced. */
  readonly summary: string | null
}

export interface IssuedKey {
  readonly key_id: string
  readonly name: string
  readonly prefix: 'sk_live_'
  /** Last four characters of the secret. */
  readonly last4: string
  readonly status: 'active' | 'revoked' | 'expired'
  /** Plan of the account, which applies to all its keys. */
  readonly plan_id: PlanName
  /** Creation time of the key. RFC 3339, offset +08:00. */
  readonly created_at: string
  /** Time of the last charged read, RFC 3339, offset +08:00. Null for an unused key. */
  readonly last_used_at: string | null
  /** Expiry time of the key, RFC 3339, offset +08:00. Null if the key does not expire. */
  readonly expires_at: string | null
  /** Revocation time of the key, RFC 3339, offset +08:00. Null if the key is not revoked. */
  readonly revoked_at: string | null
  /**
   * Secret of the key: `sk_live_` followed by 38 characters. Send the secret in the `X-API-Key`
   * header.
   */
  readonly api_key: string
}

export interface KeptRelease {
  readonly release: string
  readonly served: boolean
  /**
   * Relation to the served release. `ancestor`: a predecessor of the served release. `unused`:
   * withdrawn, never served, or samples that real rows replaced.
   */
  readonly standing: 'served' | 'ancestor' | 'unused'
  /** True if the manifest of the release is damaged. In that case, the other fields are null. */
  readonly damaged: boolean
  readonly rows: number | null
  readonly data_as_of: string | null
  readonly synthetic: boolean | null
  /** Rows that the publication of the release changed. Null if the manifest is damaged. */
  readonly changes: {
    readonly kind: 'new_rows' | 'revision' | 'backfill' | 'schema_change'
    readonly rows_added: number
    readonly rows_changed: number
    readonly rows_removed: number
    readonly date_from: string | null
    readonly date_to: string | null
    readonly reach?: {
      readonly added: readonly [string, string] | null
      readonly changed: readonly [string, string] | null
      readonly removed: readonly [string, string] | null
    }
  } | null
  readonly pinned: boolean
  readonly pinned_at: string | null
  readonly pin_note: string | null
  readonly note: string | null
}

export interface Key {
  readonly key_id: string
  readonly name: string
  readonly prefix: 'sk_live_'
  /** Last four characters of the secret. */
  readonly last4: string
  readonly status: 'active' | 'revoked' | 'expired'
  /** Plan of the account, which applies to all its keys. */
  readonly plan_id: PlanName
  /** Creation time of the key. RFC 3339, offset +08:00. */
  readonly created_at: string
  /** Time of the last charged read, RFC 3339, offset +08:00. Null for an unused key. */
  readonly last_used_at: string | null
  /** Expiry time of the key, RFC 3339, offset +08:00. Null if the key does not expire. */
  readonly expires_at: string | null
  /** Revocation time of the key, RFC 3339, offset +08:00. Null if the key is not revoked. */
  readonly revoked_at: string | null
}

export interface Keys {
  /** Keys, newest first. */
  readonly data: readonly Key[]
  /** Number of keys. */
  readonly data_count: number
}

/** One row of Open interest of large traders. */
export interface LargeTradersRow {
  /**
   * 商品(契約). Code of the contract. The code of futures and options on one stock has two letters,
   * without the final F or O.
   */
  readonly contract: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 商品別. Type of the contract: futures, call or put. */
  readonly instrument: string
  /**
   * 商品名稱(契約名稱). Name of the contract, as published. The contract 臺股期貨(TX+MTX/4) counts four mini
   * contracts as one contract.
   */
  readonly contract_name: string
  /**
   * 到期月份(週別). Expiry: 999999 for all expiries together, 666666 for all weekly expiries together, or
   * the nearest month, for example 202302.
   */
  readonly contract_month: string
  /**
   * 交易人類別. Group of traders: all (the largest traders of any kind) or institutions (the
   * institutional investors, 特定法人, among these largest traders).
   */
  readonly trader_type: string
  /**
   * 前五大交易人買方. Long positions of the five largest traders. Null if not published. Unit: contracts.
   */
  readonly top5_buy: number | null
  /**
   * 前五大交易人賣方. Short positions of the five largest traders. Null if not published. Unit: contracts.
   */
  readonly top5_sell: number | null
  /**
   * 前十大交易人買方. Long positions of the ten largest traders. Null if not published. Unit: contracts.
   */
  readonly top10_buy: number | null
  /**
   * 前十大交易人賣方. Short positions of the ten largest traders. Null if not published. Unit: contracts.
   */
  readonly top10_sell: number | null
  /**
   * 全市場未沖銷部位數. Open interest of the whole market, without contracts that expire on this day. Null
   * if not published. Unit: contracts.
   */
  readonly market_open_interest: number | null
}

export interface LeftFile {
  /** Inbox folder that contains the file. */
  readonly inbox: string
  readonly file: string
  /** Time of the last write to the file. RFC 3339, offset +08:00. */
  readonly modified_at: string
  readonly reason: string
  /** `reason` in Chinese. */
  readonly reason_zh: string
}

/** One row of Lending utilisation. */
export interface LendingUtilisationRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 借券賣出當日賣出. Number of borrowed shares sold on the day. Unit: shares. */
  readonly sold: number
  /**
   * 當日可借券賣出限額. Maximum number of borrowed shares that could be sold on the day, as published on the
   * security’s previous trading day. Null if not published. Unit: shares.
   */
  readonly day_limit: number | null
  /**
   * 當日限額使用率. sold as a percentage of day_limit, rounded to four decimals. Null if the denominator
   * is missing or zero. Unit: percent.
   */
  readonly limit_used_percent: number | null
  /**
   * 借券賣出當日餘額. Number of borrowed shares that were sold and not yet returned at the end of the day.
   * Unit: shares.
   */
  readonly borrowed_balance: number
  /**
   * 借券賣出餘額比率. borrowed_balance as a percentage of issued_shares, rounded to four decimals. Null if
   * the denominator is missing or zero. Unit: percent.
   */
  readonly borrowed_percent: number | null
  /**
   * 融券今日餘額. Number of shares that were sold short on margin and not yet returned at the end of the
   * day. Unit: shares.
   */
  readonly margin_short_balance: number
  /**
   * 融券使用率. margin_short_balance as a percentage of the limit of short sales on margin, rounded to
   * four decimals. Null if the denominator is missing or zero. Unit: percent.
   */
  readonly margin_short_used_percent: number | null
  /**
   * 發行股數. Number of shares issued, from the dataset foreign-holding. Null if not available. Unit:
   * shares.
   */
  readonly issued_shares: number | null
  /**
   * 放空餘額比率. borrowed_balance and margin_short_balance together as a percentage of issued_shares,
   * rounded to four decimals. Null if the denominator is missing or zero. Unit: percent.
   */
  readonly short_percent: number | null
}

/** One row of Limit moves. */
export interface LimitMovesRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 參考價. Price from which the limits are computed: the previous close, or the opening reference
   * price on an ex-day or after a capital change. Unit: TWD per share.
   */
  readonly reference_price: number
  /** 漲停價. Upper price limit of the day. Unit: TWD per share. */
  readonly limit_up: number
  /** 跌停價. Lower price limit of the day. Unit: TWD per share. */
  readonly limit_down: number
  /** 最高價. Highest price of the day. Unit: TWD per share. */
  readonly high: number
  /** 最低價. Lowest price of the day. Unit: TWD per share. */
  readonly low: number
  /** 收盤價. Closing price. Unit: TWD per share. */
  readonly close: number
  /** 觸及. Limit that the price reached on the day: up (upper limit), down (lower limit) or both. */
  readonly touched: string
  /**
   * 收盤鎖住. Limit at which the share closed: up (upper limit) or down (lower limit). Null if the
   * close was at neither limit.
   */
  readonly closed: string | null
}

export interface ListedFile {
  readonly release: string
  /** Download URL of the file, valid without a key until `expires_at`. */
  readonly url: string
  /** Size of the file in bytes. */
  readonly bytes: number
  /** Number of rows in the file. */
  readonly rows: number
  /** sha256 of the file in hex, which is the permanent name of the file. */
  readonly sha256: string
  /**
   * Kind of file. `part`: rows of some keys. `month`: rows of one month. Files by month contain the
   * same rows as the parts.
   */
  readonly kind: 'part' | 'month'
  /** First key in the file, in byte order. Null if rows have no key. */
  readonly first_key: string | null
  readonly last_key: string | null
  readonly first_date: string | null
  readonly last_date: string | null
}

export interface ListedRelease {
  readonly release: string
  /** True if reads use this release. */
  readonly served: boolean
  /**
   * Release from which this release was made. Null for the first release. The parent release may be
   * deleted.
   */
  readonly parent: string | null
  /** Publication time. RFC 3339, offset +08:00. */
  readonly published_at: string
  /** Newest day of the release. YYYY-MM-DD, Taipei time. */
  readonly data_as_of: string
  /** True if the rows are synthetic samples, not market data. */
  readonly synthetic: boolean
  /** Number of rows in the release. */
  readonly rows: number
  /** Number of data files of the release, including files by month. */
  readonly files: number
  /** Total size of the data files of the release, in bytes. */
  readonly bytes: number
  /** Note of the operator on the release. Null if there is no note. */
  readonly note: string | null
}

/** One row of Margin trading. */
export interface MarginTradingRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 證券名稱. Short name of the security on the trading day, without extra spaces. */
  readonly name: string
  /**
   * 融資前日餘額. Shares whose margin loan was outstanding at the end of the previous trading day,
   * including later corrections. Unit: shares.
   */
  readonly margin_previous_balance: number
  /** 融資買進. Shares bought on margin (with a loan). Unit: shares. */
  readonly margin_buy: number
  /**
   * 融資賣出. Shares sold that were bought on margin. The proceeds repay the margin loan. Unit: shares.
   */
  readonly margin_sell: number
  /** 融資現金償還. Shares whose margin loan was repaid in cash. Unit: shares. */
  readonly margin_cash_repayment: number
  /**
   * 融資今日餘額. Shares whose margin loan is outstanding at the end of the day, before later
   * corrections. Unit: shares.
   */
  readonly margin_balance: number
  /** 融資限額. Maximum number of shares that may be bought on margin, in whole lots. Unit: shares. */
  readonly margin_limit: number
  /**
   * 融券前日餘額. Shares sold short on margin and not yet returned at the end of the previous trading
   * day, including later corrections. Unit: shares.
   */
  readonly short_previous_balance: number
  /** 融券賣出. Shares sold short on margin. Unit: shares. */
  readonly short_sell: number
  /** 融券買進. Shares bought back to close short sales. Unit: shares. */
  readonly short_buy: number
  /**
   * 現券償還. Shares that short sellers returned from their own holdings instead of buying them back.
   * Unit: shares.
   */
  readonly short_stock_repayment: number
  /**
   * 融券今日餘額. Shares sold short on margin and not yet returned at the end of the day, before later
   * corrections. Unit: shares.
   */
  readonly short_balance: number
  /** 融券限額. Maximum number of shares that may be sold short, in whole lots. Unit: shares. */
  readonly short_limit: number
  /**
   * 資券互抵. Shares bought on margin and also sold short on the same day. The two positions cancel
   * each other, as in a day trade. Unit: shares.
   */
  readonly offset_volume: number
  /**
   * 資屬證金. Shares of the margin balance that securities finance companies financed. Null for TWSE,
   * which does not publish this figure. Unit: shares.
   */
  readonly margin_finance_balance: number | null
  /**
   * 資使用率. Margin balance as a percentage of margin_limit, truncated to two decimals. Above 100 if
   * the balance exceeds the limit. Null for TWSE, which does not publish this figure. Unit:
   * percent.
   */
  readonly margin_utilization: number | null
  /**
   * 券屬證金. Shares of the short balance that securities finance companies lent. Null for TWSE, which
   * does not publish this figure. Unit: shares.
   */
  readonly short_finance_balance: number | null
  /**
   * 券使用率. Short balance as a percentage of short_limit, truncated to two decimals. Null for TWSE,
   * which does not publish this figure. Unit: percent.
   */
  readonly short_utilization: number | null
  /**
   * 註記. Marks for the next trading day, as published, for example O (no margin purchases), X (no
   * short sales) or ! (trading halted). Null if there are none.
   */
  readonly remark: string | null
}

/** One row of Market breadth. */
export interface MarketBreadthRow {
  /** 市場. TWSE for the listed market, TPEX for the over-the-counter market. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 範圍. Securities that are counted: stocks (shares only) or all (all securities, including
   * warrants).
   */
  readonly scope: string
  /** 上漲. Number of securities that rose, including securities at the upper price limit. */
  readonly advances: number
  /** 漲停. Number of securities that closed at the upper price limit. */
  readonly limit_up: number
  /** 下跌. Number of securities that fell, including securities at the lower price limit. */
  readonly declines: number
  /** 跌停. Number of securities that closed at the lower price limit. */
  readonly limit_down: number
  /** 持平. Number of securities whose price did not change. */
  readonly unchanged: number
  /** 未成交. Number of securities without a trade. For TPEx, suspended securities are included. */
  readonly no_trade: number
  /**
   * 無比價. Number of securities without a comparable previous close, for example on an ex-day. Null
   * for TPEx, which has no such count.
   */
  readonly no_comparison: number | null
  /** 上櫃家數. Number of listed companies. Null for TWSE, which does not publish this figure. */
  readonly listed: number | null
}

export interface MarketIndices {
  readonly as_of: string | null
  readonly data: readonly IndexClose[]
  /** Number of indices in `data`. */
  readonly data_count: number
  /**
   * Known gaps or warnings, as labels. The label `synthetic_sample_data` means that the rows are
   * synthetic samples, not market data.
   */
  readonly warnings: readonly string[]
}

/** One row of Market indices. */
export interface MarketIndicesRow {
  /**
   * 指數代號. Code of the index in the exchange’s list, for example IX0001. Codes of total return
   * indices start with IR, for example IR0001.
   */
  readonly index_code: string
  /** 指數名稱. Chinese name of the index on the trading day. */
  readonly name: string
  /** 指數類別. Type of the index: price (without dividends) or total_return (with dividends). */
  readonly kind: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 收盤指數. Closing value of the index. Unit: index points. */
  readonly value: number
  /**
   * 漲跌點數. Change since the previous close, in points. Negative for a fall. Null if the report has
   * no comparison. Unit: index points.
   */
  readonly change: number | null
  /**
   * 漲跌百分比. Change since the previous close, in percent. Negative for a fall. Null if the report has
   * no comparison. Unit: percent.
   */
  readonly change_pct: number | null
}

/** One row of Institutional trades of the market. */
export interface MarketInstitutionalRow {
  /**
   * 單位名稱. Group of investors. The group total is the sum of dealers, investment trusts and foreign
   * investors. Trades of foreign_dealers are already included in dealers.
   */
  readonly investor: string
  /** 市場. TWSE for the listed market, TPEX for the over-the-counter market. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 買進金額. Value bought. Unit: TWD. */
  readonly buy: number
  /** 賣出金額. Value sold. Unit: TWD. */
  readonly sell: number
  /** 買賣差額. Value bought minus value sold. Unit: TWD. */
  readonly net: number
}

/** One row of Margin balances of the market. */
export interface MarketMarginRow {
  /**
   * 項目. Item: margin (margin purchases, in lots of 1,000 shares), short (short sales, in lots of
   * 1,000 shares) or margin_value (margin purchases, in thousands of TWD).
   */
  readonly item: string
  /** 市場. TWSE for the listed market, TPEX for the over-the-counter market. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 買進. Purchases of the day, in the unit of the item. */
  readonly buy: number
  /** 賣出. Sales of the day, in the unit of the item. */
  readonly sell: number
  /**
   * 現金(券)償還. Repayments in cash, in the unit of the item. For short sales, shares returned from own
   * holdings.
   */
  readonly repayment: number
  /**
   * 前日餘額. Final balance of the previous trading day, which can differ from the provisional balance
   * published on that day.
   */
  readonly balance_before: number
  /**
   * 今日餘額. Balance at the end of the day, in the unit of the item. Provisional until the next
   * trading day.
   */
  readonly balance: number
}

/** One row of Market turnover by class. */
export interface MarketTurnoverByClassRow {
  /** 證券類別. Class of securities, for example stocks, etf, warrants. */
  readonly class: string
  /** 市場. TWSE for the listed market, TPEX for the over-the-counter market. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 成交統計. Name of the class, as published. */
  readonly name: string
  /** 成交金額. Value traded. Unit: TWD. */
  readonly value: number
  /** 成交股數. Number of shares or units traded. Unit: shares. */
  readonly volume: number
  /** 成交筆數. Number of trades. */
  readonly transactions: number
}

/** One row of Market turnover. */
export interface MarketTurnoverRow {
  /** 市場. TWSE for the listed market, TPEX for the over-the-counter market. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 成交股數. Number of shares traded. TPEx publishes thousands of shares, so TPEx figures are
   * multiples of 1,000. Unit: shares.
   */
  readonly volume: number
  /**
   * 成交金額. Value traded. TPEx publishes thousands of TWD, so TPEx figures are multiples of TWD
   * 1,000. Unit: TWD.
   */
  readonly value: number
  /** 成交筆數. Number of trades. */
  readonly transactions: number
  /**
   * 收盤指數. Closing value of the main index of the market: TAIEX or TPEx index. Unit: index points.
   */
  readonly index_close: number
  /** 漲跌點數. Change of the main index since the previous close, in points. Unit: index points. */
  readonly index_change: number
}

/** One row of Market value weights. */
export interface MarketValueWeightsRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 市值. Close × issued shares, rounded to TWD. Unit: TWD. */
  readonly market_value: number
  /**
   * 市值比重. Market value as a percentage of the total market value of all rows of the same market and
   * day, rounded to six decimals. Unit: percent.
   */
  readonly weight_percent: number
  /** 排名. Rank by market value in the market, 1 for the largest. */
  readonly rank: number
}

export interface Metric {
  readonly name: string
  /** Number of counted items. */
  readonly value: number
  /** Unit of the count, for example rows. */
  readonly basis: 'rows' | 'distinct_tickers'
  readonly method: 'exact' | 'approximate'
  /**
   * Time of the count. Rows are counted at publication. A total has the time of the newest count
   * that it includes. RFC 3339, offset +08:00.
   */
  readonly counted_at: string
  /** Id of the dataset. Null for a total over all served datasets. */
  readonly dataset: string | null
  /** Name of the dataset in paths. Null for a total. */
  readonly slug: string | null
  /** True if the counted rows are synthetic samples. */
  readonly synthetic: boolean
}

export interface MissingField {
  readonly entity_id: string
  readonly field: string
  /**
   * no_such_entity: no served dataset of this entity type contains the id. no_value: the row has no
   * value in this column, or the dataset has no row of this entity by as_of_date. not_announced: no
   * period of this entity was announced by as_of_date. announcement_date_unknown: a newer period
   * had ended by as_of_date, but its announcement date is unknown, because as_of_date is before the
   * first release. outside_coverage: as_of_date is before the first day of the dataset.
   * snapshot_has_no_history: the dataset is a snapshot taken after as_of_date, and no older release
   * is retained. not_captured: no data was collected, so events may exist that are not listed.
   * not_built: the dataset does not cover this entity yet. dataset_building: the dataset has no
   * published release yet. data_unavailable: the stored data is damaged, or the release of that day
   * has columns that can no longer be read
   */
  readonly reason: 'no_such_entity' | 'no_value' | 'not_announced' | 'announcement_date_unknown' | 'outside_coverage' | 'snapshot_has_no_history' | 'not_captured' | 'not_built' | 'dataset_building' | 'data_unavailable'
}

/** One row of Money market rates. */
export interface MoneyMarketRatesRow {
  /** 項目. Instrument, market and term, for example interbank_call_loan (loans between banks). */
  readonly item: string
  /** 期間. Month to which the rate applies, for example 2026-05. */
  readonly month: string
  /** 月份截止日. Last day of the month. */
  readonly period_end: string
  /** 利率. Rate of the month in percent per year. Unit: percent. */
  readonly rate: number
}

/** One row of Monthly bars. */
export interface MonthlyBarsRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /**
   * 月最後交易日. Last trading day of the month with quotes, the same for all securities. In the current
   * month, this date changes every trading day.
   */
  readonly last_date: string
  /**
   * 開盤價. First price of the month, not adjusted. Null without trades in the regular session. Unit:
   * TWD per share.
   */
  readonly open: number | null
  /**
   * 最高價. Highest price of the month, not adjusted. Null without trades in the regular session.
   * Unit: TWD per share.
   */
  readonly high: number | null
  /**
   * 最低價. Lowest price of the month, not adjusted. Null without trades in the regular session. Unit:
   * TWD per share.
   */
  readonly low: number | null
  /**
   * 收盤價. Last close of the month, not adjusted. Null without trades in the regular session. Unit:
   * TWD per share.
   */
  readonly close: number | null
  /** 成交股數. Number of shares traded in the month. Unit: shares. */
  readonly volume: number
  /** 成交金額. Value traded in the month. Unit: TWD. */
  readonly turnover: number
  /** 成交日數. Number of days in the month with trades in the regular session. Unit: days. */
  readonly traded_days: number
}

/** One row of Monthly revenue. */
export interface MonthlyRevenueRow {
  /** 公司代號. Exchange code of the company. */
  readonly ticker: string
  /** 市場. TWSE for listed companies, TPEX for over-the-counter companies. */
  readonly market: string
  /** 資料年月. Month of the revenue, for example 2026-05. */
  readonly month: string
  /** 資料月份截止日. Last day of the month. */
  readonly period_end: string
  /** 公司名稱. Short name of the company, as in the source table. */
  readonly name: string
  /**
   * 產業別. Official industry name, the same for both markets and all years. The source table may use
   * another name, for example 建材營造 for 建材營造業. Null if not in the source table.
   */
  readonly industry: string | null
  /**
   * 當月營收. Revenue of the month, accurate to TWD 1,000 as reported by companies. Negative in rare
   * cases. Null if not published. Unit: TWD.
   */
  readonly revenue: number | null
  /**
   * 上月營收. Revenue of the previous month, as restated in the source table of this month. Null if not
   * published. Unit: TWD.
   */
  readonly last_month_revenue: number | null
  /**
   * 去年當月營收. Revenue of the same month of the previous year, as restated in the source table of this
   * month. Null if not published. Unit: TWD.
   */
  readonly last_year_revenue: number | null
  /** 當月累計營收. Revenue from January to this month. Null if not published. Unit: TWD. */
  readonly cumulative_revenue: number | null
  /**
   * 去年累計營收. Revenue of the previous year from January to the same month. Null if not published.
   * Unit: TWD.
   */
  readonly last_year_cumulative_revenue: number | null
  /**
   * 上月比較增減（計算）. Growth over the previous month, not rounded: 100 × (revenue − last_month_revenue) /
   * |last_month_revenue|. Null if last_month_revenue is zero or missing. Unit: percent.
   */
  readonly mom_pct: number | null
  /**
   * 去年同月增減（計算）. Growth over the same month of the previous year, not rounded: 100 × (revenue −
   * last_year_revenue) / |last_year_revenue|. Null if last_year_revenue is zero or missing. Unit:
   * percent.
   */
  readonly yoy_pct: number | null
  /**
   * 前期比較增減（計算）. Growth of cumulative_revenue over last_year_cumulative_revenue, in percent of
   * |last_year_cumulative_revenue|, not rounded. Null if last_year_cumulative_revenue is zero or
   * missing. Unit: percent.
   */
  readonly cumulative_yoy_pct: number | null
  /**
   * 上月比較增減(%). Published growth over the previous month, which the source truncates to two
   * decimals. Null if not published. Unit: percent.
   */
  readonly printed_mom_pct: number | null
  /**
   * 去年同月增減(%). Published growth over the same month of the previous year, which the source
   * truncates to two decimals. Null if not published. Unit: percent.
   */
  readonly printed_yoy_pct: number | null
  /**
   * 前期比較增減(%). Published growth of the year to date over the same months of the previous year,
   * which the source truncates to two decimals. Null if not published. Unit: percent.
   */
  readonly printed_cumulative_yoy_pct: number | null
  /**
   * 備註. Remarks of the company on the figures. Null if the remarks are empty, a dash or a point.
   */
  readonly remark: string | null
  /**
   * 最遲公告日. Latest possible publication date of the figure. The date is the 10th of the next month
   * (the following Monday if the 10th is on a weekend), or report_date if report_date is earlier.
   * The source does not state the actual publication date.
   */
  readonly announced_by: string
  /** 出表日期. Date on which the source table was produced. */
  readonly report_date: string
}

/** One row of Options: daily quotes. */
export interface OptionsDailyRow {
  /** 契約. Code of the contract, for example TX for TAIEX futures, TXO for TAIEX options. */
  readonly contract: string
  /** 交易日期. Trading day. The after-hours session of the previous night belongs to this day. */
  readonly trade_date: string
  /**
   * 到期月份(週別). Expiry: a month such as 202302, a week such as 202302W1, or both months of a calendar
   * spread such as 202302/202303.
   */
  readonly contract_month: string
  /** 履約價. Strike price, in the unit in which the underlying is quoted. */
  readonly strike_price: number
  /** 買賣權. Type of option: call or put. */
  readonly option_type: string
  /** 交易時段. Trading session: regular (day) or after_hours (night). */
  readonly session: string
  /** 開盤價. First price of the session. Null without trades. */
  readonly open: number | null
  /** 最高價. Highest price of the session. Null without trades. */
  readonly high: number | null
  /** 最低價. Lowest price of the session. Null without trades. */
  readonly low: number | null
  /** 收盤價. Last price of the session. Null without trades. */
  readonly close: number | null
  /**
   * 漲跌價. Difference between the last price and the settlement price of the previous trading day.
   * Null if not published.
   */
  readonly change: number | null
  /**
   * 漲跌%. Change, as a percentage of the settlement price of the previous trading day. Null if not
   * published. Unit: percent.
   */
  readonly change_percent: number | null
  /** 成交量. Number of contracts traded in the session. Unit: contracts. */
  readonly volume: number
  /**
   * 結算價. Daily settlement price of the regular session. 0 for a contract that expires on this day.
   * Null for the after-hours session.
   */
  readonly settlement_price: number | null
  /**
   * 未沖銷契約數. Open interest: contracts still open after the regular session, including contracts that
   * expire on this day. Null for the after-hours session. Unit: contracts.
   */
  readonly open_interest: number | null
  /** 最後最佳買價. Best bid price at the end of the session. Null if there was no bid. */
  readonly best_bid: number | null
  /** 最後最佳賣價. Best ask price at the end of the session. Null if there was no ask. */
  readonly best_ask: number | null
  /** 歷史最高價. Highest price since the contract was listed. Null if not published. */
  readonly historical_high: number | null
  /** 歷史最低價. Lowest price since the contract was listed. Null if not published. */
  readonly historical_low: number | null
  /**
   * 是否因訊息面暫停交易. Mark of a trading halt because of news, as published. Null if trading was not
   * halted.
   */
  readonly trading_halt: string | null
}

/** One row of Options: institutional investors. */
export interface OptionsInstitutionalRow {
  /** 商品名稱. Chinese name of the product, as published, for example 臺指選擇權. */
  readonly product: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 買賣權別. Type of option: call or put. */
  readonly option_type: string
  /**
   * 身份別. Group of investors: dealers, investment_trust or foreign. The group foreign includes
   * mainland Chinese investors.
   */
  readonly investor: string
  /** 買方交易口數. Number of contracts bought. Unit: contracts. */
  readonly buy_volume: number
  /** 買方交易契約金額. Contract value of buy_volume, accurate to TWD 1,000. Unit: TWD. */
  readonly buy_value: number
  /** 賣方交易口數. Number of contracts sold. Unit: contracts. */
  readonly sell_volume: number
  /** 賣方交易契約金額. Contract value of sell_volume, accurate to TWD 1,000. Unit: TWD. */
  readonly sell_value: number
  /** 買賣交易口數淨額. buy_volume minus sell_volume. Unit: contracts. */
  readonly net_volume: number
  /**
   * 買賣交易契約金額淨額. buy_value minus sell_value, as published. Rounding can change the difference by TWD
   * 1,000. Unit: TWD.
   */
  readonly net_value: number
  /** 買方未平倉口數. Number of bought contracts that are open at the end of the day. Unit: contracts. */
  readonly buy_open_interest: number
  /** 買方未平倉契約金額. Contract value of buy_open_interest, accurate to TWD 1,000. Unit: TWD. */
  readonly buy_open_interest_value: number
  /** 賣方未平倉口數. Number of sold contracts that are open at the end of the day. Unit: contracts. */
  readonly sell_open_interest: number
  /** 賣方未平倉契約金額. Contract value of sell_open_interest, accurate to TWD 1,000. Unit: TWD. */
  readonly sell_open_interest_value: number
  /** 買賣未平倉口數淨額. buy_open_interest minus sell_open_interest. Unit: contracts. */
  readonly net_open_interest: number
  /**
   * 買賣未平倉契約金額淨額. buy_open_interest_value minus sell_open_interest_value, as published. Rounding can
   * change the difference by TWD 1,000. Unit: TWD.
   */
  readonly net_open_interest_value: number
}

/** Limits of this account, set by the operator. */
export interface OwnLimits {
  /** Maximum number of rows per response. Null if the limit of the plan applies. */
  readonly row_limit: number | null
  /** Maximum number of requests per minute. Null if the limit of the plan applies. */
  readonly requests_per_minute: number | null
  /** Maximum number of concurrent reads. Null if the limit of the plan applies. */
  readonly requests_at_once: number | null
  /** Number of credits per month. Null if the limit of the plan applies. */
  readonly credits_per_month: number | null
}

/** Files with the rows of one release. */
export interface PartList {
  readonly dataset: string
  readonly slug: string
  /** Release that contains all listed files. */
  readonly release: string
  /** Value of `as_of` in the request. Absent if not sent. */
  readonly as_of?: string
  /** Newest day of the release. YYYY-MM-DD, Taipei time. */
  readonly data_as_of: string
  /** True if the rows are synthetic samples, not market data. */
  readonly synthetic: boolean
  /** Known gaps of the dataset, as labels. */
  readonly known_gaps: readonly string[]
  /**
   * Warnings about the data, as labels. The label `synthetic_sample_data` means that the rows are
   * samples. The label `rows_not_filtered_by_as_of` means that the files may contain rows announced
   * after `as_of`.
   */
  readonly warnings: readonly string[]
  readonly expires_at: string | null
  /** Number of rows in the listed parts. */
  readonly row_count: number
  /** Total size of the listed files in bytes. */
  readonly bytes: number
  /** Number of listed files. */
  readonly data_count: number
  /**
   * Listed files: first the parts, ordered by bucket, then the files by month in ascending order.
   */
  readonly data: readonly ListedFile[]
}

export interface PlanGrant {
  readonly email: string
  /** Id of the account of the address. The call creates an account if the address has none. */
  readonly account_id: string
  /** Granted plan. A higher paid plan stays in effect. */
  readonly plan_id: PlanName
  /** End of the grant, RFC 3339, offset +08:00. Null if the grant has no end. */
  readonly expires_at: string | null
  readonly plan_source: 'grant'
  readonly charged: boolean
  readonly api_key: IssuedKey
}

export interface PlanHeld {
  readonly plan_id: PlanName
  /** End of the grant, RFC 3339, offset +08:00. Null if the grant has no end. */
  readonly expires_at: string | null
}

export interface PlanLine {
  readonly kind: 'plan'
  readonly dataset: null
  readonly slug: null
  /** Number of subscriptions that cover part of the window. 1 if no subscription does. */
  readonly quantity: number
  readonly unit_credits: null
  readonly credits: null
  /**
   * Cost of all subscriptions within the window, pro rata. In integer minor units (99000 is TWD
   * 990.00), before tax.
   */
  readonly amount: number
}

/** Name of the plan. The plans in ascending order are free, pro and max. */
export type PlanName = 'free' | 'pro' | 'max'

export interface PortalSession {
  /** URL of the page of the payment provider for changing subscriptions. The URL works once. */
  readonly url: string
}

export interface Product {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  readonly family: Family
  readonly title: string
  readonly minimum_plan: PlanName
  /** Price of a successful read, in credits. */
  readonly credits_per_call: number
  readonly status: ServingStatus
}

export interface ProductList {
  readonly data: readonly Product[]
  /** Number of datasets in `data`. */
  readonly data_count: number
}

export interface ProfileBin {
  readonly from: string | number
  readonly to: string | number
  /** Number of rows from `from`, inclusive, to `to`, exclusive. */
  readonly count: number
}

export interface ProfileValue {
  readonly value: string | number | boolean
  /** Number of rows with this value. */
  readonly count: number
}

export interface ProfiledColumn {
  readonly name: string
  readonly type: 'text' | 'date' | 'timestamp' | 'number' | 'integer' | 'boolean' | 'json'
  /** Unit of the values and bin edges. Null if the values have no unit. */
  readonly unit: string | null
  /** Number of rows with a value. */
  readonly count: number
  /** Number of rows without a value. */
  readonly nulls: number
  /** Exact number of distinct values. */
  readonly distinct: number
  /**
   * Minimum value. Text is compared by bytes. Null for JSON columns, and if there are no values.
   */
  readonly min: string | number | boolean | null
  readonly max: string | number | boolean | null
  /**
   * Histogram of numbers or dates: up to 20 bins with rounded edges, in ascending order, including
   * empty bins. Null for other types, and if there are no values.
   */
  readonly histogram: readonly ProfileBin[] | null
  /**
   * Most frequent values of text and booleans: up to 20 values, most frequent first. Null for other
   * types.
   */
  readonly top: readonly ProfileValue[] | null
  /** Totals of the values that are not in `top`. Null if `top` is null. */
  readonly others: {
    /** Number of distinct values not in `top`. */
    readonly values: number
    /** Number of rows with these values. */
    readonly count: number
  } | null
}

/** One row of Profitability. */
export interface ProfitabilityRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 財報期間截止日. Last day of the quarter. */
  readonly period_end: string
  /** 公司名稱. Short name of the company. */
  readonly name: string
  /**
   * 營業收入. Revenue, converted from the published figure in million TWD with two decimals. Null if
   * not published. Unit: TWD.
   */
  readonly revenue: number | null
  /** 毛利率. Gross profit as a percentage of revenue. Null if not published. Unit: percent. */
  readonly gross_margin: number | null
  /** 營業利益率. Operating income as a percentage of revenue. Null if not published. Unit: percent. */
  readonly operating_margin: number | null
  /** 稅前純益率. Income before tax as a percentage of revenue. Null if not published. Unit: percent. */
  readonly pretax_margin: number | null
  /** 稅後純益率. Income after tax as a percentage of revenue. Null if not published. Unit: percent. */
  readonly net_margin: number | null
  /** 年度. Gregorian year of the quarter. Unit: years. */
  readonly fiscal_year: number
  /** 季別. Number of the quarter, 1 to 4. */
  readonly fiscal_quarter: number
}

/** One row of Put/call ratio of TAIEX options. */
export interface PutCallRatioRow {
  /** 契約. Code of the contract: always TXO, the options on the TAIEX. */
  readonly contract: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 賣權成交量. Number of puts traded in the regular and after-hours sessions together. Unit: contracts.
   */
  readonly put_volume: number
  /**
   * 買權成交量. Number of calls traded in the regular and after-hours sessions together. Unit:
   * contracts.
   */
  readonly call_volume: number
  /** 買賣權成交量比率%. put_volume as a percentage of call_volume. Unit: percent. */
  readonly volume_ratio: number
  /** 賣權未平倉量. Open interest in puts, without contracts that expire on this day. Unit: contracts. */
  readonly put_open_interest: number
  /** 買權未平倉量. Open interest in calls, without contracts that expire on this day. Unit: contracts. */
  readonly call_open_interest: number
  /** 買賣權未平倉量比率%. put_open_interest as a percentage of call_open_interest. Unit: percent. */
  readonly open_interest_ratio: number
}

export interface QuarantineList {
  /** Number of files in quarantine. */
  readonly kept: number
  /** Number of entries in `data`. */
  readonly data_count: number
  readonly data: readonly RefusedFile[]
  /** Recently accepted or discarded files, newest first. */
  readonly settled: readonly SettledFile[]
}

export interface QuarantineReport {
  readonly id: string
  /** Refused file. Null after the file was accepted or discarded. */
  readonly file: RefusedFile | null
  readonly faults: readonly RefusedRule[]
  /** Rules that the operator can accept, so that the file is published although it breaks them. */
  readonly acceptable: readonly string[]
  readonly settled: SettledFile | null
  /** Last attempt to publish the file since the service started. Null if there was no attempt. */
  readonly attempt: AcceptedFile | null
}

export interface QueryExample {
  readonly description: string
  readonly entity_type: 'company' | 'broker' | 'branch' | 'index' | 'bond_tenor'
  readonly url: string
  readonly minimum_plan: 'free' | 'pro' | 'max'
  readonly credits: number
}

export interface QueryExamples {
  readonly data: readonly QueryExample[]
  readonly data_count: number
}

export interface QueryField {
  readonly field: string
  /** Former names of the field, which still work. The response uses the requested name. */
  readonly aliases: readonly string[]
  readonly entity_type: 'company' | 'broker' | 'branch' | 'index' | 'bond_tenor'
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  readonly column: string
  /**
   * Type of the value: `text`, `date`, `timestamp`, `number`, `integer`, `boolean`, `json`, or a
   * list of one of these types.
   */
  readonly type: string
  readonly unit: string | null
  readonly label_zh: string
  readonly description: string
  readonly description_zh: string
  readonly minimum_plan: 'free' | 'pro' | 'max'
  /** Price of a query in credits, regardless of the number of fields. */
  readonly credits: number
  /** True if a query without field names returns the field. */
  readonly default: boolean
  /** Example value, as in responses. Null if there is no example. */
  readonly example: unknown
}

export interface QueryFields {
  readonly data: readonly QueryField[]
  readonly data_count: number
}

export interface Queues {
  readonly ledger: {
    /** Number of charged responses that could not be written to disk yet. */
    readonly owed: number
  }
  readonly mail: {
    /** Number of queued entries. */
    readonly waiting: number
    /** Highest number of attempts of a queued entry. */
    readonly attempts: number
    readonly oldest_at: string | null
    readonly next_at: string | null
    /**
     * Last error that the other server reported, without addresses, customer ids and secrets. Null
     * if there was no error.
     */
    readonly last_error: string | null
    /** Number of queued mails with a sign-in code. */
    readonly codes: number
    /** Number of queued mails with a notice. */
    readonly notices: number
    /** Number of mails sent within the last day. */
    readonly sent: number
    /** Number of mails whose delivery was given up within the last day. */
    readonly given_up: number
  }
  readonly payment_events: {
    /** Number of queued entries. */
    readonly waiting: number
    /** Highest number of attempts of a queued entry. */
    readonly attempts: number
    readonly oldest_at: string | null
    readonly next_at: string | null
    /**
     * Last error that the other server reported, without addresses, customer ids and secrets. Null
     * if there was no error.
     */
    readonly last_error: string | null
  }
  readonly webhooks: {
    /** Number of queued entries. */
    readonly waiting: number
    /** Highest number of attempts of a queued entry. */
    readonly attempts: number
    readonly oldest_at: string | null
    readonly next_at: string | null
    /** Number of webhook endpoints. */
    readonly endpoints: number
    /** Number of enabled webhook endpoints that did not accept their last message. */
    readonly failing: number
    /** Number of disabled webhook endpoints. */
    readonly disabled: number
  }
}

export interface RateLimits {
  /** Maximum number of requests per minute. All keys of the account share this limit. */
  readonly requests_per_minute: number
  /** Maximum number of concurrent reads. Further reads are queued. */
  readonly requests_at_once: number
}

export interface Reconciliation {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  /**
   * Result of the comparisons. `verified`: all rows were compared and agree. `partial`: all
   * compared rows agree, but some rows could not be compared. `mismatch`: some rows disagree.
   * `not_checked`: no rows were compared, or the rows are samples.
   */
  readonly badge: 'verified' | 'partial' | 'mismatch' | 'not_checked'
  /**
   * Reason why the badge is not `verified`. Null for the badge `verified`. no_release: no release
   * is served. synthetic_sample_data: the rows are samples, so their comparison does not count.
   * nothing_comparable: there is no data to compare with, or the data to compare with has none of
   * the rows. rows_not_compared: all compared rows agree, but some rows could not be compared.
   * comparisons_not_made: all compared rows agree, but a comparison listed in `unchecked` was not
   * possible. rows_disagree: some rows disagree, see `mismatched` of the method.
   */
  readonly badge_reason: 'no_release' | 'synthetic_sample_data' | 'nothing_comparable' | 'rows_not_compared' | 'comparisons_not_made' | 'rows_disagree' | null
  /** Serving status, as in the catalog. */
  readonly status: 'building' | 'verified' | 'reference' | 'preview' | 'degraded' | 'unavailable'
  /**
   * Name of the worst comparison in `methods`, which determines the badge. Null before the first
   * release.
   */
  readonly method: string | null
  readonly source: string | null
  readonly compared_at: string | null
  /** Number of rows that should be compared. */
  readonly rows: number
  readonly rows_compared: number
  readonly matched: number
  readonly mismatched: number
  /** `matched` divided by `rows_compared`. Null for the badge `not_checked`. */
  readonly match_ratio: number | null
  readonly release_version: string | null
  /** True if the rows are samples. Counts of samples do not describe real data. */
  readonly synthetic: boolean
  /**
   * Names of the comparisons that were not possible. If a comparison belongs to another dataset,
   * the name starts with the id of the other dataset, for example `daily_prices.source_rows`. With
   * such comparisons, the badge is at most `partial`.
   */
  readonly unchecked: readonly string[]
  /**
   * Comparisons of the rows of this dataset, followed by comparisons of datasets whose columns this
   * dataset uses. A method can occur once per dataset.
   */
  readonly methods: readonly Comparison[]
}

export interface Reconciliations {
  readonly data_count: number
  readonly data: readonly Reconciliation[]
}

export interface RefusedFile {
  /** Id of the refused file. The outcome for the file has the same id. */
  readonly id: string
  /** Dataset or feed to which the file belongs. */
  readonly for: string
  /** File name. */
  readonly file: string
  /** Size of the stored copy of the file, in bytes. */
  readonly size_bytes: number
  readonly refused_at: string | null
  /**
   * True if the quarantine has a copy of the file. False if the file is too large for the
   * quarantine and stays in its folder.
   */
  readonly has_copy: boolean
  /** Rules that the file broke. */
  readonly rules: readonly string[]
}

export interface RefusedRead {
  readonly error_code: string
  readonly error_message: string
  readonly required_plan?: PlanName
  readonly current_plan?: PlanName
  /** Price of the read in credits. */
  readonly credits_needed?: number
  /** Time at which the credits reset. RFC 3339, offset +08:00. */
  readonly resets_at?: string
}

export interface RefusedRule {
  readonly rule: string
  readonly column: string | null
  readonly count: number | null
  /** Description of the fault and of the next step. */
  readonly message: string
  readonly message_zh: string | null
  /** Examples of invalid values. */
  readonly samples: readonly unknown[]
  /**
   * Name to send in `accept` to publish the file although it breaks this rule. Null if the rule
   * cannot be accepted.
   */
  readonly accept: string | null
}

export interface ReleaseHistory {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  /** Number of entries in `data`. */
  readonly data_count: number
  readonly data: readonly KeptRelease[]
}

/** Retained releases of a dataset. */
export interface ReleaseList {
  readonly dataset: string
  readonly slug: string
  /** Release that reads use. Null if no release is served. */
  readonly served: string | null
  /** Delta table of the dataset. Null if its log is incomplete. */
  readonly table: {
    /** Newest version of the Delta table. */
    readonly version: number
    /**
     * Release of the newest version. The table receives a new release some milliseconds after the
     * release is first served.
     */
    readonly release: string
    /**
     * Hash of the checksums of all commits up to the newest version. Two tables with the same hash
     * have the same history.
     */
    readonly log_sha256: string
  } | null
  /** Number of retained releases. */
  readonly releases_count: number
  /** Number of listed releases. */
  readonly data_count: number
  /** Releases, newest first. Releases with a damaged manifest are omitted. */
  readonly data: readonly ListedRelease[]
}

export interface ReleaseOverview {
  /** Number of entries in `data`. */
  readonly data_count: number
  readonly data: readonly DatasetReleases[]
}

/** One row of Returns. */
export interface ReturnsRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 1 日報酬率. 100 × (adjusted close / adjusted close 1 row earlier − 1), rounded to four decimals.
   * Null in the first row of a security, and if one of the closes is null. Unit: percent.
   */
  readonly return_1d: number | null
  /**
   * 5 日報酬率. 100 × (adjusted close / adjusted close 5 rows earlier − 1), rounded to four decimals.
   * Null in the first 5 rows of a security, and if one of the closes is null. Unit: percent.
   */
  readonly return_5d: number | null
  /**
   * 20 日報酬率. 100 × (adjusted close / adjusted close 20 rows earlier − 1), rounded to four decimals.
   * Null in the first 20 rows of a security, and if one of the closes is null. Unit: percent.
   */
  readonly return_20d: number | null
  /**
   * 60 日報酬率. 100 × (adjusted close / adjusted close 60 rows earlier − 1), rounded to four decimals.
   * Null in the first 60 rows of a security, and if one of the closes is null. Unit: percent.
   */
  readonly return_60d: number | null
  /**
   * 250 日報酬率. 100 × (adjusted close / adjusted close 250 rows earlier − 1), rounded to four
   * decimals. Null in the first 250 rows of a security, and if one of the closes is null. Unit:
   * percent.
   */
  readonly return_250d: number | null
}

export interface RevealedKey {
  readonly key_id: string
  /**
   * Secret of the key: `sk_live_` followed by 38 characters. Send the secret in the `X-API-Key`
   * header.
   */
  readonly api_key: string
  /** Last four characters of the secret. */
  readonly last4: string
  /** Time of this call, as in the audit log. RFC 3339, offset +08:00. */
  readonly revealed_at: string
}

/** One row of Revenue highs. */
export interface RevenueHighsRow {
  /** 公司代號. Exchange code of the company. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 資料年月. Month of the revenue, for example 2026-05. */
  readonly month: string
  /** 資料月份截止日. Last day of the month. */
  readonly period_end: string
  /** 當月營收. Revenue of the month. Unit: TWD. */
  readonly revenue: number
  /**
   * 12 個月新高. True if the revenue is higher than in each of the previous 11 months. Null if one of
   * these months is missing.
   */
  readonly highest_12m: boolean | null
  /**
   * 24 個月新高. True if the revenue is higher than in each of the previous 23 months. Null if one of
   * these months is missing.
   */
  readonly highest_24m: boolean | null
  /**
   * 60 個月新高. True if the revenue is higher than in each of the previous 59 months. Null if one of
   * these months is missing.
   */
  readonly highest_60m: boolean | null
  /**
   * 歷史新高. True if the revenue is higher than in all earlier months on record. Null if fewer than 12
   * months are on record.
   */
  readonly highest_on_record: boolean | null
  /**
   * 同期新高. True if the revenue is higher than in the same month of all earlier years on record. Null
   * without an earlier year.
   */
  readonly highest_same_month: boolean | null
  /**
   * 先前最高月營收. Highest revenue of an earlier month on record. Null if there is no earlier month.
   * Unit: TWD.
   */
  readonly previous_record: number | null
  /** 紀錄月數. Number of months on record for the company, including this month. */
  readonly months_on_record: number
  /** 最遲公告日. Latest possible publication date of the revenue, from the dataset monthly-revenue. */
  readonly announced_by: string
}

/** New key with its secret, and the former key. */
export interface RotatedKey {
  readonly key: IssuedKey
  readonly former_key: Key
}

export interface SchemaColumn {
  readonly name: string
  readonly type: 'text' | 'date' | 'timestamp' | 'number' | 'integer' | 'boolean' | 'json'
  /** Apache Arrow type, used in columnar formats. */
  readonly arrow_type: string
  readonly nullable: boolean
  /** Unit of the value. Null if the value has no unit. */
  readonly unit: string | null
  /** Chinese label of the column. */
  readonly label_zh: string
  /** Meaning of the value, of its sign, and of null. */
  readonly description: string
  /** `description` in Chinese. */
  readonly description_zh: string
  /** True for columns that describe the source of the row. */
  readonly provenance: boolean
  /**
   * SQL expression that computes the column at publication. Null if the value of the column comes
   * from the source.
   */
  readonly formula: string | null
  /** True if a parameter filters by the column. */
  readonly filterable: boolean
  /** True if the parameter `range` accepts the column. Only numeric columns are accepted. */
  readonly range_filterable: boolean
  /**
   * True if the parameter `sort_by` accepts the column. The parameter `sort` accepts all columns.
   */
  readonly sortable: boolean
  /** Example value, as in responses. Null if the example row has no value. */
  readonly example: unknown
}

export interface SchemaRule {
  readonly name: string
  /** Columns that the rule checks. Empty if the rule is an SQL condition. */
  readonly columns: readonly string[]
  /** Condition that the rows must meet, in words or SQL. */
  readonly statement: string
  /** `statement` in Chinese. */
  readonly statement_zh: string
  /** Explanation of the rule. */
  readonly description: string
  /** `description` in Chinese. */
  readonly description_zh: string
  /**
   * Effect of invalid rows. `error`: the file is refused. `acceptable`: the file is refused unless
   * the operator accepts the rule. `warning`: the rows are published and counted.
   */
  readonly severity: 'error' | 'acceptable' | 'warning'
}

/** Progress of the continuous verification of served files. */
export interface ScrubState {
  /** Number of Parquet files that reads may open. */
  readonly parts: number
  /** Total size of the Parquet files that reads may open, in bytes. */
  readonly size_bytes: number
  /** Number of files still to verify in the current pass. */
  readonly parts_to_go: number
  /** Completed passes since the service started. */
  readonly laps: number
  readonly last_lap_ended_at: string | null
}

export interface SearchHit {
  readonly type: 'symbol' | 'index' | 'theme' | 'dataset' | 'field' | 'broker' | 'branch'
  /**
   * Ticker, code or name that identifies the hit within its type. The id of a field has the form
   * `dataset.column`. Ids are case-sensitive.
   */
  readonly id: string
  /** Name of the hit, or the id if no name is available. */
  readonly title: string
  /** English name of the hit. Null if no English name is available. */
  readonly title_en: string | null
  /** Chinese name of the hit. Null if no Chinese name is available. */
  readonly title_zh: string | null
  /**
   * Further description of the hit, for example type and industry. Null if there is no description.
   */
  readonly subtitle: string | null
  /** Market of the hit: `TWSE` or `TPEX`. Null for a hit without a market. */
  readonly market: string | null
  /** First day without trading of a delisted security. Null for other hits. */
  readonly delisted_on: string | null
  /**
   * Score of the match, from 0 to 1. An exact code has 1. Code prefixes, exact names, name prefixes
   * and other words have lower scores, in this order.
   */
  readonly score: number
  /** Attribute of the hit that matched the search text. */
  readonly matched_on: 'code' | 'name' | 'description'
  /** Datasets with rows of the hit. Empty if no dataset has rows. */
  readonly datasets: readonly string[]
  /**
   * Path to call next: a read with rows of the hit that your plan includes. Without such a read,
   * the path of the schema or coverage.
   */
  readonly url: string
  /**
   * Name of the field in /v2/query. Null for fields that are not available in /v2/query, and for
   * hits that are not fields.
   */
  readonly query_field: string | null
}

export interface SearchResult {
  /** Search text as sent. */
  readonly q: string
  readonly type: 'all' | 'symbol' | 'index' | 'theme' | 'dataset' | 'field' | 'broker' | 'branch'
  readonly limit: number
  readonly offset: number
  /** Number of hits of the requested type, on all pages. */
  readonly total: number
  readonly data_count: number
  /** Hits on this page, ordered by score, type and id. Pages never repeat or skip a hit. */
  readonly data: readonly SearchHit[]
  /** Number of hits of each type, including types that were not requested. */
  readonly facets: Readonly<Record<'symbol' | 'index' | 'theme' | 'dataset' | 'field' | 'broker' | 'branch', number>>
  /**
   * Warnings, as labels. The label `synthetic_sample_data` means that hits on this page have sample
   * rows.
   */
  readonly warnings: readonly string[]
  /**
   * Suggestion for another search, as a sentence in the language of `Accept-Language`. Absent
   * unless `total` is 0.
   */
  readonly hint?: string
}

/** One row of Securities firm master. */
export interface SecuritiesFirmMasterRow {
  /** 證券商代號. Exchange code of the firm’s head office. */
  readonly broker_id: string
  /** 證券商簡稱. Short name of the firm, as registered. */
  readonly broker_name: string
  /**
   * 營利事業統一編號. Business number of the firm: eight digits, including leading zeros. Null if not in
   * the register.
   */
  readonly tax_id: string | null
  /**
   * 區域代碼. Code of the region of the head office, as in the register. Null if not in the register.
   */
  readonly region_code: string | null
  /** 電話. Telephone number of the head office, as published. Null if not in the register. */
  readonly phone: string | null
  /** 傳真. Fax number of the head office, as published. Null if not in the register. */
  readonly fax: string | null
  /** 交割金融機構. Settlement bank of the firm, without account number. Null if not in the register. */
  readonly settlement_bank: string | null
  /**
   * 營業狀態. Operating status of the firm. Always null, because the register does not state a status.
   */
  readonly business_status: string | null
  /**
   * 業務種類. Lines of business, as written in the register, for example 經紀、自營、承銷. Null if not in the
   * register.
   */
  readonly business_type: string | null
  /**
   * 負責人. Name of the chairman, or of the person in charge in Taiwan. Null if blank in the register.
   */
  readonly chairman: string | null
  /** 總經理. Name of the general manager. Null if blank in the register. */
  readonly general_manager: string | null
  /** 行政部門地址. Address of the administrative office. Null if not in the register. */
  readonly admin_address: string | null
  /** 備註. Remark in the register. Null if there is none. */
  readonly note: string | null
  /** 登記資本額（仟元）. Registered capital. Null for branches of foreign firms. Unit: TWD thousand. */
  readonly registered_capital_k: number | null
  /** 實收資本額（仟元）. Paid-in capital. Null for branches of foreign firms. Unit: TWD thousand. */
  readonly paid_capital_k: number | null
  /**
   * 指撥營運金（仟元）. Working capital that a parent bank or foreign head office allocates. Null if not in
   * the register. Unit: TWD thousand.
   */
  readonly operating_capital_k: number | null
  /** 出表日期. Date printed on the register. */
  readonly report_date: string
  /** 變更日期. Date of the last change of registration. Null if not in the register. */
  readonly change_date: string | null
  /**
   * 融資融券開辦日期. First date on which the firm offered its own margin lending. Null if the firm does
   * not offer its own margin lending.
   */
  readonly margin_start_date: string | null
  /** 設立日期. Date of incorporation. Null if not in the register. */
  readonly established_date: string | null
  /** 開業日期. First day of business. Null if not in the register. */
  readonly business_start_date: string | null
  /** 市場. Exchange whose register contains the firm. */
  readonly market: string
  /** 營業項目. Licensed activities, as a list of codes and descriptions. Empty if none are listed. */
  readonly business_items: unknown
  /** 來源類別. Group of publications to which the source belongs. */
  readonly source_family: string
  /**
   * 資料來源紀錄. Details of the source: unit of the row, publication, and program that parsed the
   * publication.
   */
  readonly lineage: unknown
}

/** One row of Short sales of borrowed shares. */
export interface SecuritiesLendingRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 證券名稱. Short name of the security on the trading day, without extra spaces. */
  readonly name: string
  /**
   * 借券賣出前日餘額. Borrowed shares that were sold and not yet returned at the end of the previous
   * trading day. Unit: shares.
   */
  readonly previous_balance: number
  /** 借券賣出當日賣出. Borrowed shares sold, including block trades. Unit: shares. */
  readonly sold: number
  /** 借券賣出當日還券. Borrowed shares returned to the lender. Unit: shares. */
  readonly returned: number
  /**
   * 借券賣出當日調整. Shares transferred between trading types, and error corrections. Negative if the
   * balance decreased. Unit: shares.
   */
  readonly adjusted: number
  /**
   * 借券賣出當日餘額. Borrowed shares that were sold and not yet returned at the end of the day. Unit:
   * shares.
   */
  readonly balance: number
  /**
   * 次一營業日可借券賣出限額. Maximum number of borrowed shares that may be sold on the next trading day. Null
   * if not published. Unit: shares.
   */
  readonly next_day_limit: number | null
  /**
   * 融券前日餘額. Shares that were sold short on margin and not yet returned at the end of the previous
   * trading day. Unit: shares.
   */
  readonly margin_short_previous_balance: number
  /** 融券賣出. Shares sold short on margin. Unit: shares. */
  readonly margin_short_sold: number
  /** 融券買進. Shares bought back to close short sales on margin. Unit: shares. */
  readonly margin_short_bought: number
  /**
   * 融券現券. Shares that short sellers on margin returned from their own holdings instead of buying
   * them back. Unit: shares.
   */
  readonly margin_short_returned: number
  /**
   * 融券今日餘額. Shares that were sold short on margin and not yet returned at the end of the day. Unit:
   * shares.
   */
  readonly margin_short_balance: number
  /** 融券限額. Maximum number of shares that may be sold short on margin. Unit: shares. */
  readonly margin_short_limit: number
  /**
   * 備註. Marks, as published: X (no short sales on margin), Y (not eligible for margin), V (no
   * lending), Z (quota used up), % (quota allotted), ! (trading halted). Null if there are none.
   */
  readonly remark: string | null
}

/** One row of Securities. */
export interface SecuritiesRow {
  /** 有價證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場別. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /**
   * 有價證券名稱. Short name of the security. Unicode compatibility characters are replaced by standard
   * characters.
   */
  readonly name: string
  /**
   * 有價證券別. Security type as written in the source list, for example 股票 or ETF. Null if not in the
   * list.
   */
  readonly security_type: string | null
  /** 產業別. Official name of the industry. Null if not in the source list. */
  readonly industry: string | null
  /** 國際證券編碼. ISIN of the security. Null if not in the source list. */
  readonly isin: string | null
  /** 上市（櫃）日. First trading day of the security on its market. Null if not in the source list. */
  readonly listed_on: string | null
  /** CFI 代碼. ISO 10962 (CFI) code of the security type. Null if not in the source list. */
  readonly cfi: string | null
  /** 資料基準日. Date of the ISIN list. For a delisted security, the delisting day. */
  readonly as_of_date: string
  /** 來源名稱. Name of the list from which the row was read. */
  readonly source_name: string
  /** 終止上市（櫃）日期. First day without trading of a delisted security. Null for a listed security. */
  readonly delisted_on: string | null
  /**
   * 掛牌狀態. Status of the security: listed (in the ISIN list) or delisted (no longer on the market).
   */
  readonly status: string
}

/**
 * Serving status. `building`: the dataset has no release yet. `verified`, `reference`, `preview`:
 * the newest release is served. `degraded`: the newest release is damaged, so an older release is
 * served. `unavailable`: no release passes its integrity check, so reads return 503.
 */
export type ServingStatus = 'building' | 'verified' | 'reference' | 'preview' | 'degraded' | 'unavailable'

export interface Settings {
  /**
   * True to send one mail when 80 % of the credits of the period are used, and another mail when
   * 100 % are used.
   */
  readonly credit_mails: boolean
}

export interface SettledFile {
  readonly id: string
  /** Time of the decision. RFC 3339, offset +08:00. */
  readonly at: string
  readonly action: 'accept' | 'discard'
  readonly for: string
  readonly file: string
  /** Names of the rules that were accepted. */
  readonly rules: readonly string[]
  /** Outcome for the file. `unchanged`: all rows of the file were already served. */
  readonly outcome: 'published' | 'unchanged' | 'empty' | 'discarded'
  /** Releases that contain the rows, by slug of the dataset. */
  readonly releases: Readonly<Record<string, string>>
}

/** Profile file as defined by the Delta Sharing protocol. */
export interface ShareProfile {
  readonly shareCredentialsVersion: 1
  /** Endpoint of the shares. */
  readonly endpoint: string
  /** Secret of the key. */
  readonly bearerToken: string
  /** Expiry time of the key, in UTC. Absent if the key does not expire. */
  readonly expirationTime?: string
}

/** One row of Shareholder distribution. */
export interface ShareholderDistributionRow {
  /**
   * 證券代號. Code of the security. Letters and leading zeros are preserved. Codes that start with Y
   * are unlisted securities.
   */
  readonly ticker: string
  /** 資料日期. Last trading day of the week. Holdings are as of the end of this day. */
  readonly week_date: string
  /**
   * 持股分級. Holding level. Levels 1 to 15 are ordered from the smallest to the largest holdings.
   * Level 16 is the difference from issued shares. Level 17 is the total.
   */
  readonly level: number
  /**
   * 持股分級說明. Range of shares per holder at this level, for example 1000-5000. Level 15 has
   * over-1000000, level 16 has difference, and level 17 has total.
   */
  readonly bracket: string
  /** 持股數下限. Minimum shares per holder at this level. Null for levels 16 and 17. Unit: shares. */
  readonly shares_from: number | null
  /**
   * 持股數上限. Maximum shares per holder at this level. Null for levels 15, 16 and 17. Unit: shares.
   */
  readonly shares_to: number | null
  /**
   * 人數. Number of holders at this level. Level 17 is the total of levels 1 to 15. At level 16, the
   * value is not a number of holders.
   */
  readonly holders: number
  /**
   * 股數. Number of shares held at this level. Level 17 is the sum of levels 1 to 15 minus level 16.
   * Unit: shares.
   */
  readonly shares: number
  /**
   * 占集保庫存數比例%. Shares as a percentage of level 17, as published: truncated to two decimals, not
   * rounded. Unit: percent.
   */
  readonly percent: number
}

/** One row of Shareholders’ meetings. */
export interface ShareholderMeetingsRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 開會日期. Day of the meeting. */
  readonly meeting_date: string
  /** 股東常(臨時)會. Type of meeting: annual or extraordinary. */
  readonly meeting_type: string
  /** 公司名稱. Short name of the company. */
  readonly name: string
  /** 開會地點. Place of the meeting. Null if not published. */
  readonly location: string | null
  /** 是否改選董監. True if the meeting elects directors or supervisors. Null if not published. */
  readonly director_election: boolean | null
  /** 股務單位. Shareholder services agent of the company. Null if not published. */
  readonly agent: string | null
  /**
   * 是否採電子投票. Status of electronic voting, as published, for example 強制 (mandatory). Null if not
   * published.
   */
  readonly e_voting: string | null
}

export interface SignedIn {
  /**
   * Session token: `sst_` followed by 43 characters. Send the token in the `x-self-serve-token`
   * header.
   */
  readonly self_serve_token: string
  /**
   * Time at which the session ends. An unused session ends after 12 hours. RFC 3339, offset +08:00.
   */
  readonly expires_at: string
  readonly account: Account
  /** First key of the account, with its secret. Absent if the account already had a key. */
  readonly api_key?: IssuedKey
}

export interface SlowRead {
  /** Time of the read. RFC 3339, offset +08:00. */
  readonly at: string
  /** Request id, as in the log and in the ledger. */
  readonly request_id: string
  /** Product that was read: slug of a dataset, or another product, for example `query`. */
  readonly product: string
  /** Release that was read. Null if the read used several releases. */
  readonly release: string | null
  /** Id of the account. Null for a visitor. */
  readonly account: string | null
  /** Id of the key. Null for a visitor. */
  readonly key: string | null
  /** Rows in the response. */
  readonly rows: number
  /** Total duration of the read in milliseconds. */
  readonly ms: number
  /** Duration of each stage of the read in milliseconds, in the order of the stages. */
  readonly stages: Readonly<Record<string, number>>
}

export interface SlowReads {
  /** Number of entries in `data`. */
  readonly data_count: number
  readonly data: readonly SlowRead[]
}

export interface SqlAnswer {
  readonly api_version: 'v2'
  readonly endpoint: '/v2/sql'
  readonly request_id: string
  readonly plan_id: 'free' | 'pro' | 'max'
  /** Rows of the result, with columns in the order of the query. */
  readonly data: readonly (Readonly<Record<string, unknown>>)[]
  /** Number of rows in `data`. */
  readonly data_count: number
  readonly columns: readonly SqlColumn[]
  readonly meta: {
    /** Releases that were read, by slug of the dataset. */
    readonly releases: Readonly<Record<string, string>>
    readonly as_of: string | null
    /** Number of scanned rows from which the price is computed. */
    readonly scanned_rows: number
    /** Price of this response, in credits. */
    readonly credits: number
    /** Maximum number of rows of this response. */
    readonly limit: number
    /** Number of skipped rows. */
    readonly offset: number
    /** Value of `offset` for the next page. Null on the last page. */
    readonly next_offset: number | null
  }
  /** Known gaps of the datasets, as labels. */
  readonly known_gaps: readonly string[]
  /** Warnings to show with the data, as labels. */
  readonly warnings: readonly string[]
}

export interface SqlColumn {
  readonly name: string
  /** Type of the values, as in reads of datasets. */
  readonly type: 'text' | 'date' | 'timestamp' | 'number' | 'integer' | 'boolean' | 'json'
  /** Type of the column in DuckDB. */
  readonly sql_type: string
}

/** Expected result and price of an SQL query. */
export interface SqlDryRun {
  readonly dry_run: boolean
  readonly dataset: string
  readonly slug: string
  /**
   * Format of the response. Null if the read is refused before the format is known. In this case,
   * `release`, `rows`, `rows_are` and `estimated_bytes` are also null.
   */
  readonly format: 'json' | 'csv' | 'ndjson' | 'arrow' | 'parquet' | null
  readonly release: string | null
  readonly rows: number | null
  /**
   * Precision of `rows`. `exact`: the rows were counted. `at_most`: `rows` is an upper bound,
   * because counting would be expensive. Null if `rows` is null.
   */
  readonly rows_are: 'exact' | 'at_most' | null
  /**
   * Size of the body before compression, in bytes. The size is exact up to 2,000 rows, and
   * extrapolated for more rows. For `at_most` rows and for field queries, the size is a rough upper
   * bound. Null if unknown.
   */
  readonly estimated_bytes: number | null
  /**
   * Price of the read in credits. 0 if the read would be refused, and for visitors of the portal.
   */
  readonly credits: number
  /** Maximum number of rows per response in the plan. */
  readonly row_limit: number
  /** True if more rows match than the plan allows per response. Null if unknown. */
  readonly limited: boolean | null
  readonly would_be_refused: boolean
  /**
   * Status and body of the error response that the read would receive. Null if the read would
   * succeed.
   */
  readonly refusal: {
    readonly status: number
    readonly detail: unknown
    readonly error: RefusedRead
  } | null
  /** Rows and releases that the query would read. Absent if the query would be refused. */
  readonly scan?: {
    /** Number of rows to scan, from which the price is computed. */
    readonly scanned_rows: number
    /** Releases to read, by slug of the dataset. */
    readonly releases: Readonly<Record<string, string>>
    /** Time limit of a query in the plan, in seconds. */
    readonly time_limit_seconds: number
  }
}

export interface Subscription {
  /** Id of the subscription at the payment provider. */
  readonly subscription_id: string
  /**
   * Status as reported by the payment provider: active, trialing, past_due, unpaid, canceled and
   * others.
   */
  readonly status: string
  readonly plan_id: PlanName
  /** True if the subscription ends at the end of the paid period and is not billed again. */
  readonly cancel_at_period_end: boolean
  /**
   * End of the paid period, RFC 3339, offset +08:00. Null if the payment provider states none, or
   * if the subscription has ended.
   */
  readonly current_period_end: string | null
  /**
   * Time at which the plan ends if the bill stays unpaid, RFC 3339, offset +08:00. Null if no bill
   * is unpaid.
   */
  readonly grace_ends_at: string | null
}

export interface SubscriptionCost {
  /** Id of the subscription at the payment provider. */
  readonly subscription_id: string
  /**
   * Status as reported by the payment provider: active, trialing, past_due, unpaid, canceled and
   * others.
   */
  readonly status: string
  readonly plan_id: PlanName
  /** True if the subscription ends at the end of the paid period and is not billed again. */
  readonly cancel_at_period_end: boolean
  /**
   * Cost of the subscription within the window, pro rata. In integer minor units (99000 is TWD
   * 990.00), before tax.
   */
  readonly amount: number
}

export interface SubscriptionKey {
  /** Id of the subscription to which the key belongs. */
  readonly subscription_id: string
  readonly key_id: string
  readonly name: string
  readonly prefix: 'sk_live_'
  /** Last four characters of the secret. */
  readonly last4: string
  readonly status: 'active' | 'revoked' | 'expired'
  /** Plan of the account, which applies to all its keys. */
  readonly plan_id: PlanName
  /** Creation time of the key. RFC 3339, offset +08:00. */
  readonly created_at: string
  /** Time of the last charged read, RFC 3339, offset +08:00. Null for an unused key. */
  readonly last_used_at: string | null
  /** Expiry time of the key, RFC 3339, offset +08:00. Null if the key does not expire. */
  readonly expires_at: string | null
  /** Revocation time of the key, RFC 3339, offset +08:00. Null if the key is not revoked. */
  readonly revoked_at: string | null
  /**
   * Secret of the key: `sk_live_` followed by 38 characters. Send the secret in the `X-API-Key`
   * header.
   */
  readonly api_key: string
}

export interface SubscriptionLeft {
  /** Id of the subscription at the payment provider. */
  readonly subscription_id: string
  /**
   * Status as reported by the payment provider: active, trialing, past_due, unpaid, canceled and
   * others.
   */
  readonly status: string
  readonly plan_id: PlanName
  /** True if the subscription ends at the end of the paid period and is not billed again. */
  readonly cancel_at_period_end: boolean
  /**
   * End of the paid period, RFC 3339, offset +08:00. Null if the payment provider states none, or
   * if the subscription has ended.
   */
  readonly current_period_end: string | null
  /**
   * Time at which the plan ends if the bill stays unpaid, RFC 3339, offset +08:00. Null if no bill
   * is unpaid.
   */
  readonly grace_ends_at: string | null
  /**
   * Page of the payment provider for cancelling this subscription. Null if the provider did not
   * respond.
   */
  readonly portal_url: string | null
}

export interface Suspension {
  /** Reason, in the words of the operator. */
  readonly reason: string
  /** Start time of the suspension. RFC 3339, offset +08:00. */
  readonly suspended_at: string
}

export interface SymbolCoverage {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  /** Symbol as written in the dataset. */
  readonly symbol: string
  /** True if the dataset has rows of the symbol. Null if no release passes its integrity check. */
  readonly covered: boolean | null
  readonly first_date: string | null
  readonly last_date: string | null
  readonly row_count: number | null
  /**
   * Known gaps or warnings, as labels. The label `synthetic_sample_data` means that the rows are
   * synthetic samples, not market data.
   */
  readonly warnings: readonly string[]
}

export interface TableVersion {
  /** Number of the table version. */
  readonly version: number
  readonly release: string
  /** Time at which the version was first served. RFC 3339, offset +08:00. */
  readonly served_at: string
  /** Unchanged commit file of the Delta log, with one JSON action per line. */
  readonly commit: string
}

/** Versions of the Delta table of a dataset. */
export interface TableVersionList {
  readonly dataset: string
  readonly slug: string
  /** Number of listed versions. */
  readonly data_count: number
  /**
   * Versions, oldest first, without gaps. A page has at most about 16 MiB, and can therefore have
   * fewer versions than `limit`.
   */
  readonly data: readonly TableVersion[]
}

export interface TakenFile {
  /** Time of the import. RFC 3339, offset +08:00. */
  readonly at: string
  readonly inbox: string
  readonly file: string
  readonly outcome: 'published' | 'unchanged' | 'empty'
  /** Releases that contain the rows, by slug of the dataset. */
  readonly releases: Readonly<Record<string, string>>
}

/** One row of Technical indicators. */
export interface TechnicalIndicatorsRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 還原收盤價. Adjusted close of the day, from which the indicators are computed. Unit: TWD per share.
   */
  readonly close: number
  /**
   * 5 日均線. Mean of the closes of 5 rows. Null before row 5 of the security. Unit: TWD per share.
   */
  readonly ma_5: number | null
  /**
   * 10 日均線. Mean of the closes of 10 rows. Null before row 10 of the security. Unit: TWD per share.
   */
  readonly ma_10: number | null
  /**
   * 20 日均線. Mean of the closes of 20 rows. Null before row 20 of the security. Unit: TWD per share.
   */
  readonly ma_20: number | null
  /**
   * 60 日均線. Mean of the closes of 60 rows. Null before row 60 of the security. Unit: TWD per share.
   */
  readonly ma_60: number | null
  /**
   * 120 日均線. Mean of the closes of 120 rows. Null before row 120 of the security. Unit: TWD per
   * share.
   */
  readonly ma_120: number | null
  /**
   * 240 日均線. Mean of the closes of 240 rows. Null before row 240 of the security. Unit: TWD per
   * share.
   */
  readonly ma_240: number | null
  /**
   * 14 日 RSI. 100 × average gain / (average gain + average loss) over 14 changes of the close.
   * Averages are Wilder averages: the mean of the first 14 changes, then (13 × previous average +
   * current change) / 14. The value is 50 if no close changed. Null before row 15 of the security.
   * Unit: percent.
   */
  readonly rsi_14: number | null
  /**
   * 9 日 K 值. 2/3 × previous K + 1/3 × RSV, starting from 50. RSV is the position of the close
   * between the lowest low and the highest high of 9 rows, in percent. RSV is 50 if the lowest low
   * equals the highest high. Null before row 9 of the security. Unit: percent.
   */
  readonly k_9: number | null
  /**
   * 9 日 D 值. 2/3 × previous D + 1/3 × K, starting from 50. Null before row 9 of the security. Unit:
   * percent.
   */
  readonly d_9: number | null
  /**
   * DIF 差離值. Exponential average of 12 rows minus exponential average of 26 rows. An exponential
   * average of n rows is previous + 2 / (n + 1) × (close − previous), starting from the first
   * close. Null before row 26 of the security. Unit: TWD per share.
   */
  readonly macd: number | null
  /**
   * MACD 訊號線. Exponential average of macd over 9 rows, starting from 0. Null before row 34 of the
   * security. Unit: TWD per share.
   */
  readonly macd_signal: number | null
  /** OSC 柱狀體. macd minus macd_signal. Null before row 34 of the security. Unit: TWD per share. */
  readonly macd_histogram: number | null
  /**
   * 布林上軌. Upper Bollinger band: ma_20 plus 2 population standard deviations of 20 closes. Null
   * before row 20 of the security. Unit: TWD per share.
   */
  readonly bollinger_upper: number | null
  /**
   * 布林下軌. Lower Bollinger band: ma_20 minus 2 population standard deviations of 20 closes. Null
   * before row 20 of the security. Unit: TWD per share.
   */
  readonly bollinger_lower: number | null
  /**
   * 14 日 ATR. Average true range of 14 rows, with Wilder’s average (see rsi_14). The true range is
   * the largest of high − low, |high − previous close| and |low − previous close|. Null before row
   * 14 of the security. Unit: TWD per share.
   */
  readonly atr_14: number | null
}

/** One row of Theme taxonomy. */
export interface ThemeTaxonomyRow {
  /** 證券代號. Exchange code of the security. */
  readonly symbol: string
  /** 主題代碼. Stable id of the theme, for example industry_24. */
  readonly theme_id: string
  /** 主題名稱. Chinese name of the theme. */
  readonly theme_name: string
  /**
   * 分類體系. Type of classification: industry (industry classification of the exchange) or sector
   * (broader group of industries).
   */
  readonly taxonomy_type: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 分類層級. Level of the theme in its tree: level_1 for sectors, level_2 for industries. */
  readonly classification_level: string
  /** 來源名稱. Publication or map from which the row was read. */
  readonly source_name: string
  /** 來源網址. Public URL of the source. Null for curated entries. */
  readonly source_url: string | null
  /** 資料基準日. Date of the classification. */
  readonly as_of_date: string
  /** 來源角色. Role of the source: official or curated. */
  readonly source_role: string
  /**
   * 資料來源紀錄. Details of the classification: sources, mapping version, taxonomy version, and mapping
   * policies.
   */
  readonly lineage: unknown
  /** 更新時間. Time of the last change of the row. */
  readonly updated_at: string
}

export interface Tier {
  readonly plan_id: PlanName
  readonly name: string
  /** A plan includes all features of plans with a lower rank. */
  readonly rank: number
  readonly price: {
    /** Price per month. In integer minor units (99000 is TWD 990.00), before tax. */
    readonly amount: number
    readonly currency: 'TWD'
    readonly period: 'month'
  }
  /** Credits that the plan includes per calendar month in Taipei. */
  readonly included_credits: number
  /** Maximum number of rows per response. */
  readonly row_limit: number
  readonly rate_limits: RateLimits
  /** Formats available for reads. */
  readonly formats: readonly string[]
  /** Features of the plan, as snake_case words. */
  readonly features: readonly string[]
}

export interface TierList {
  readonly data: readonly Tier[]
  /** Number of plans in `data`. */
  readonly data_count: number
}

/** One row of Trading calendar. */
export interface TradingCalendarRow {
  /** 市場. Market: TWSE or TPEX. */
  readonly market: string
  /** 日期. Date, in Taipei time. */
  readonly date: string
  /** 是否開市. True if the market traded. */
  readonly is_open: boolean
  /**
   * 說明. Reason for a closure or an exceptional opening, in Chinese. Null on ordinary days of
   * announced years. In years that are not announced yet, the reason notes that the day was derived
   * from rules.
   */
  readonly reason: string | null
}

export interface Update {
  /** Unique id of the entry: dataset and release. */
  readonly update_id: string
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  readonly category: 'macroeconomics' | 'market_structure' | 'capital_flows' | 'companies_events' | 'financial_statements' | 'monthly_revenue'
  /**
   * Kind of publication. `new_rows`: adds newer days, and may also revise older days (see `changed`
   * and `removed`). `backfill`: adds older days. `revision`: changes or removes rows.
   * `schema_change`: the columns changed, so fetch the whole dataset again. `withdrawal`: an
   * earlier release is served again, so fetch the listed days again.
   */
  readonly kind: 'new_rows' | 'revision' | 'backfill' | 'schema_change' | 'withdrawal'
  /** First affected day. Null for a dataset without dates. Fetch such a dataset in full. */
  readonly data_date_from: string | null
  /** Last affected day. Null for a dataset without dates. */
  readonly data_date_to: string | null
  /**
   * Number of rows added. For a withdrawal, this is the sum over the withdrawn publications, which
   * may count a row more than once.
   */
  readonly rows_added: number
  readonly rows_changed: number
  readonly rows_removed: number
  /**
   * Number and days of the rows added. Null if there are no such rows. Days are null for a dataset
   * without dates.
   */
  readonly added: {
    readonly rows: number
    readonly data_date_from: string | null
    readonly data_date_to: string | null
  } | null
  /**
   * Number and days of the rows changed. Null if there are no such rows. Days are null for a
   * dataset without dates.
   */
  readonly changed: {
    readonly rows: number
    readonly data_date_from: string | null
    readonly data_date_to: string | null
  } | null
  /**
   * Number and days of the rows removed. Null if there are no such rows. Days are null for a
   * dataset without dates.
   */
  readonly removed: {
    readonly rows: number
    readonly data_date_from: string | null
    readonly data_date_to: string | null
  } | null
  /**
   * Newest day of the dataset at this publication. For the trading calendar, the day is not later
   * than the publication. `since` is compared with the later of `data_as_of` and `data_date_to`.
   */
  readonly data_as_of: string
  /** True if the rows are samples. */
  readonly synthetic: boolean
  /** Release that was served after this publication or withdrawal. */
  readonly release_version: string
  /**
   * Release that was served before this publication or withdrawal. Null for the first release. If
   * your copy has another release, you missed an update.
   */
  readonly previous_release_version: string | null
  /**
   * Withdrawn releases, oldest first. If your copy has one of these releases, apply this entry and
   * all later entries. Empty for a publication.
   */
  readonly withdrawn_release_versions: readonly string[]
  /** Time of the publication or withdrawal. */
  readonly published_at: string
}

export interface Updates {
  /**
   * Value of `since` in effect. If `since` was not sent, this is the newest day in
   * `since_by_category`. Null if nothing is published yet, or if `published_since` or `dataset` was
   * sent without `since`.
   */
  readonly since: string | null
  /**
   * First data day to return for each category: `since` if sent, otherwise the newest data day of
   * the category. Categories that are not listed have no first day.
   */
  readonly since_by_category: Partial<Readonly<Record<'macroeconomics' | 'market_structure' | 'capital_flows' | 'companies_events' | 'financial_statements' | 'monthly_revenue', string>>>
  /** Value of `published_since` in effect. Null if it was not sent. */
  readonly published_since: string | null
  readonly category: 'macroeconomics' | 'market_structure' | 'capital_flows' | 'companies_events' | 'financial_statements' | 'monthly_revenue' | null
  /** Id of the requested dataset. Null for all datasets. */
  readonly dataset: string | null
  /** Slug of the requested dataset. Null for all datasets. */
  readonly slug: string | null
  readonly limit: number
  readonly data_count: number
  /**
   * Number of matching publications that `since` excludes because their data is older. Send
   * `published_since` to include them.
   */
  readonly omitted_count: number
  /**
   * Reason why the page is empty. Null if the page has entries. category_has_no_dataset: no dataset
   * of this category is available yet, so there are no publications. nothing_published: no
   * publication matches the request. data_before_since: `since` excludes all matching publications;
   * `omitted_count` is their number. past_the_end: the cursor is after the last entry.
   */
  readonly empty_reason: 'category_has_no_dataset' | 'nothing_published' | 'data_before_since' | 'past_the_end' | null
  readonly has_more: boolean
  /** Value of `cursor` for the next page. Null on the last page. */
  readonly next_cursor: string | null
  readonly data: readonly Update[]
}

export interface UsageEntry {
  /**
   * Id of the charged request, as in the header `X-Request-Id` of the response. For a grant or
   * refund, this is the id of the entry.
   */
  readonly request_id: string
  /** Start time of the read, or time of the grant or refund. RFC 3339, offset +08:00. */
  readonly at: string
  /** Id of the dataset, as in responses. The value is `credits` for a grant. */
  readonly dataset: string
  /** Name of the dataset in paths. The value is `credits` for a grant. */
  readonly slug: string
  /** Id of the key that read. Ids of signed-in browsers start with `browser_`. Null for a grant. */
  readonly key_id: string | null
  /** Credits charged. 0 for a grant or refund. */
  readonly credits: number
  /** Rows in the response. 0 for a grant or refund. */
  readonly rows: number
  /**
   * `use`: a charged read. `grant`: credits granted by the operator. `refund`: the refunded price
   * of a read.
   */
  readonly kind: 'use' | 'grant' | 'refund'
  /** Credits granted or refunded. 0 for a read. */
  readonly credited: number
  /** Reason for the grant or refund. Null for a read. */
  readonly reason: string | null
  /** Request id of the refunded read. Null if the entry is not a refund. */
  readonly refunded_request_id: string | null
}

export interface UsageLedger {
  readonly window: UsageWindow
  /** Number of entries in this response. */
  readonly row_count: number
  /** Number of entries in this response, equal to `row_count`. */
  readonly data_count: number
  /** Value of `before` for the next page. Null on the last page. */
  readonly next_before: string | null
  /** Time of this response. RFC 3339, offset +08:00. */
  readonly as_of: string
  /** Ledger entries, newest first. */
  readonly data: readonly UsageEntry[]
}

export interface UsageLine {
  readonly kind: 'usage'
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  /** Number of successful reads. */
  readonly quantity: number
  /** Mean number of credits per read within the window. */
  readonly unit_credits: number
  /** Credits charged. */
  readonly credits: number
  /**
   * Always 0: credits are included in the plan. In integer minor units (99000 is TWD 990.00),
   * before tax.
   */
  readonly amount: number
}

export interface UsageOfDataset {
  /** Id of the dataset, as in responses. */
  readonly dataset: string
  /** Name of the dataset in paths. */
  readonly slug: string
  /** Number of successful reads. */
  readonly requests: number
  /** Credits charged for successful reads. */
  readonly credits: number
  /** Rows in the responses to successful reads. */
  readonly rows: number
  /** Number of refused or failed reads, which are not charged. */
  readonly errors: number
}

export interface UsageOfDay {
  /** Day of the reads. YYYY-MM-DD, Taipei time. */
  readonly day: string
  /** Number of successful reads. */
  readonly requests: number
  /** Credits charged for successful reads. */
  readonly credits: number
  /** Rows in the responses to successful reads. */
  readonly rows: number
  /** Number of refused or failed reads, which are not charged. */
  readonly errors: number
}

export interface UsageOfKey {
  /** Id of the key. Ids of signed-in browsers start with `browser_`. */
  readonly key_id: string
  /** Number of successful reads. */
  readonly requests: number
  /** Credits charged for successful reads. */
  readonly credits: number
  /** Rows in the responses to successful reads. */
  readonly rows: number
  /** Number of refused or failed reads, which are not charged. */
  readonly errors: number
}

export interface UsageSummary {
  readonly window: UsageWindow
  readonly plan_id: PlanName
  readonly totals: UsageTotals
  /** Usage by day, oldest day first. Days without reads are omitted. */
  readonly by_day: readonly UsageOfDay[]
  readonly by_dataset: readonly UsageOfDataset[]
  readonly by_key: readonly UsageOfKey[]
  readonly credits: WindowCredits
  /** Time of this response. RFC 3339, offset +08:00. */
  readonly as_of: string
}

export interface UsageTotals {
  /** Number of successful reads. */
  readonly requests: number
  /** Credits charged for successful reads. */
  readonly credits: number
  /** Rows in the responses to successful reads. */
  readonly rows: number
  /** Number of refused or failed reads, which are not charged. */
  readonly errors: number
  /** Credits granted by the operator within the window. 0 for a single dataset. */
  readonly granted: number
  /** Credits refunded by the operator within the window. */
  readonly refunded: number
}

export interface UsageWindow {
  /** Name of the requested window. */
  readonly name: string
  /** First day of the window, inclusive. YYYY-MM-DD, Taipei time. */
  readonly start: string
  /** Last day of the window, inclusive. YYYY-MM-DD, Taipei time. */
  readonly end: string
  readonly timezone: 'Asia/Taipei'
}

/** One row of Valuation percentiles. */
export interface ValuationPercentilesRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /**
   * 本益比. Price-to-earnings ratio as published. Null if earnings are zero or negative. Unit: ratio.
   */
  readonly pe_ratio: number | null
  /** 股價淨值比. Price-to-book ratio as published. Null if not published. Unit: ratio. */
  readonly pb_ratio: number | null
  /** 殖利率. Dividend yield as published. Null if not published. Unit: percent. */
  readonly dividend_yield: number | null
  /**
   * 本益比 1 年百分位. Percentile of the value of this day among the values of the stock in the last one
   * year: percentage of the other values that are lower, from 0 to 100. Null without a value on
   * this day, or with fewer than 60 values. Unit: percent.
   */
  readonly pe_percentile_1y: number | null
  /**
   * 本益比 5 年百分位. Percentile of the value of this day among the values of the stock in the last five
   * years: percentage of the other values that are lower, from 0 to 100. Null without a value on
   * this day, or with fewer than 60 values. Unit: percent.
   */
  readonly pe_percentile_5y: number | null
  /**
   * 股價淨值比 1 年百分位. Percentile of the value of this day among the values of the stock in the last one
   * year: percentage of the other values that are lower, from 0 to 100. Null without a value on
   * this day, or with fewer than 60 values. Unit: percent.
   */
  readonly pb_percentile_1y: number | null
  /**
   * 股價淨值比 5 年百分位. Percentile of the value of this day among the values of the stock in the last
   * five years: percentage of the other values that are lower, from 0 to 100. Null without a value
   * on this day, or with fewer than 60 values. Unit: percent.
   */
  readonly pb_percentile_5y: number | null
  /**
   * 殖利率 1 年百分位. Percentile of the value of this day among the values of the stock in the last one
   * year: percentage of the other values that are lower, from 0 to 100. Null without a value on
   * this day, or with fewer than 60 values. Unit: percent.
   */
  readonly yield_percentile_1y: number | null
  /**
   * 殖利率 5 年百分位. Percentile of the value of this day among the values of the stock in the last five
   * years: percentage of the other values that are lower, from 0 to 100. Null without a value on
   * this day, or with fewer than 60 values. Unit: percent.
   */
  readonly yield_percentile_5y: number | null
}

/** One row of Valuation ratios. */
export interface ValuationRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /** 交易日. Trading day, in Taipei time. */
  readonly trade_date: string
  /** 證券名稱. Short name of the stock on the trading day, without extra spaces. */
  readonly name: string
  /**
   * 本益比. Close divided by earnings per share of the last four quarters. Null if earnings are zero
   * or negative. Unit: ratio.
   */
  readonly pe_ratio: number | null
  /** 股價淨值比. Close divided by book value per share. Null if not published. Unit: ratio. */
  readonly pb_ratio: number | null
  /**
   * 殖利率. Dividends per share as a percentage of the close. 0 if no dividends were paid. Null if not
   * published. Unit: percent.
   */
  readonly dividend_yield: number | null
  /**
   * 每股股利. Cash and stock dividends per share of dividend_year, not adjusted for later capital
   * changes. Null for TWSE, which does not publish this figure. Unit: TWD per share.
   */
  readonly dividend_per_share: number | null
  /**
   * 股利年度. Gregorian year of the earnings from which the dividends were paid. Null if not published.
   * Unit: years.
   */
  readonly dividend_year: number | null
  /**
   * 財報年/季. Latest quarter whose earnings and book value the ratios use, for example 2022-Q3. Null
   * if not published, as in the open data and earlier daily tables of TPEx.
   */
  readonly fiscal_period: string | null
}

export interface VisitorTerms {
  /** Highest plan whose datasets visitors can read. */
  readonly plan: PlanName
  /** Maximum number of rows per response. */
  readonly row_limit: number
  /** Maximum number of requests per minute from one IP address. */
  readonly requests_per_minute: number
  /** Maximum number of rows per hour for one IP address. */
  readonly rows_per_hour: number
}

export interface WebhookAttempt {
  /** Start time of the attempt. RFC 3339, offset +08:00. */
  readonly at: string
  /** HTTP status of the response. Null if there was no response. */
  readonly status: number | null
  /**
   * Reason why there was no response. Null if there was a response. `no_public_address`: the host
   * name has no public address. `url_not_allowed`: the service no longer sends to URLs of this
   * kind, so change the URL. `connection_refused`: the connection was refused. `connection_broken`:
   * the connection was closed before a response. `certificate`: the certificate is not trusted, or
   * not valid for the host name. `timed_out`: no response within 15 seconds.
   */
  readonly error: 'no_public_address' | 'url_not_allowed' | 'connection_refused' | 'connection_broken' | 'certificate' | 'timed_out' | null
  /** Duration of the attempt in milliseconds. */
  readonly ms: number
}

export interface WebhookDeliveries {
  readonly webhook_id: string
  readonly data: readonly WebhookDelivery[]
  /** Number of messages on the page. */
  readonly data_count: number
  readonly has_more: boolean
  /** Value of `before` for the next page. Null on the last page. */
  readonly next_before: number | null
}

export interface WebhookDelivery {
  /** Id of the message, which all attempts send in the header `webhook-id`. */
  readonly message_id: string
  /** Type of the event. */
  readonly type: string
  /** Slug of the dataset. Null for events that are not about a dataset. */
  readonly slug: string | null
  /**
   * State of the message. A `failed` message was given up after ten attempts, or because the
   * endpoint was disabled.
   */
  readonly status: 'waiting' | 'delivered' | 'failed'
  /** Creation time of the message. RFC 3339, offset +08:00. */
  readonly created_at: string
  /** Time of the next attempt, RFC 3339, offset +08:00. Null if no attempt is scheduled. */
  readonly next_at: string | null
  /** Delivery attempts of the last 30 days, oldest first. */
  readonly attempts: readonly WebhookAttempt[]
}

export interface WebhookEndpoint {
  readonly webhook_id: string
  readonly url: string
  readonly description: string
  readonly events: readonly ('dataset.published' | 'dataset.revised' | 'dataset.withdrawn' | 'dataset.late' | 'credits.low' | 'key.created')[]
  /** Slugs of the datasets whose events are sent. Empty for all datasets. */
  readonly datasets: readonly string[]
  /** Symbols whose publications are sent. Empty for all symbols. */
  readonly symbols: readonly string[]
  readonly status: 'enabled' | 'disabled'
  /**
   * Reason why the endpoint is disabled. `owner`: the owner disabled the endpoint. `gone`: the
   * receiver responded with 410. `failing`: the receiver accepted no message for five days.
   * `operator`: the operator disabled the endpoint. Null if the endpoint is enabled.
   */
  readonly disabled_reason: 'owner' | 'gone' | 'failing' | 'operator' | null
  /**
   * True if the account has more enabled endpoints than the plan allows and this endpoint is one of
   * the newest. An endpoint over the limit receives no new events until the plan changes or an
   * older endpoint is disabled.
   */
  readonly over_limit: boolean
  /** Creation time of the endpoint. RFC 3339, offset +08:00. */
  readonly created_at: string
  /**
   * Time of the first failure in the current series of failures, RFC 3339, offset +08:00. An
   * accepted message, or two days without an attempt, ends the series. Null if the endpoint
   * accepted the last message.
   */
  readonly failing_since: string | null
  /**
   * Time until which messages are also signed with the former secret, RFC 3339, offset +08:00. Null
   * if there is no former secret.
   */
  readonly former_secret_until: string | null
  /**
   * End of a pause that the receiver requested with `Retry-After`, RFC 3339, offset +08:00. Null if
   * there is no pause. The pause ends early if the URL changes, the endpoint is enabled again, or a
   * message is resent.
   */
  readonly held_until: string | null
  /** Number of queued messages. */
  readonly waiting: number
}

export interface WebhookEndpoints {
  /** Endpoints, newest first. */
  readonly data: readonly WebhookEndpoint[]
  /** Number of endpoints. */
  readonly data_count: number
  /** Maximum number of enabled endpoints in the plan. */
  readonly allowed: number
}

export interface WebhookResent {
  readonly webhook_id: string
  /** Number of messages that will be sent again. */
  readonly resent: number
}

export interface WebhookResentSince {
  readonly webhook_id: string
  /** Number of messages that will be sent again. */
  readonly resent: number
  /**
   * True if the call reached its limit of 500 messages and more messages remain. Call again for the
   * next messages.
   */
  readonly has_more: boolean
}

export interface WebhookSecret {
  readonly webhook_id: string
  /**
   * Signing secret of messages: `whsec_` followed by base64. Store the secret as securely as a key.
   */
  readonly secret: string
  /** Time of this call, as in the audit log. RFC 3339, offset +08:00. */
  readonly revealed_at: string
}

export interface WebhookTest {
  readonly webhook_id: string
  /** Id of the message, as in its header `webhook-id`. */
  readonly message_id: string
}

export interface WebhookWithSecret {
  readonly webhook_id: string
  readonly url: string
  readonly description: string
  readonly events: readonly ('dataset.published' | 'dataset.revised' | 'dataset.withdrawn' | 'dataset.late' | 'credits.low' | 'key.created')[]
  /** Slugs of the datasets whose events are sent. Empty for all datasets. */
  readonly datasets: readonly string[]
  /** Symbols whose publications are sent. Empty for all symbols. */
  readonly symbols: readonly string[]
  readonly status: 'enabled' | 'disabled'
  /**
   * Reason why the endpoint is disabled. `owner`: the owner disabled the endpoint. `gone`: the
   * receiver responded with 410. `failing`: the receiver accepted no message for five days.
   * `operator`: the operator disabled the endpoint. Null if the endpoint is enabled.
   */
  readonly disabled_reason: 'owner' | 'gone' | 'failing' | 'operator' | null
  /**
   * True if the account has more enabled endpoints than the plan allows and this endpoint is one of
   * the newest. An endpoint over the limit receives no new events until the plan changes or an
   * older endpoint is disabled.
   */
  readonly over_limit: boolean
  /** Creation time of the endpoint. RFC 3339, offset +08:00. */
  readonly created_at: string
  /**
   * Time of the first failure in the current series of failures, RFC 3339, offset +08:00. An
   * accepted message, or two days without an attempt, ends the series. Null if the endpoint
   * accepted the last message.
   */
  readonly failing_since: string | null
  /**
   * Time until which messages are also signed with the former secret, RFC 3339, offset +08:00. Null
   * if there is no former secret.
   */
  readonly former_secret_until: string | null
  /**
   * End of a pause that the receiver requested with `Retry-After`, RFC 3339, offset +08:00. Null if
   * there is no pause. The pause ends early if the URL changes, the endpoint is enabled again, or a
   * message is resent.
   */
  readonly held_until: string | null
  /** Number of queued messages. */
  readonly waiting: number
  /**
   * Signing secret of messages: `whsec_` followed by base64. Store the secret as securely as a key.
   */
  readonly secret: string
}

/** One row of Weekly bars. */
export interface WeeklyBarsRow {
  /** 證券代號. Exchange code of the security. Letters and leading zeros are preserved. */
  readonly ticker: string
  /** 市場. TWSE for listed securities, TPEX for over-the-counter securities. */
  readonly market: string
  /**
   * 週最後交易日. Last trading day of the week with quotes, the same for all securities. In the current
   * week, this date changes every trading day.
   */
  readonly last_date: string
  /**
   * 開盤價. First price of the week, not adjusted. Null without trades in the regular session. Unit:
   * TWD per share.
   */
  readonly open: number | null
  /**
   * 最高價. Highest price of the week, not adjusted. Null without trades in the regular session. Unit:
   * TWD per share.
   */
  readonly high: number | null
  /**
   * 最低價. Lowest price of the week, not adjusted. Null without trades in the regular session. Unit:
   * TWD per share.
   */
  readonly low: number | null
  /**
   * 收盤價. Last close of the week, not adjusted. Null without trades in the regular session. Unit:
   * TWD per share.
   */
  readonly close: number | null
  /** 成交股數. Number of shares traded in the week. Unit: shares. */
  readonly volume: number
  /** 成交金額. Value traded in the week. Unit: TWD. */
  readonly turnover: number
  /** 成交日數. Number of days in the week with trades in the regular session. Unit: days. */
  readonly traded_days: number
}

export interface WhoLooks {
  readonly signed_in: boolean
  /** Address of the account. Null if the browser is not signed in. */
  readonly email: string | null
  /** Plan of the account. Null if the browser is not signed in. */
  readonly plan: PlanName | null
  /** Remaining credits of the period. Null if the browser is not signed in. */
  readonly credits_left: number | null
  /**
   * Time at which the full credits are available again, RFC 3339, offset +08:00. Null if the
   * browser is not signed in.
   */
  readonly credits_reset_at: string | null
  /**
   * Suspension of the account. Reads are refused with 403 `account_suspended` during a suspension.
   * Null if the account is not suspended.
   */
  readonly suspension: Suspension | null
  /**
   * Limits of the data that the portal shows without an account. Null if all data requires an
   * account.
   */
  readonly visitor: VisitorTerms | null
}

/**
 * Credits of the calendar month in which the window ends. For the default window, this is the
 * current month.
 */
export interface WindowCredits {
  /** Calendar month in Taipei in which the window ends, YYYY-MM. */
  readonly period: string
  /** Credits that the current plan includes per period. */
  readonly included: number
  /** Credits that the operator granted in addition to the credits of the plan. */
  readonly granted: number
  /** Credits of refunded reads. Refunded credits can be used again. */
  readonly refunded: number
  /**
   * Credits charged for all datasets in the whole calendar month. `totals` has only the credits
   * within the window.
   */
  readonly used: number
  /** Remaining credits of the period. 0 for a past period. */
  readonly remaining: number
  /** Start of the next period. RFC 3339, offset +08:00. */
  readonly resets_at: string
}
