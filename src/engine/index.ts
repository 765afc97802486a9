/** DuckDB and nothing else: sessions, the connection pool, SQL quoting, result chunks. */
export { type Chunk, type ColumnVector, isValid } from './chunk.ts'
export { type Engine, openEngine, type Session, type Statement } from './duck.ts'
export { openPool, type Pool } from './pool.ts'
export { fromParts, literal, quote } from './sql.ts'
