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
 * The rows of one statement. They lie in memory of the engine, which JavaScript's garbage collector can neither see nor be told to free: a
 * chunk of 51 rows holds half a megabyte. Without `free`, whatever still refers to a result, a settled promise included, keeps all of it.
 * A chunk is copied out of the result when it is first asked for.
 */
export interface Result extends ResultSize {
  readonly chunks: readonly Chunk[]
  /** Lets go of the engine's memory. Columns asked for afterwards throw. */
  free(): void
}

/** SQL text and the values bound to `$1`, `$2`, …; text comes from the catalog, values from callers. */
export interface Statement {
  readonly text: string
  readonly values: readonly (string | number)[]
  /** The text is unlikely to come again, so its prepared statement is not cached: it would evict one that is used. */
  readonly once?: true
}

/** One connection. Not safe for concurrent use: the pool gives it to one read at a time. */
export interface Session {
  run(sql: string): Promise<void>
  /** Small results as plain objects; BIGINT comes as text, so cast to DOUBLE where a number is wanted. */
  rows(sql: string, values?: readonly (string | number)[]): Promise<readonly Row[]>
  /** Runs a prepared statement, cached by its text; the caller frees the result. */
  read(statement: Statement): Promise<Result>
  /** Appends rows of text, column by column, to a table whose columns are all VARCHAR. */
  append(table: string, columns: readonly (readonly (string | null)[])[]): Promise<void>
  /** Stops the running statement; its promise rejects. */
  interrupt(): void
  close(): void
}

/** One in-memory database, which reads Parquet files and keeps nothing. */
export interface Engine {
  /**
   * Opens a connection; the caller closes it.
   *
   * @param schema where it has its tables, made where there is none: connections of different ones do not see each other's by their names
   */
  connect(schema?: string): Promise<Session>
  close(): void
}

/** Set once, when the engine opens. */
export interface EngineOptions {
  readonly threads: number
  /** For example `2GB`. */
  readonly memoryLimit: string
  /** The only folder the engine may read: no network, no extensions, no change of settings. Absent for ingest, which writes. */
  readonly readableFolder?: string
  /** Folder for data that does not fit in memory. Absent for the server, whose reads are bounded. */
  readonly spillTo?: string
  /** Memory that is not used any more goes back to the machine at once, which costs time. False when absent. */
  readonly returnsMemory?: boolean
}

/** The schema that every engine has. */
const MAIN = 'main'

/** Opens an in-memory engine over Parquet files. The only file that imports DuckDB. */
export async function openEngine({ threads, memoryLimit, readableFolder, spillTo, returnsMemory = false }: EngineOptions): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads), memory_limit: memoryLimit })
  const first = await instance.connect()
  if (spillTo !== undefined) await first.run(`SET GLOBAL temp_directory = ${literal(spillTo)}`)
  for (const setting of [...(returnsMemory ? RETURNING : []), ...settings(readableFolder)]) await first.run(`SET GLOBAL ${setting}`)
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

/** The engine's allocator keeps freed memory until more is asked for, however long that takes. */
const RETURNING = [
  'allocator_background_threads = true',
  "allocator_flush_threshold = '1MB'",
  "allocator_bulk_deallocation_flush_threshold = '1MB'",
]

function settings(readableFolder: string | undefined): readonly string[] {
  const common = [
    'preserve_insertion_order = true',
    "TimeZone = 'UTC'",
    'autoinstall_known_extensions = false',
    'autoload_known_extensions = false',
    'allow_community_extensions = false',
  ]
  if (readableFolder === undefined) return common
  return [
    ...common,
    'parquet_metadata_cache = true',
    // The system keeps files in memory anyway; the engine would keep them once more, up to its whole limit.
    'enable_external_file_cache = false',
    // Parts are named by their content and never rewritten, so a file on disk cannot differ from the cached one.
    "validate_external_file_cache = 'NO_VALIDATION'",
    // With at most 50 rows wanted, late materialisation turns a point read into a self-join.
    'late_materialization_max_rows = 0',
    // The engine would otherwise make a `.tmp` folder where the process happens to run and spill into it.
    "temp_directory = ''",
    `allowed_directories = [${literal(readableFolder)}]`,
    'enable_external_access = false',
    'lock_configuration = true',
  ]
}

/** Prepared statements a connection keeps. Each names its files, so that those of former releases are not asked for again. */
const PREPARED_STATEMENTS = 256
/** Milliseconds without use after which it lets one go, at the next it prepares. */
const UNUSED_MS = 5 * 60_000

function createSession(connection: DuckDBConnection, schema: string, weighed: boolean): Session {
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
        return resultOf(await statement.run(), weighed)
      } finally {
        if (!cached && once) statement.destroySync()
      }
    },
    append: async (table, columns) => appendTexts(await connection.createAppender(table, schema), columns),
    interrupt: () => connection.interrupt(),
    close: () => connection.closeSync(),
  }
}

/** Rows the engine takes in one chunk. */
const CHUNK_ROWS = 2_048

/** Appends chunk by chunk and closes the appender. */
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

/** Binds by type: converting to the client's own values first would cost as much as the rest of the call. */
function bind(statement: DuckDBPreparedStatement, values: readonly (string | number)[]): void {
  for (const [index, value] of values.entries()) {
    if (typeof value === 'string') statement.bindVarchar(index + 1, value)
    else if ((value | 0) === value) statement.bindInteger(index + 1, value)
    else statement.bindDouble(index + 1, value)
  }
}

/** The client keeps a vector's memory private; these are the fields that each of its fixed-width vectors has. */
interface RawVector {
  readonly items?: Items
  readonly dataView?: DataView
  readonly validity: { readonly data: BigUint64Array | null }
  getItem(row: number): unknown
}

/** True for a text cell that begins with a byte-order mark, which the client's decoder drops. */
const hasByteOrderMark = (cells: DataView, at: number): boolean => (cells.getUint32(at + 4, true) & 0xffffff) === 0xbfbbef

/** Results of more bytes than these are weighed. */
const WEIGHED_BYTES = 2 ** 20

/** @param weighed the collector is told how much memory a large result takes */
function resultOf(materialized: DuckDBMaterializedResult, weighed: boolean): Result {
  const [held, rows] = [holdingOf(materialized), materialized.rowCount]
  const chunks = Array.from({ length: materialized.chunkCount }, (_, at) => chunkOf(held, at))
  const bytes = rows < FEW_ROWS ? 0 : likelyBytes(materialized, chunks, rows)
  // Node knows of memory that arrays have, not of the engine's; one that is never written to takes none of the machine's.
  if (weighed && bytes > WEIGHED_BYTES) weights.set(materialized, new ArrayBuffer(bytes))
  return {
    chunks,
    rows,
    bytes,
    free() {
      held.sources = null
      held.result = null
    },
  }
}

const weights = new WeakMap<DuckDBMaterializedResult, ArrayBuffer>()

/** What a result holds of the engine's memory. */
interface Holding {
  /** Null where one chunk is all there is of it: what is let go of at once costs the collector least. */
  result: DuckDBMaterializedResult | null
  /** Chunks that were copied out of it, by their place; null once it was freed. */
  sources: (DuckDBDataChunk | undefined)[] | null
}

const holdingOf = (result: DuckDBMaterializedResult): Holding =>
  result.chunkCount === 1 ? { result: null, sources: [result.getChunk(0)] } : { result, sources: [] }

function chunkOf(held: Holding, at: number): Chunk {
  let rows: number | undefined
  const copied = (): DuckDBDataChunk => {
    if (held.sources === null) throw new Error('A result is used after it was freed.')
    held.sources[at] ??= held.result!.getChunk(at)
    return held.sources[at]
  }
  return {
    get rows() {
      rows ??= copied().rowCount
      return rows
    },
    column: index => vectorOf(copied(), index),
    done() {
      if (held.result === null || held.sources === null) return
      // Its texts are freed now, the rest when the collector comes by.
      held.sources[at]?.reset()
      held.sources[at] = undefined
    },
  }
}

/** Of so many rows it is worth knowing what they take. */
const FEW_ROWS = 100
/** Bytes of a row's cell, of texts beside what is longer than fits there. */
const [CELL_BYTES, TEXT_CELL_BYTES, INLINE_BYTES] = [8, 16, 12]

/** What rows take, told from the first chunk, one of the middle and the last. */
function likelyBytes(result: DuckDBMaterializedResult, chunks: readonly Chunk[], rows: number): number {
  const columns = Array.from({ length: result.columnCount }, (_, index) => index)
  const texts = columns.filter(index => result.columnTypeId(index) === DuckDBTypeId.VARCHAR)
  const fixed = CELL_BYTES * (columns.length - texts.length) + TEXT_CELL_BYTES * texts.length
  let [sampled, long] = [0, 0]
  for (const at of texts.length === 0 ? [] : new Set([0, chunks.length >> 1, chunks.length - 1])) {
    const chunk = chunks[at]!
    for (const index of texts) long += longBytes(chunk.column(index), chunk.rows)
    sampled += chunk.rows
    if (at > 0) chunk.done!()
  }
  return Math.ceil(rows * (fixed + (sampled > 0 ? long / sampled : 0)))
}

/** Bytes of a column's texts that lie elsewhere than in its cells. */
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
