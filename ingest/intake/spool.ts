import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type ColumnType, type Dataset, type Row, schemaHash } from '../../catalog/index.ts'
import { checksummedLine, readChecksummedLines } from '../../src/core/index.ts'
import type { Session } from '../../src/engine/index.ts'
import { readCurrent, sha256OfText } from '../../src/releases/index.ts'
import type { Feed } from '../formats/index.ts'
import { type Relation, spooledRows, stagedColumns, type Workspace, withLock } from '../publish/index.ts'
import { readingCode } from './reading-code.ts'

/** Stages rows on disk, so that only the rows of one file are in memory. */
export interface Spool<Entry> {
  /** Returns the result of an interrupted run. Undefined if the file must be read. */
  recall(path: string): Entry | undefined
  /** @param source number of the rows' source in the publication */
  write(dataset: Dataset, source: number, rows: readonly Row[]): void
  /** Marks a file as read, for a later run. */
  remember(path: string, entry: Entry): void
  /** Returns all rows of a dataset as text, with `_source`. No rows can be written afterwards. */
  relation(dataset: Dataset, session: Session): Promise<Relation>
}

/** Minimum number of files for a resumable run. */
const WORTH_KEEPING = 50
/** Number of files between two syncs. A resumed run reads at most this many files again. */
const BETWEEN_SYNCS = 50
/** Days after which rows of abandoned runs are deleted. */
const KEPT_DAYS = 7
const A_DAY_MS = 86_400_000

const FORM = 2

export interface RequestedFiles {
  readonly paths: readonly string[]
  dayOf(path: string): string | undefined
}

/**
 * Runs `work` with a spool. For many files, the spool is in the folder `staging` of the data
 * folder. After an interruption, a run with the same feed and files continues. For few files, the
 * spool is temporary. The spool is deleted on success.
 *
 * @throws Refusal conflict if another process uses the same spool
 */
export async function withSpool<Entry, T>(
  workspace: Workspace,
  feed: Feed,
  files: RequestedFiles,
  work: (spool: Spool<Entry>) => Promise<T>,
): Promise<T> {
  if (files.paths.length < WORTH_KEEPING) return useSpool(join(workspace.scratch, `spool-${feed.name}`), { ...files, paths: [] }, work)
  const schemas = feed.datasets.map(slug => schemaHash(workspace.catalog.get(slug)!))
  // The spool's name depends on everything that may change the rows, such as calendar, reading
  // code, columns and folder.
  const judgedBy = await readCurrent(workspace.releases, 'trading-calendar')
  const key = sha256OfText(JSON.stringify([FORM, readingCode(), schemas, judgedBy, dirname(files.paths[0]!)])).slice(0, 12)
  const home = join(workspace.staging, `${feed.name}-${key}`)
  mkdirSync(workspace.staging, { recursive: true })
  sweep(workspace.staging, workspace.clock())
  return withLock(home, async () => {
    const result = await useSpool(home, files, work)
    rmSync(home, { recursive: true, force: true })
    return result
  })
}

function sweep(staging: string, now: Date): void {
  for (const name of readdirSync(staging)) {
    const home = join(staging, name)
    if (now.getTime() - statSync(home).mtimeMs > KEPT_DAYS * A_DAY_MS) rmSync(home, { recursive: true, force: true })
  }
}

/** One line per file, written after the file's rows. */
interface Line<Entry> {
  readonly path: string
  /** Size, modification time and requested day, to detect changes. */
  readonly version: string
  readonly entry: Entry
  /** Where each dataset's rows end after this file: total bytes, longest row in bytes, sha256. */
  readonly ends: Readonly<Record<string, End>>
}

type End = readonly [end: number, longest: number, sha256: string]

interface Rows {
  readonly file: string
  readonly handle: number
  readonly columns: readonly string[]
  end: number
  longest: number
  readonly hash: Hash
}

async function useSpool<Entry, T>(home: string, files: RequestedFiles, work: (spool: Spool<Entry>) => Promise<T>): Promise<T> {
  mkdirSync(home, { recursive: true })
  const journal = join(home, 'files.ndjson')
  const { lines: former, hashes } = readJournal<Entry>(journal, home, files)
  if (former.length === 0) for (const name of readdirSync(home).filter(isOurs)) rmSync(join(home, name))
  const known = new Map(former.map(line => [line.path, line]))
  const rows = new Map<string, Rows>()
  for (const [slug, end] of Object.entries(former.at(-1)?.ends ?? {}))
    rows.set(slug, reopen(join(home, `${slug}.csv`), end, hashes.get(slug)!))
  const log = openSync(journal, 'w')
  const pending: Line<Entry>[] = [...former]
  const sync = (): void => {
    for (const { handle } of rows.values()) fdatasyncSync(handle)
    writeAll(log, pending.map(checksummedLine).join(''))
    fdatasyncSync(log)
    pending.length = 0
  }
  if (former.length > 0) sync()
  try {
    return await work({
      recall: path => known.get(path)?.entry,
      write(dataset, source, some) {
        const into = rows.get(dataset.slug) ?? create(join(home, `${dataset.slug}.csv`), stagedColumns(dataset, some))
        rows.set(dataset.slug, into)
        const lines = some.map(row => lineOf(dataset, into.columns, source, row))
        // A UTF-16 unit takes at most three bytes in UTF-8.
        for (const line of lines) if (line.length * 3 > into.longest) into.longest = line.length * 3
        append(into, lines.join(''))
      },
      remember(path, entry) {
        if (files.paths.length === 0) return
        const ends = Object.fromEntries([...rows].map(([slug, row]) => [slug, endOf(row)] as const))
        pending.push({ path, version: versionOf(files, path), entry, ends })
        if (pending.length >= BETWEEN_SYNCS) sync()
      },
      relation(dataset, session) {
        if (pending.length > 0) sync()
        const { file, columns, longest } = rows.get(dataset.slug)!
        return spooledRows(session, `rows_${`${basename(home)}_${dataset.id}`.replace(/\W/g, '_')}`, {
          file,
          columns: ['_source', ...columns],
          longest,
        })
      },
    })
  } finally {
    for (const { handle } of rows.values()) closeSync(handle)
    closeSync(log)
  }
}

const isOurs = (name: string): boolean => name.endsWith('.csv') || name === 'files.ndjson'

interface Former<Entry> {
  readonly lines: readonly Line<Entry>[]
  readonly hashes: ReadonlyMap<string, Hash>
}

const NOTHING = { lines: [], hashes: new Map() } as const

/**
 * Reads the journal of an interrupted run. Its files must be the first requested files, in the
 * same order and unchanged, and the stored rows must match the hash. Otherwise returns an empty
 * journal.
 */
function readJournal<Entry>(journal: string, home: string, files: RequestedFiles): Former<Entry> {
  if (!existsSync(journal)) return NOTHING
  const lines = readChecksummedLines<Line<Entry>>(readFileSync(journal, 'utf8')).values
  // Source numbers are positions of files. Files that the interrupted run read must therefore come
  // first.
  if (lines.some(({ path, version }, at) => files.paths[at] !== path || versionOf(files, path) !== version)) return NOTHING
  const isWhole = ({ ends }: Line<Entry>): boolean =>
    Object.entries(ends).every(([slug, [end]]) => (statSync(join(home, `${slug}.csv`), { throwIfNoEntry: false })?.size ?? 0) >= end)
  const broken = lines.findIndex(line => !isWhole(line))
  const whole = broken === -1 ? lines : lines.slice(0, broken)
  const ends = Object.entries(whole.at(-1)?.ends ?? {})
  const hashes = new Map(ends.map(([slug, [end]]) => [slug, hashOf(join(home, `${slug}.csv`), end)]))
  const isAsWritten = ends.every(([slug, [, , sha256]]) => hashes.get(slug)!.copy().digest('hex') === sha256)
  return isAsWritten ? { lines: whole, hashes } : NOTHING
}

function versionOf({ dayOf }: RequestedFiles, path: string): string {
  const { size, mtimeMs } = statSync(path)
  return `${size} ${mtimeMs} ${dayOf(path) ?? ''}`
}

function create(file: string, columns: readonly string[]): Rows {
  // Append mode also works after a truncation.
  const handle = openSync(file, 'a+')
  const rows: Rows = { file, handle, columns, end: 0, longest: 0, hash: createHash('sha256') }
  append(rows, `${['_source', ...columns].join(',')}\n`)
  return rows
}

function append(rows: Rows, text: string): void {
  rows.end += writeAll(rows.handle, text)
  rows.hash.update(text)
}

const endOf = ({ end, longest, hash }: Rows): End => [end, longest, hash.copy().digest('hex')]

/** Bytes to hash per read. */
const PIECE = 1 << 20

function hashOf(file: string, bytes: number): Hash {
  const [hash, piece, handle] = [createHash('sha256'), Buffer.alloc(Math.min(PIECE, bytes)), openSync(file, 'r')]
  try {
    for (let left = bytes, read = 1; left > 0 && read > 0; left -= read) {
      read = readSync(handle, piece, 0, Math.min(left, piece.length), null)
      hash.update(piece.subarray(0, read))
    }
    return hash
  } finally {
    closeSync(handle)
  }
}

/** Reopens a file for appending, without incomplete rows. */
function reopen(file: string, [end, longest]: End, hash: Hash): Rows {
  const handle = openSync(file, 'a+')
  ftruncateSync(handle, end)
  const start = Buffer.alloc(65_536)
  const [, ...columns] = start
    .toString('utf8', 0, readSync(handle, start, 0, start.length, 0))
    .split('\n', 1)[0]!
    .split(',')
  return { file, handle, columns, end, longest, hash }
}

/**
 * @returns bytes written
 * @throws Error ENOSPC if the disk is full
 */
function writeAll(handle: number, text: string): number {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
  return bytes.length
}

function lineOf({ columns: declared }: Dataset, columns: readonly string[], source: number, row: Row): string {
  let line = String(source)
  for (const name of columns) line += `,${cellOf(row[name], declared[name]?.type)}`
  return `${line}\n`
}

/** Null becomes an empty cell, an empty text becomes `""`. */
function cellOf(value: unknown, type: ColumnType | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = type === 'json' ? JSON.stringify(value) : String(value)
  return /^[\w.:+-]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`
}
