/** Types and functions to declare a dataset. */
export { barColumns, barsFrom } from './bars.ts'
export { CADENCES, type Cadence, type Deadlines, MONTHLY_REGISTER, QUARTERLY_FILINGS } from './cadence.ts'
export {
  COLUMN_TYPES,
  type Column,
  type ColumnType,
  type JsonScalar,
  type JsonShape,
  type NestedShape,
  type Row,
  type Unit,
  type Value,
} from './column.ts'
export {
  CONTRACT_ON_DAY,
  CONTRACT_QUOTE,
  FISCAL_QUARTER,
  integersIn,
  LISTED_SECURITY,
  MARKET_ON_DAY,
  SECURITY,
  SECURITY_ON_DAY,
  SESSION,
  TRADE_DATE,
} from './common-columns.ts'
export { BROKER_LIST, CONTRACTS, EXPIRIES, MARKET, ONE_TICKER, QUARTERS, TICKER_LIST, TICKERS, TRADING_DAYS } from './common-filters.ts'
export { BOTH_EXCHANGES, EXCHANGE_WEBSITES, TAIFEX } from './common-lineage.ts'
export { CONTRACT_RULES, END_OF_A_QUARTER, KNOWN_MARKET, netOf, roundedNetOf } from './common-rules.ts'
export { type CrossSection, crossSection } from './cross-section.ts'
export {
  allColumns,
  asOfWords,
  closedOrder,
  coverageWords,
  type Dataset,
  defaultOrder,
  defineDataset,
  exampleRows,
  FAMILIES,
  isScheduled,
  isSnapshot,
  keyedByTicker,
  noReleaseVersion,
  type Order,
  POINT_IN_TIME,
  pathOf,
  pointInTimeOf,
  RELEASED_STATUSES,
  type ReleasedStatus,
  rangeColumns,
  SERVED_FAMILIES,
  storedName,
  symbolFilter,
  versionDateOf,
  versionOf,
} from './dataset.ts'
export { ENTITIES, ENTITY_TYPES, type EntityType } from './entity.ts'
export { type Envelope, type EnvelopeA, type EnvelopeB, type EnvelopeC, type EnvelopeD, type Measure, SOURCE_ROLES } from './envelope.ts'
export type { AnnouncedView, FieldView } from './field-view.ts'
export { type Field, type Fields, fieldsOf, listedFields, viewColumns } from './fields.ts'
export { type Filter, OPERATORS, type Operator } from './filter.ts'
export { JSON_MEMBER, sentShape } from './json-shape.ts'
export {
  BONUS_SHARES,
  DETAILS_ONE_BY_ONE,
  FOURTH_QUARTER,
  type KnownGaps,
  NAMES_ONLY,
  NIGHTS_OF_OPEN_DATA,
  NO_ANNOUNCEMENT_DATE,
  NO_EVENTS_BEFORE_RECORD,
  NO_QUARTER_WITHOUT_THE_ONE_BEFORE,
  SITE_OF_TAIFEX,
  SNAPSHOT_ONLY,
} from './known-gap.ts'
export { PLAN_IDS, type PlanId, type Priced } from './price.ts'
export type { Computation, GroupedRows, Lookback, Reconciliation } from './publication.ts'
export {
  type Completeness,
  type Drift,
  driftOf,
  type RowRule,
  ruleColumns,
  ruleStatement,
  ruleStatementZh,
  SEVERITIES,
  type Severity,
} from './rule.ts'
export { derivedColumns, FORMER_TIMESTAMP, isStoredAs, STORED, schemaHash, storedColumns, virtualColumns } from './schema-hash.ts'
export { FOUND_TYPES, type FoundType, type Searchable } from './search.ts'
export { isDailySeries, isNewestFirst, isOneADay } from './series.ts'
