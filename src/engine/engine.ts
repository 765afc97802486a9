import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  DuckDBTypeId,
  VARCHAR,
} from '@duckdb/node-api'
import { LRUCache } from 'lru-cache'
import type { Row } from '../../catalog/index.ts'
import { literal, quote } from './sql.ts'
import { type Chunk, type ColumnVector, type Items, isValid, type ResultSize } from './vectors.ts'

/**
 * Rows of one statement. Call `free`, because the garbage collector does not know the size of the
 * rows. A chunk of 51 rows uses 0.5 MB outside of the JavaScript heap.
 */
export interface Result extends ResultSize {
  readonly chunks: readonly Chunk[]
  /** Frees the engine's memory. Columns cannot be read afterwards. */
  free(): void
}

/** SQL text, and values that are bound to `$1`, `$2` and so on. */
export interface Statement {
  readonly text: string
  readonly values: readonly BoundValue[]
  /** True if the prepared statement is not cached. */
  readonly once?: true
}

export type BoundValue = string | number | boolean | null

/** Values by position (`$1`, `$2`) or by name (`$name`). */
export type BoundValues = readonly BoundValue[] | Readonly<Record<string, BoundValue>>

/** `type` is a DuckDB type, for example `DECIMAL(18,3)`. */
export interface ResultColumn {
  readonly name: string
  readonly type: string
}

/** One database connection. Statements must run one at a time. */
export interface Session {
  run(sql: string): Promise<void>
  /** Use for small results only. BIGINT values are returned as text. */
  rows(sql: string, values?: readonly BoundValue[]): Promise<readonly Row[]>
  /** Caches the prepared statement. The caller must free the result. */
  read(statement: Statement): Promise<Result>
  /** The caller must free the result. */
  query(text: string, values: BoundValues): Promise<Result & { readonly columns: readonly ResultColumn[] }>
  /** Appends rows to a table of VARCHAR columns. `columns` has one list per column. */
  append(table: string, columns: readonly (readonly (string | null)[])[]): Promise<void>
  /** Stops the running statement. The promise of the statement rejects. */
  interrupt(): void
  close(): void
}

export interface Engine {
  /**
   * The caller must close the connection.
   * @param schema created if missing
   */
  connect(schema?: string): Promise<Session>
  close(): void
}

export interface EngineOptions {
  readonly threads: number
  readonly memoryLimit: string
  /** The engine can read files only in this folder. Network access and extensions are disabled. */
  readonly readableFolder?: string
  /** The engine can read only these files. Network access and extensions are disabled. */
  readonly readableFiles?: readonly string[]
  /** Folder for temporary data. Absent for the server. */
  readonly spillTo?: string
  /** True to return freed memory to the operating system immediately. Default: false. */
  readonly returnsMemory?: boolean
}

const MAIN = 'main'

/** Opens an in-memory engine for Parquet files. No other file imports DuckDB. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { threads, memoryLimit, spillTo, returnsMemory = false } = options
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads), memory_limit: memoryLimit })
  const first = await instance.connect()
  if (spillTo !== undefined) await first.run(`SET GLOBAL temp_directory = ${literal(spillTo)}`)
  for (const setting of [...(returnsMemory ? RETURNING : []), ...settings(options)]) await first.run(`SET GLOBAL ${setting}`)
  first.closeSync()
  return {
    async connect(schema = MAIN) {
      const connection = await instance.connect()
      if (schema !== MAIN) {
        await connection.run(`CREATE SCHEMA IF NOT EXISTS ${quote(schema)}`)
        await connection.run(`SET schema = ${literal(schema)}`)
      }
      return createSession(connection, schema, returnsMemory)
    },
    close: () => instance.closeSync(),
  }
}

/** Without a background thread, freed memory is returned only at the next allocation. */
const RETURNING = [
  'allocator_background_threads = true',
  "allocator_flush_threshold = '1MB'",
  "allocator_bulk_deallocation_flush_threshold = '1MB'",
]

function settings({ readableFolder, readableFiles }: EngineOptions): readonly string[] {
  const common = [
    'preserve_insertion_order = true',
    "TimeZone = 'UTC'",
    'autoinstall_known_extensions = false',
    'autoload_known_extensions = false',
    'allow_community_extensions = false',
  ]
  if (readableFolder === undefined && readableFiles === undefined) return common
  return [
    ...common,
    'parquet_metadata_cache = true',
    // Disables a second cache of files, which would use memory up to the engine's limit.
    'enable_external_file_cache = false',
    // Parquet files never change, so cached metadata is always valid.
    "validate_external_file_cache = 'NO_VALIDATION'",
    // Disables a self-join, which the engine would use for reads of one key with a LIMIT up to 50.
    'late_materialization_max_rows = 0',
    // Prevents a `.tmp` folder in the working directory.
    "temp_directory = ''",
    readableFiles === undefined
      ? `allowed_directories = [${literal(readableFolder!)}]`
      : `allowed_paths = [${readableFiles.map(literal).join(', ')}]`,
    'enable_external_access = false',
    'lock_configuration = true',
  ]
}

/** Statements contain file paths, so a publication makes some statements useless. */
const PREPARED_STATEMENTS = 256
/** Unused statements are removed when another statement is prepared. */
const UNUSED_MS = 5 * 60_000

function createSession(connection: DuckDBConnection, schema: string, reportsMemory: boolean): Session {
  const prepared = new LRUCache<string, DuckDBPreparedStatement>({
    max: PREPARED_STATEMENTS,
    ttl: UNUSED_MS,
    updateAgeOnGet: true,
    dispose: statement => statement.destroySync(),
  })
  return {
    run: async sql => void (await connection.run(sql)),
    rows: async (sql, values = []) => (await connection.runAndReadAll(sql, [...values])).getRowObjectsJson() as readonly Row[],
    async read({ text, values, once }) {
      const cached = prepared.get(text)
      if (!cached) prepared.purgeStale()
      const statement = cached ?? (await connection.prepare(text))
      if (!cached && !once) prepared.set(text, statement)
      try {
        bind(statement, values)
        return resultOf(await statement.run(), reportsMemory)
      } finally {
        if (!cached && once) statement.destroySync()
      }
    },
    async query(text, values) {
      const statement = await connection.prepare(text)
      try {
        bindAll(statement, values)
        const result = await statement.run()
        const types = result.columnTypes()
        const columns = result.columnNames().map((name, index) => ({ name, type: types[index]!.toString() }))
        return { ...resultOf(result, reportsMemory), columns }
      } finally {
        statement.destroySync()
      }
    },
    append: async (table, columns) => appendTexts(await connection.createAppender(table, schema), columns),
    interrupt: () => connection.interrupt(),
    close: () => connection.closeSync(),
  }
}

const CHUNK_ROWS = 2_048

function appendTexts(appender: DuckDBAppender, columns: readonly (readonly (string | null)[])[]): void {
  for (let from = 0; from < (columns[0]?.length ?? 0); from += CHUNK_ROWS) {
    const slice = columns.map(column => column.slice(from, from + CHUNK_ROWS))
    const block = DuckDBDataChunk.create(
      Array.from(columns, () => VARCHAR),
      slice[0]!.length,
    )
    block.setColumns(slice)
    appender.appendDataChunk(block)
  }
  appender.closeSync()
}

function bind(statement: DuckDBPreparedStatement, values: readonly BoundValue[]): void {
  for (const [index, value] of values.entries()) bindValue(statement, index + 1, value)
}

/** @throws Error if names or positions do not match the parameters */
function bindAll(statement: DuckDBPreparedStatement, values: BoundValues): void {
  for (let index = 1; index <= statement.parameterCount; index++) {
    const name = statement.parameterName(index)
    bindValue(statement, index, (values as Readonly<Record<string, BoundValue>>)[Array.isArray(values) ? Number(name) - 1 : name]!)
  }
}

function bindValue(statement: DuckDBPreparedStatement, position: number, value: BoundValue): void {
  if (typeof value === 'string') statement.bindVarchar(position, value)
  else if (value === null) statement.bindNull(position)
  else if (typeof value === 'boolean') statement.bindBoolean(position, value)
  else if ((value | 0) === value) statement.bindInteger(position, value)
  else if (Number.isSafeInteger(value)) statement.bindBigInt(position, BigInt(value))
  else statement.bindDouble(position, value)
}

/** Fields that the type declarations of the DuckDB client lack. */
interface RawVector {
  readonly items?: Items
  readonly dataView?: DataView
  readonly validity: { readonly data: BigUint64Array | null }
  getItem(row: number): unknown
}

/** The DuckDB client's decoder would remove a byte order mark. */
const hasByteOrderMark = (cells: DataView, offset: number): boolean => (cells.getUint32(offset + 4, true) & 0xffffff) === 0xbfbbef

/** Smaller results are not reported to the garbage collector. */
const REPORTED_BYTES = 2 ** 20

function resultOf(materialized: DuckDBMaterializedResult, reportsMemory: boolean): Result {
  const memory = memoryOf(materialized)
  const rows = materialized.rowCount
  const chunks = Array.from({ length: materialized.chunkCount }, (_, index) => new ResultChunk(memory, index))
  const bytes = rows < FEW_ROWS ? 0 : estimatedBytes(materialized, chunks, rows)
  // Node counts the memory of ArrayBuffers only. An unused ArrayBuffer needs no physical memory.
  if (reportsMemory && bytes > REPORTED_BYTES) placeholders.set(materialized, new ArrayBuffer(bytes))
  return {
    chunks,
    rows,
    bytes,
    free() {
      memory.sources = null
      memory.result = null
    },
  }
}

const placeholders = new WeakMap<DuckDBMaterializedResult, ArrayBuffer>()

interface ResultMemory {
  /** Null for a single chunk, which can be freed immediately. */
  result: DuckDBMaterializedResult | null
  /** Copied chunks. Null after the result is freed. */
  sources: (DuckDBDataChunk | undefined)[] | null
}

const memoryOf = (result: DuckDBMaterializedResult): ResultMemory =>
  result.chunkCount === 1 ? { result: null, sources: [result.getChunk(0)] } : { result, sources: [] }

/** A class, because V8 creates a hidden class for each object literal with a getter. */
class ResultChunk implements Chunk {
  readonly #memory: ResultMemory
  readonly #index: number
  #rows: number | undefined

  constructor(memory: ResultMemory, index: number) {
    this.#memory = memory
    this.#index = index
  }

  get rows(): number {
    this.#rows ??= this.#copied().rowCount
    return this.#rows
  }

  column(index: number): ColumnVector {
    return vectorOf(this.#copied(), index)
  }

  free(): void {
    const { result, sources } = this.#memory
    if (result === null || sources === null) return
    // Frees texts immediately. The garbage collector frees the rest later.
    sources[this.#index]?.reset()
    sources[this.#index] = undefined
  }

  #copied(): DuckDBDataChunk {
    const { result, sources } = this.#memory
    if (sources === null) throw new Error('A result is used after it was freed.')
    sources[this.#index] ??= result!.getChunk(this.#index)
    return sources[this.#index]!
  }
}

const FEW_ROWS = 100
const CELL_BYTES = 8
const TEXT_CELL_BYTES = 16
/** DuckDB stores texts of up to 12 bytes in the cell itself. */
const INLINE_BYTES = 12

/** Estimates the size from texts of three chunks. */
function estimatedBytes(result: DuckDBMaterializedResult, chunks: readonly Chunk[], rows: number): number {
  const columns = Array.from({ length: result.columnCount }, (_, index) => index)
  const texts = columns.filter(index => result.columnTypeId(index) === DuckDBTypeId.VARCHAR)
  const fixed = CELL_BYTES * (columns.length - texts.length) + TEXT_CELL_BYTES * texts.length
  let sampled = 0
  let long = 0
  for (const chunkIndex of texts.length === 0 ? [] : new Set([0, chunks.length >> 1, chunks.length - 1])) {
    const chunk = chunks[chunkIndex]!
    for (const index of texts) long += longBytes(chunk.column(index), chunk.rows)
    sampled += chunk.rows
    if (chunkIndex > 0) chunk.free!()
  }
  return Math.ceil(rows * (fixed + (sampled > 0 ? long / sampled : 0)))
}

function longBytes(vector: ColumnVector, rows: number): number {
  const { buffer, byteOffset, byteLength } = vector.items
  const cells = new DataView(buffer, byteOffset, byteLength)
  let bytes = 0
  for (let row = 0; row < rows; row++) {
    const length = cells.getUint32(TEXT_CELL_BYTES * row, true)
    if (length > INLINE_BYTES && isValid(vector, row)) bytes += length
  }
  return bytes
}

function vectorOf(source: DuckDBDataChunk, index: number): ColumnVector {
  const vector = source.getColumnVector(index) as unknown as RawVector
  const { data } = vector.validity
  const view = vector.dataView
  return {
    items: vector.items ?? new Uint8Array(view!.buffer, view!.byteOffset, view!.byteLength),
    from: 0,
    valid: data && new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    dictionary: null,
    text: row => `${hasByteOrderMark(view!, 16 * row) ? '\ufeff' : ''}${vector.getItem(row)}`,
  }
}
