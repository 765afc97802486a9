/** Quotes an identifier. Only for names from the catalog. */
export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

/** Quotes a text literal. Only for our own paths and labels. Values from callers are bound. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * SQL text of a relation over these parts.
 *
 * @param options reader options to enable; each adds a column with its name
 */
export const fromParts = (paths: readonly string[], ...options: readonly string[]): string =>
  `read_parquet([${paths.map(literal).join(', ')}], hive_partitioning = false${options.map(name => `, ${name} = true`).join('')})`
