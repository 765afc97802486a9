/** Quotes an identifier. Use it only for names from the catalog. */
export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

/** Quotes a text. Use it only for our own paths and labels. Values from callers must be bound. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * Returns SQL text that reads rows from parts.
 *
 * @param options reader options to enable. Each option adds a column with the option's name.
 */
export const fromParts = (paths: readonly string[], ...options: readonly string[]): string =>
  `read_parquet([${paths.map(literal).join(', ')}], hive_partitioning = false${options.map(name => `, ${name} = true`).join('')})`
