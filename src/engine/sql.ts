/** Quotes an identifier. For names from the catalog only. */
export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

/** Quotes a text literal. For our own paths and labels only; callers' values are bound. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * A relation over these parts.
 *
 * @param options reader options to enable, each of which adds a column of its name
 */
export const fromParts = (paths: readonly string[], ...options: readonly string[]): string =>
  `read_parquet([${paths.map(literal).join(', ')}], hive_partitioning = false${options.map(name => `, ${name} = true`).join('')})`
