import { type Dataset, storedColumns } from '../../../catalog/index.ts'
import { quote, type Session } from '../../../src/engine/index.ts'

declare const made: unique symbol

/**
 * Name of a table or view in a workspace's engine, as SQL. Only the functions here make one, so a stage that is handed a relation knows
 * that the stage that makes it has run. The next publication in the workspace replaces relations of the same name.
 */
export type Relation = string & { readonly [made]: true }

/** @param name letters, digits and underscores */
export async function createTable(session: Session, name: string, select: string): Promise<Relation> {
  await session.run(`CREATE OR REPLACE TABLE ${name} AS ${select}`)
  return name as Relation
}

/** Adds rows to a table that has their columns; all of them or, where one cannot be read, none. */
export const addRows = (session: Session, table: Relation, select: string): Promise<void> => session.run(`INSERT INTO ${table} ${select}`)

/** Gives the memory of a table back before the publication ends. Nothing may read it any more. */
export const dropTable = (session: Session, table: Relation): Promise<void> => session.run(`DROP TABLE ${table}`)

/** A view is evaluated at every read, so what it reads from must outlive it. @param name letters, digits and underscores */
export async function createView(session: Session, name: string, select: string): Promise<Relation> {
  await session.run(`CREATE OR REPLACE VIEW ${name} AS ${select}`)
  return name as Relation
}

/** A table of text columns with these rows in it, column by column. @param name letters, digits and underscores */
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

/** Column lists as SQL, made from the catalog alone. */
export const list = (names: readonly string[], of = ''): string => names.map(name => `${of && `${of}.`}${quote(name)}`).join(', ')

/** Columns that parts hold. */
export const columnsOf = storedColumns

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

/**
 * Those of the conditions that some row meets. One scan for all of them: what is hardly ever met need not be looked for one by one.
 *
 * @param sqlOf a condition on a row, as SQL; NULL is not met
 */
export async function whereAny<T>(
  session: Session,
  from: Relation,
  conditions: readonly T[],
  sqlOf: (condition: T) => string,
): Promise<readonly T[]> {
  if (conditions.length === 0) return []
  const each = conditions.map((condition, index) => `(${sqlOf(condition)}) AS c${index}`)
  const any = conditions.map((_, index) => `bool_or(c${index}) AS c${index}`)
  const [met] = await session.rows(`SELECT ${any.join(', ')} FROM (SELECT ${each.join(', ')} FROM ${from})`)
  return conditions.filter((_, index) => met![`c${index}`] === true)
}
