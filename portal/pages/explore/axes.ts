import type { SchemaColumn } from '../../../clients/typescript/src/index.ts'

type Column = Pick<SchemaColumn, 'name' | 'type' | 'unit'>

const isNumber = ({ type }: Column): boolean => type === 'number' || type === 'integer'

export const axesOf = <C extends Column>(columns: readonly C[]) => ({
  x: columns.filter(({ type }) => type !== 'json' && type !== 'boolean'),
  y: columns.filter(isNumber),
})

/**
 * Returns the axes of the first chart. The vertical axis is the close, or the first number with a
 * unit. The horizontal axis is the date, or the first text column if all rows are of one day. Null
 * if the dataset has no numbers.
 */
export function firstAxes(columns: readonly Column[], isDay: boolean): { readonly x: string; readonly y: string } | null {
  const numbers = columns.filter(isNumber)
  const y = numbers.find(({ name }) => name === 'close') ?? numbers.find(({ unit }) => unit !== null) ?? numbers[0]
  const date = columns.find(({ type }) => type === 'date')
  const text = columns.find(({ type }) => type === 'text')
  const x = isDay ? (text ?? date) : (date ?? text)
  return x && y ? { x: x.name, y: y.name } : null
}
