export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

/** Quotes our own paths and labels. Values of callers must be bound. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * SQL that reads rows from Parquet files.
 *
 * @param options reader options. Each option adds a column
 */
export const fromParts = (paths: readonly string[], ...options: readonly string[]): string =>
  `read_parquet([${paths.map(literal).join(', ')}], hive_partitioning = false${options.map(name => `, ${name} = true`).join('')})`
