import { type Dataset, storedColumns } from '../../../catalog/index.ts'
import { quote, type Session } from '../../../src/engine/index.ts'

declare const made: unique symbol

/**
 * SQL name of a table or view. Only functions of this file return such names, so a relation cannot
 * be used before it exists. The next publication replaces a relation with the same name.
 */
export type Relation = string & { readonly [made]: true }

/** @param name letters, digits and underscores */
export async function createTable(session: Session, name: string, select: string): Promise<Relation> {
  await session.run(`CREATE OR REPLACE TABLE ${name} AS ${select}`)
  return name as Relation
}

/** Adds all rows, or none if a row cannot be read. */
export const addRows = (session: Session, table: Relation, select: string): Promise<void> => session.run(`INSERT INTO ${table} ${select}`)

/** Frees memory early. The table must not be read afterwards. */
export const dropTable = (session: Session, table: Relation): Promise<void> => session.run(`DROP TABLE ${table}`)

/** Creates a view, which is evaluated at each read. Its sources must exist as long as the view. */
export async function createView(session: Session, name: string, select: string): Promise<Relation> {
  await session.run(`CREATE OR REPLACE VIEW ${name} AS ${select}`)
  return name as Relation
}

/**
 * Creates a table of text columns. Values are passed by column.
 *
 * @param name letters, digits and underscores
 */
export async function createTextTable(
  session: Session,
  name: string,
  columns: Readonly<Record<string, readonly (string | null)[]>>,
): Promise<Relation> {
  const declared = Object.keys(columns).map(column => `${quote(column)} VARCHAR`)
  await session.run(`CREATE OR REPLACE TABLE ${name} (${declared.join(', ')})`)
  await session.append(name, Object.values(columns))
  return name as Relation
}

export const list = (names: readonly string[], of = ''): string => names.map(name => `${of && `${of}.`}${quote(name)}`).join(', ')

/** Columns in the files of a release. */
export const columnsOf = storedColumns

/** Returns SQL that is true for equal rows. Only for columns that are never null. */
export const equal = (names: readonly string[], a: string, b: string): string =>
  names.map(name => `${a}.${quote(name)} = ${b}.${quote(name)}`).join(' AND ')

/** Returns SQL that is true for different rows. Null counts as a value. */
export const differ = (names: readonly string[], a: string, b: string): string =>
  names.map(name => `${a}.${quote(name)} IS DISTINCT FROM ${b}.${quote(name)}`).join(' OR ') || 'false'

/** Sort order of a part: the key, the date, the rest of the grain. */
export function storedOrder({ key, date, grain }: Dataset): readonly string[] {
  const first = [key, date].filter(name => name !== undefined)
  return [...first, ...grain.filter(name => !first.includes(name))]
}

/**
 * Returns the conditions that at least one row meets. Checks all conditions in one scan, because
 * most of them are never met.
 *
 * @param sqlOf function that returns the SQL of a condition; NULL counts as false
 */
export async function whereAny<T>(
  session: Session,
  from: Relation,
  conditions: readonly T[],
  sqlOf: (condition: T) => string,
): Promise<readonly T[]> {
  if (conditions.length === 0) return []
  const selected = conditions.map((condition, index) => `(${sqlOf(condition)}) AS c${index}`)
  const any = conditions.map((_, index) => `bool_or(c${index}) AS c${index}`)
  const [met] = await session.rows(`SELECT ${any.join(', ')} FROM (SELECT ${selected.join(', ')} FROM ${from})`)
  return conditions.filter((_, index) => met![`c${index}`] === true)
}
