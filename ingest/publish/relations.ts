import { type Dataset, storedColumns } from '../../catalog/index.ts'
import { quote, type Session } from '../../src/engine/index.ts'

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
