/** A name for DuckDB. Only names from the catalog come here. */
export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

/** Text for DuckDB. Only paths and labels of our own come here; callers' values are bound. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A relation over named part files and no others. */
export const fromParts = (paths: readonly string[]): string => `read_parquet([${paths.map(literal).join(', ')}], hive_partitioning = false)`
