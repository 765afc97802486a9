/** Converts bytes of exchange files to tables and cells. */

export { heading, tickerCell, tidyOrNull, tidyText } from './cells.ts'
export { isObject } from './content.ts'
export { exchangeTable } from './csv.ts'
export { type DayRange, dayOf, dayOrNull } from './days.ts'
export { type Body, bodyRefused, type Called, calledIn, type Feed, type Parsed, type StatedTotals } from './feed.ts'
export type { Fetch, FetchPeriod, FetchRequest } from './fetch.ts'
export { notThePublication, parseBy } from './forms.ts'
export { type HtmlRows, htmlTables, plainText, requireCells } from './html.ts'
export { identify, identifyRange, requireWithin, type Wanted, wantedTables } from './identity.ts'
export { decimalCell, figureOf, integerCell, presentInteger } from './number.ts'
export { csvRecords, jsonRecords, type Records, requireColumns, textCell } from './records.ts'
export { type Table, tablesOf, wholeRows } from './table.ts'
