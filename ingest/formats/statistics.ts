import { heading } from './cells.ts'
import { isObject } from './content.ts'
import type { Table } from './table.ts'

/** Our heading for the first column of the central bank's tables, which has no name. */
const PERIOD = '期間'

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

/**
 * Converts a table of the central bank. Undefined for other files. Headings are in `headerSet`
 * until 2020 and in `data.structure` since then.
 */
export function statisticsTable(value: unknown): Table | undefined {
  const data = member(value, 'data')
  const names = member(member(value, 'headerSet'), 'Table1') ?? member(member(data, 'structure'), 'Table1')
  if (!Array.isArray(names)) return undefined
  const rows = Array.isArray(data) ? data : member(data, 'dataSets')
  const fields = [PERIOD, ...names.map(name => heading(member(name, 'data')))]
  return { title: '', fields, data: list(rows).map(list), stated: undefined }
}
