import { basename, dirname } from 'node:path'
import { literal, quote, type Session } from '../../src/engine/index.ts'
import { columnsGiven } from '../publish/index.ts'

/** Hive's text for a partition without a value. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__'

/**
 * Returns a SELECT statement for a file's rows, with columns from Hive folder names such as
 * `market=TWSE`. Columns of the file have priority.
 */
export async function withFolderColumns(session: Session, path: string, rows: string): Promise<string> {
  const folders = folderColumns(path)
  if (folders.length === 0) return rows
  const given = await columnsGiven(session, `(${rows})`)
  const added = folders.filter(([name]) => !given.has(name))
  const cells = added.map(([name, value]) => `${value === null ? 'NULL::VARCHAR' : literal(value)} AS ${quote(name)}`)
  return `SELECT ${['*', ...cells].join(', ')} FROM (${rows})`
}

/**
 * Returns the columns in the names of the folders above a file, outermost first.
 *
 * @example folderColumns('in/market=TWSE/date=2026-01-02/a.csv') // [['market', 'TWSE'], ['date',
 * '2026-01-02']]
 */
export function folderColumns(path: string): readonly (readonly [name: string, value: string | null])[] {
  const found: (readonly [string, string | null])[] = []
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(basename(folder)) ?? []
    if (name === undefined || value === undefined) return found.reverse()
    found.push([unescaped(name), value === NO_VALUE ? null : unescaped(value)])
  }
}

/** Decodes Hive's escapes in paths, such as `%2F`. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign without two hexadecimal digits is not an escape.
    return text
  }
}
