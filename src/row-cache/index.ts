/**
 * Recent rows of keys in memory, as typed columns, so that frequent reads do not use the engine.
 */
export { type Run, type StoredColumn, type StoredColumns, textAt, vectorOf } from './block.ts'
export { type Columns, type ColumnsState, openColumns } from './columns.ts'
export { PAGE_ROWS, type RowText, type RowTexts } from './row-texts.ts'
