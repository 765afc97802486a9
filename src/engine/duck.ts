import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  VARCHAR,
} from '@duckdb/node-api'
import type { Row } from '../../catalog/index.ts'
import type { Chunk, ColumnVector } from './chunk.ts'

/** SQL text and the values bound to `$1`, `$2`, …; text comes from the catalog, values from callers. */
export interface Statement {
  readonly text: string
  readonly values: readonly (string | number)[]
  /** The text will hardly come again, so its statement is not kept: it would push out one that does. */
  readonly once?: true
}

/** One connection. Not for concurrent use: the pool hands it to one read at a time. */
export interface Session {
  run(sql: string): Promise<void>
  /** Small results as plain objects; BIGINT comes as text, so cast to DOUBLE where a number is wanted. */
  rows(sql: string, values?: readonly (string | number)[]): Promise<readonly Row[]>
  /** Runs a prepared statement, kept for its text, and hands over the result's vectors. */
  read(statement: Statement): Promise<readonly Chunk[]>
  /** Appends rows of text, column by column, to a table whose columns are all VARCHAR. */
  append(table: string, columns: readonly (readonly (string | null)[])[]): Promise<void>
  /** Stops what runs; its promise rejects. */
  interrupt(): void
  close(): void
}

export interface Engine {
  connect(): Promise<Session>
  close(): void
}

export interface EngineOptions {
  readonly threads: number
  /** For example `2GB`. */
  readonly memoryLimit: string
  /** Folder the engine may read, and nothing else: no network, no extension, no change of settings. Absent for ingest, which writes. */
  readonly sealedTo?: string
  /** Folder for what does not fit in memory. Absent for the server, whose reads are bounded. */
  readonly spillTo?: string
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** An in-memory engine over Parquet files. The only file that imports DuckDB. */
export async function openEngine({ threads, memoryLimit, sealedTo, spillTo }: EngineOptions): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads), memory_limit: memoryLimit })
  const first = await instance.connect()
  if (spillTo !== undefined) await first.run(`SET GLOBAL temp_directory = ${literal(spillTo)}`)
  for (const setting of settings(sealedTo)) await first.run(`SET GLOBAL ${setting}`)
  first.closeSync()
  return {
    connect: async () => createSession(await instance.connect()),
    close: () => instance.closeSync(),
  }
}

function settings(sealedTo: string | undefined): readonly string[] {
  const common = [
    'preserve_insertion_order = true',
    "TimeZone = 'UTC'",
    'autoinstall_known_extensions = false',
    'autoload_known_extensions = false',
    'allow_community_extensions = false',
  ]
  if (sealedTo === undefined) return common
  return [
    ...common,
    'parquet_metadata_cache = true',
    // Parts are named by their content and never rewritten, so a file on disk cannot differ from the cached one.
    "validate_external_file_cache = 'NO_VALIDATION'",
    // With at most 50 rows wanted, late materialisation turns a point read into a self-join.
    'late_materialization_max_rows = 0',
    // The engine would otherwise make a `.tmp` folder where the process happens to run and spill into it.
    "temp_directory = ''",
    `allowed_directories = [${literal(sealedTo)}]`,
    'enable_external_access = false',
    'lock_configuration = true',
  ]
}

function createSession(connection: DuckDBConnection): Session {
  const prepared = new Map<string, DuckDBPreparedStatement>()
  return {
    run: async sql => void (await connection.run(sql)),
    rows: async (sql, values = []) => (await connection.runAndReadAll(sql, [...values])).getRowObjectsJson() as readonly Row[],
    async read({ text, values, once }) {
      const statement = prepared.get(text) ?? (await connection.prepare(text))
      if (!once) keep(prepared, text, statement)
      try {
        bind(statement, values)
        const result = await statement.run()
        return Array.from({ length: result.chunkCount }, (_, index) => chunk(result.getChunk(index)))
      } finally {
        if (once && !prepared.has(text)) statement.destroySync()
      }
    },
    append: async (table, columns) => appendTexts(await connection.createAppender(table), columns),
    interrupt: () => connection.interrupt(),
    close: () => connection.closeSync(),
  }
}

const MOST_PREPARED = 256

/** Keeps a statement as the last one used, and lets go of the one unused for longest where there are too many. */
function keep(prepared: Map<string, DuckDBPreparedStatement>, text: string, statement: DuckDBPreparedStatement): void {
  prepared.delete(text)
  prepared.set(text, statement)
  if (prepared.size <= MOST_PREPARED) return
  const [oldest, unused] = prepared.entries().next().value!
  prepared.delete(oldest)
  unused.destroySync()
}

/** Rows the engine takes in one block. */
const BLOCK_ROWS = 2_048

/** Appends block by block, and closes the appender. */
function appendTexts(appender: DuckDBAppender, columns: readonly (readonly (string | null)[])[]): void {
  for (let from = 0; from < (columns[0]?.length ?? 0); from += BLOCK_ROWS) {
    const slice = columns.map(column => column.slice(from, from + BLOCK_ROWS))
    const block = DuckDBDataChunk.create(
      Array.from(columns, () => VARCHAR),
      slice[0]!.length,
    )
    block.setColumns(slice)
    appender.appendDataChunk(block)
  }
  appender.closeSync()
}

/** Bound by type: made into the client's own values first, they would cost as much as the rest of the call. */
function bind(statement: DuckDBPreparedStatement, values: readonly (string | number)[]): void {
  for (const [index, value] of values.entries()) {
    if (typeof value === 'string') statement.bindVarchar(index + 1, value)
    else if ((value | 0) === value) statement.bindInteger(index + 1, value)
    else statement.bindDouble(index + 1, value)
  }
}

/** The client keeps a vector's memory private; these are the fields every fixed-width vector of it has. */
interface RawVector {
  readonly items?: ColumnVector['items']
  readonly dataView?: DataView
  readonly validity: { readonly data: BigUint64Array | null }
  getItem(row: number): unknown
}

/** True for a text cell that begins with a byte-order mark, which the client's decoder drops. */
const hasMark = (cells: DataView, at: number): boolean => (cells.getUint32(at + 4, true) & 0xffffff) === 0xbfbbef

function chunk(source: DuckDBDataChunk): Chunk {
  return {
    rows: source.rowCount,
    column(index) {
      const vector = source.getColumnVector(index) as unknown as RawVector
      const { data } = vector.validity
      const view = vector.dataView
      return {
        items: vector.items ?? new Uint8Array(view!.buffer, view!.byteOffset, view!.byteLength),
        valid: data && new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
        text: row => `${hasMark(view!, 16 * row) ? '\ufeff' : ''}${vector.getItem(row)}`,
      }
    },
  }
}
