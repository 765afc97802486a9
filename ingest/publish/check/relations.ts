import { type Dataset, storedColumns } from '../../../catalog/index.ts'
import { quote, type Session } from '../../../src/engine/index.ts'

declare const made: unique symbol

/**
 * Name of a table or view in a workspace's engine, as SQL. Only functions of this file return such
 * names, so a stage cannot use a relation before it exists. The next publication in the workspace
 * replaces relations with the same name.
 */
export type Relation = string & { readonly [made]: true }

/** @param name letters, digits and underscores */
export async function createTable(session: Session, name: string, select: string): Promise<Relation> {
  await session.run(`CREATE OR REPLACE TABLE ${name} AS ${select}`)
  return name as Relation
}

/** Adds rows to a table with the same columns. If one row cannot be read, adds none. */
export const addRows = (session: Session, table: Relation, select: string): Promise<void> => session.run(`INSERT INTO ${table} ${select}`)

/**
 * Frees the memory of a table before the publication ends. The table must not be read afterwards.
 */
export const dropTable = (session: Session, table: Relation): Promise<void> => session.run(`DROP TABLE ${table}`)

/**
 * Creates a view. It is evaluated at each read, so its sources must exist as long as the view.
 *
 * @param name letters, digits and underscores
 */
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

/** Returns a list of columns as SQL. Names come only from the catalog. */
export const list = (names: readonly string[], of = ''): string => names.map(name => `${of && `${of}.`}${quote(name)}`).join(', ')

/** Columns that parts contain. */
export const columnsOf = storedColumns

/** Returns SQL `a.x = b.x AND …`. Only for columns that are never null. */
export const equal = (names: readonly string[], a: string, b: string): string =>
  names.map(name => `${a}.${quote(name)} = ${b}.${quote(name)}`).join(' AND ')

/** Returns an SQL condition that is true if any of the columns differs. Null counts as a value. */
export const differ = (names: readonly string[], a: string, b: string): string =>
  names.map(name => `${a}.${quote(name)} IS DISTINCT FROM ${b}.${quote(name)}`).join(' OR ') || 'false'

/**
 * Returns the sort order of a part: the key, then the date, then the other columns of the grain.
 */
export function storedOrder({ key, date, grain }: Dataset): readonly string[] {
  const first = [key, date].filter(name => name !== undefined)
  return [...first, ...grain.filter(name => !first.includes(name))]
}

/**
 * Returns the conditions that at least one row meets. Most conditions are never met, so one scan
 * checks all of them.
 *
 * @param sqlOf returns the SQL of a condition; NULL means that a row does not meet it
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
