import type { Dataset } from '../../catalog/index.ts'
import { quote } from '../../src/engine/index.ts'

/** Column lists as SQL, made from the catalog alone. */
export const list = (names: readonly string[], of = ''): string => names.map(name => `${of && `${of}.`}${quote(name)}`).join(', ')

export const columnsOf = ({ columns }: Dataset): readonly string[] => Object.keys(columns)

/** `a.x = b.x AND …`; for columns that are never null. */
export const equal = (names: readonly string[], a: string, b: string): string =>
  names.map(name => `${a}.${quote(name)} = ${b}.${quote(name)}`).join(' AND ')

/** True where any of the columns differs, nulls counted as values. */
export const differ = (names: readonly string[], a: string, b: string): string =>
  names.map(name => `${a}.${quote(name)} IS DISTINCT FROM ${b}.${quote(name)}`).join(' OR ') || 'false'

/** Columns a part is sorted by: the key, then the date, then what is left of the grain. */
export function storedOrder({ key, date, grain }: Dataset): readonly string[] {
  const first = [key, date].filter(name => name !== undefined)
  return [...first, ...grain.filter(name => !first.includes(name))]
}
