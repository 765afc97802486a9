/** An identifier, quoted. For names from the catalog only. */
export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

/** A text literal, quoted. For our own paths and labels only; callers' values are bound. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A relation over exactly these part files. @param also options of the reader that are set, each of which adds a column of its name */
export const fromParts = (paths: readonly string[], ...also: readonly string[]): string =>
  `read_parquet([${paths.map(literal).join(', ')}], hive_partitioning = false${also.map(name => `, ${name} = true`).join('')})`
