/** DuckDB: engine, sessions, connection pool, SQL quoting, classification of storage errors. */
export {
  type BoundValue,
  type BoundValues,
  type Engine,
  openEngine,
  type ResultColumn,
  type Session,
  type Statement,
} from './engine.ts'
export {
  type EngineFault,
  engineFault,
  failureReason,
  isDiskFull,
  isEngineError,
  isMachineFault,
  isOutOfMemory,
  isStorageFault,
  type ReadFailure,
  readFailure,
  storageFault,
} from './faults.ts'
export { openPool, type Pool, type PoolOptions, type Reads } from './pool.ts'
export { fromParts, literal, quote } from './sql.ts'
export {
  type Chunk,
  type ColumnVector,
  type Dictionary,
  dictionaryOf,
  type Items,
  isValid,
  needsEscape,
  type ResultSize,
  textBytes,
} from './vectors.ts'
