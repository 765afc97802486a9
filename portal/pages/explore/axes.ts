import type { SchemaColumn } from '../../../clients/typescript/src/index.ts'

type Column = Pick<SchemaColumn, 'name' | 'type' | 'unit'>

const isNumber = ({ type }: Column): boolean => type === 'number' || type === 'integer'

/** Columns that a chart can show on each axis. */
export const axesOf = <C extends Column>(columns: readonly C[]) => ({
  x: columns.filter(({ type }) => type !== 'json' && type !== 'boolean'),
  y: columns.filter(isNumber),
})

/**
 * The first chart of a dataset: its first number with a unit, by date. If all rows are of one day,
 * by the first text column. Null without numbers.
 */
export function firstAxes(columns: readonly Column[], isDay: boolean): { readonly x: string; readonly y: string } | null {
  const y = columns.find(column => isNumber(column) && column.unit !== null) ?? columns.find(isNumber)
  const date = columns.find(({ type }) => type === 'date')
  const text = columns.find(({ type }) => type === 'text')
  const x = isDay ? (text ?? date) : (date ?? text)
  return x && y ? { x: x.name, y: y.name } : null
}
