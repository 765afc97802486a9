/** An identifier, quoted. For names from the catalog only. */
export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

/** A text literal, quoted. For our own paths and labels only; callers' values are bound. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A relation over exactly these part files. */
export const fromParts = (paths: readonly string[]): string => `read_parquet([${paths.map(literal).join(', ')}], hive_partitioning = false)`
