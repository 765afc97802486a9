/** Quotes an identifier from the catalog. */
export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

/** Quotes our own paths and labels. Caller values must be bound. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * SQL that reads rows from parts.
 *
 * @param options reader options to enable. Each adds a column of the same name
 */
export const fromParts = (paths: readonly string[], ...options: readonly string[]): string =>
  `read_parquet([${paths.map(literal).join(', ')}], hive_partitioning = false${options.map(name => `, ${name} = true`).join('')})`
