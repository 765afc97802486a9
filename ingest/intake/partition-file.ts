import { constants, copyFileSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import { Refusal, type Words } from '../../src/core/index.ts'
import { isMachineFault, literal, quote, readFailure, type Session } from '../../src/engine/index.ts'
import { type Source, sha256Of } from '../../src/releases/index.ts'
import { bodyRefused } from '../formats/index.ts'
import { createMarketTable, foreignColumns, isLong, type Mapping, mappedRows } from '../mappings/index.ts'
import {
  addRows,
  type BatchFault,
  columnFaults,
  columnsGiven,
  createTable,
  createView,
  isRounded,
  type Relation,
  TOO_LONG,
  type Workspace,
} from '../publish/index.ts'
import { withFolderColumns } from './folder-columns.ts'
import { delimiterOf, requireUtf8 } from './text-form.ts'
import { unpackFile } from './unpack.ts'

/** By file extension. Tab-separated text is read like CSV. */
export type PartitionFormat = 'csv' | 'ndjson' | 'json' | 'parquet'

const FORMAT = /\.(csv|tsv|ndjson|jsonl|json|parquet)(?:\.gz|\.zst)?$/i

/** @throws Refusal body_refused for any other extension */
export function formatOf(path: string): PartitionFormat {
  const found = FORMAT.exec(path)?.[1]?.toLowerCase()
  if (!found)
    throw bodyRefused('unknown_format', {
      en: `The name ${basename(path)} must end in .csv, .tsv, .ndjson, .json or .parquet, optionally followed by .gz or .zst. Rename the file.`,
      zh: `${basename(path)} 的副檔名須為 .csv、.tsv、.ndjson、.json 或 .parquet，其後可再加 .gz 或 .zst；請更改檔名。`,
    })
  return found === 'jsonl' ? 'ndjson' : found === 'tsv' ? 'csv' : (found as PartitionFormat)
}

export interface PartitionFiles {
  /** Rows of all files. `_source` is the position of the file. Null if no file was read. */
  readonly relation: Relation | null
  readonly sources: readonly Omit<Source, 'rows'>[]
  /**
   * Position of each file's first row in the relation. Undefined if a mapping combined several
   * rows of a file into one.
   */
  readonly firstRows: readonly number[] | undefined
  readonly paths: readonly string[]
  /** Faults of omitted files. Empty unless `oneByOne` is set. */
  readonly leftOut: ReadonlyMap<string, readonly BatchFault[]>
}

export interface Reading {
  /** True to omit files that cannot be read. False to refuse all files. */
  readonly oneByOne: boolean
  /** Undefined if the files have the dataset's column names. */
  readonly mapping: Mapping | undefined
}

/**
 * Reads files of any size from disk. The sha256 is computed piece by piece, from the bytes that
 * the engine reads.
 *
 * @throws Refusal body_refused if a file cannot be read in its format
 */
export async function readPartitionFiles(
  workspace: Workspace,
  dataset: Dataset,
  paths: readonly string[],
  { oneByOne, mapping }: Reading,
): Promise<PartitionFiles> {
  const { session, scratch } = workspace
  if (mapping) await createMarketTable(workspace, mapping)
  // One table per set of columns. Thousands of tables would take the engine minutes to plan.
  const tables = new Map<string, { readonly relation: Relation; readonly rows: number }>()
  const sources: Omit<Source, 'rows'>[] = []
  const [read, leftOut] = [[] as string[], new Map<string, readonly BatchFault[]>()]
  // For each source: its table, and the position of its first row in the table.
  const places: { readonly shape: string; readonly at: number }[] = []
  const foreign = mapping ? { columns: foreignColumns(dataset, mapping) } : dataset
  for (const path of paths) {
    const copies = [join(scratch, 'received'), join(scratch, `in0.${FORMAT.exec(path)?.[1] ?? ''}`)] as const
    const [received, plain] = copies
    try {
      const format = formatOf(path)
      for (const copy of copies) rmSync(copy, { force: true })
      copyFileSync(path, received, constants.COPYFILE_FICLONE)
      const source = { name: basename(path), sha256: await sha256Of(received), bytes: statSync(received).size, read_as: format, url: null }
      await plainlyNamed(path, received, plain)
      if (format !== 'parquet') await requireUtf8(basename(path), plain)
      const inFile = await explained(path, async () => READERS[format](session, foreign, plain))
      const held = await explained(path, () => withFolderColumns(session, path, inFile))
      const select = await explained(path, async () => (mapping ? mappedRows(session, dataset, mapping, held) : held))
      const columns = await explained(path, () => columnsGiven(session, `(${select})`))
      const faults = oneByOne ? columnFaults(dataset, columns) : []
      if (faults.length > 0) {
        leftOut.set(path, faults)
        continue
      }
      const rows = `SELECT *, ${sources.length} AS "_source" FROM (${select})`
      const shape = JSON.stringify([...columns])
      const into = tables.get(shape)
      if (into) await explained(path, () => addRows(session, into.relation, rows))
      const relation = into?.relation ?? (await explained(path, () => createTable(session, `raw${tables.size}`, rows)))
      const [counted] = await session.rows(`SELECT count(*)::INTEGER AS rows FROM ${relation}`)
      tables.set(shape, { relation, rows: Number(counted!['rows']) })
      places.push({ shape, at: into?.rows ?? 0 })
      sources.push(source)
      read.push(path)
    } catch (error) {
      if (!oneByOne || !(error instanceof Refusal)) throw error
      leftOut.set(path, [faultOf(error)])
    } finally {
      for (const copy of copies) rmSync(copy, { force: true })
    }
  }
  const all = [...tables.values()].map(({ relation }) => `SELECT * FROM ${relation}`).join(' UNION ALL BY NAME ')
  const relation = tables.size === 0 ? null : await createView(session, 'partition_files', all)
  const before = new Map<string, number>()
  let sum = 0
  for (const [shape, { rows }] of tables) {
    before.set(shape, sum)
    sum += rows
  }
  // Combined rows have no position in the file.
  const firstRows = mapping && isLong(mapping) ? undefined : places.map(({ shape, at }) => before.get(shape)! + at)
  return { relation, sources, firstRows, paths: read, leftOut }
}

/** Converts the refusal of one file to a fault of a batch. */
export function faultOf({ facts, message, words }: Refusal): BatchFault {
  const column = typeof facts['column'] === 'string' ? facts['column'] : null
  return { rule: String(facts['rule']), source: null, column, count: 1, samples: [], message, message_zh: words.zh }
}

const A_GIGABYTE = 2 ** 30

/**
 * Decompresses a file to a safe name. The engine would interpret `*`, `[` and folders such as
 * `a=b`. The engine also does not report a truncated compressed file.
 *
 * @throws Refusal body_refused for a damaged file, or if the content is too large
 * @throws Error ENOSPC if the disk is nearly full
 */
async function plainlyNamed(path: string, received: string, plain: string): Promise<void> {
  const { bavail, blocks, bsize } = statfsSync(dirname(received))
  const name = basename(path)
  const most = (bavail * bsize) / 2
  // With so little free space, the disk is at fault and not the file.
  const isScarce = most < Math.min(A_GIGABYTE, (blocks * bsize) / 4)
  const isUnpacked = await unpackFile(received, plain, most, {
    tooLarge: () =>
      isScarce
        ? Object.assign(new Error(`${name} unpacks to more than half of the free disk space`), { code: 'ENOSPC' })
        : bodyRefused('too_large', {
            en: `${name} unpacks to more than half of the free disk space. Free some disk space, or split the file.`,
            zh: `${name} 解壓縮後超過磁碟可用空間的一半；請騰出空間，或分割檔案。`,
          }),
    damaged: packing =>
      bodyRefused('unreadable', {
        en: `${name} could not be read: it is incomplete or not ${packing}. Write the file again.`,
        zh: `無法讀取 ${name}：檔案不完整，或並非 ${packing}；請重新寫入。`,
      }),
  })
  if (!isUnpacked) renameSync(received, plain)
}

type Reader = (session: Session, dataset: Pick<Dataset, 'columns'>, path: string) => Promise<string> | string

const READERS: Readonly<Record<PartitionFormat, Reader>> = {
  // Everything is text: type detection turns 0050 into 50, and quote detection loses rows between
  // two apostrophes.
  csv: async (_session, _dataset, path) =>
    `SELECT * FROM read_csv(${literal(path)}, header = true, all_varchar = true, nullstr = '', max_line_size = 4194304, hive_partitioning = false,
       delim = ${literal(await delimiterOf(path))}, quote = '"', escape = '"', comment = '', skip = 0)`,
  ndjson: (session, dataset, path) => readObjects(session, dataset, path, 'newline_delimited'),
  json: (session, dataset, path) => readObjects(session, dataset, path, 'array'),
  parquet: readParquet,
}

async function readObjects(session: Session, { columns }: Pick<Dataset, 'columns'>, path: string, format: string): Promise<string> {
  const objects = `read_json_objects(${literal(path)}, format = '${format}', maximum_object_size = 33554432, hive_partitioning = false)`
  const names = (await session.rows(`SELECT DISTINCT unnest(json_keys(json)) AS name FROM ${objects}`)).map(row => String(row['name']))
  const select = names.map(name => {
    const at = literal(`$.${JSON.stringify(name)}`)
    return `${columns[name]?.type === 'json' ? `nullif(json->${at}, 'null')` : `json->>${at}`} AS ${quote(name)}`
  })
  if (select.length === 0) throw bodyRefused('no_rows', { en: 'The file has no rows.', zh: '檔案沒有資料列。' })
  await refuseDoubledKeys(session, objects)
  await refuseLongNumbers(session, objects)
  await refuseBareText(session, columns, names, objects)
  return `SELECT ${select.join(', ')} FROM ${objects}`
}

/** Refuses objects with a duplicate key, because readers differ in which value they use. */
async function refuseDoubledKeys(session: Session, objects: string): Promise<void> {
  const twice = 'list_filter(names, lambda name: len(list_filter(names, lambda other: other = name)) > 1)[1]'
  const [found] = await session.rows(
    `SELECT ${twice} AS name, json::VARCHAR AS row FROM (SELECT json, json_keys(json) AS names FROM ${objects}) WHERE len(names) > len(list_distinct(names)) LIMIT 1`,
  )
  if (!found) return
  const [name, row] = [String(found['name']), String(found['row'])]
  throw bodyRefused(
    'doubled_key',
    {
      en: `A row has ${name} twice. Keep only the correct value. First row: ${row.slice(0, 200)}`,
      zh: `同一列有兩個 ${name}；請只保留正確的值。第一筆：${row.slice(0, 200)}`,
    },
    { column: name },
  )
}

/**
 * Refuses fractions that the engine's JSON reader would round before their digits are checked. The
 * reader does not round whole numbers.
 */
async function refuseLongNumbers(session: Session, objects: string): Promise<void> {
  const string = String.raw`"(?:\\.|[^"\\])*"`
  const tokens = `unnest(regexp_extract_all(json::VARCHAR, '(?:${string}\\s*:\\s*)?(?:${string}|-?[0-9][0-9.eE+-]*)'))`
  const [found] = await session.rows(
    `SELECT regexp_extract(token, '^"(.*)"\\s*:', 1) AS name, number FROM (
       SELECT token, regexp_extract(token, '-?[0-9][0-9.eE+-]*$') AS number FROM (
         SELECT ${tokens} AS token FROM ${objects} WHERE regexp_matches(json::VARCHAR, '[0-9][0-9.]{17,}')))
     WHERE ${isRounded('number')} AND regexp_matches(number, '[.eE]') LIMIT 1`,
  )
  if (!found) return
  // Elements of a list have no key.
  const column = found['name'] === '' ? null : String(found['name'])
  throw bodyRefused(
    'digits',
    {
      en: `Values of ${column ?? 'a list'} ${TOO_LONG.en}. First: ${found['number']}`,
      zh: `${column ?? '清單'} 的值${TOO_LONG.zh}。第一筆：${found['number']}`,
    },
    { column },
  )
}

/** Refuses numbers in text columns, because codes lose their leading zeros. */
async function refuseBareText(session: Session, columns: Dataset['columns'], names: readonly string[], objects: string): Promise<void> {
  const texts = names.filter(name => columns[name]?.type === 'text')
  if (texts.length === 0) return
  const counts = texts.map(
    name =>
      `count(*) FILTER (json_type(json, ${literal(`$.${JSON.stringify(name)}`)}) NOT IN ('VARCHAR', 'NULL'))::INTEGER AS ${quote(name)}`,
  )
  const [bare] = await session.rows(`SELECT ${counts.join(', ')} FROM ${objects}`)
  refuseNumbers(texts.filter(name => Number(bare![name]) > 0))
}

function refuseNumbers(names: readonly string[]): void {
  if (names.length > 0)
    throw bodyRefused(
      'type',
      {
        en: `${names.join(', ')} must be text, because a code written as a number loses its leading zeros. Write the values as text.`,
        zh: `${names.join('、')} 須為文字，因代號寫成數字會失去開頭的零；請改以文字寫入。`,
      },
      { columns: names },
    )
}

async function readParquet(session: Session, { columns }: Pick<Dataset, 'columns'>, path: string): Promise<string> {
  const codecs = await session.rows(`SELECT DISTINCT compression FROM parquet_metadata(${literal(path)})`)
  // The engine's Brotli decoder writes out of bounds on crafted input, so Brotli is not supported.
  if (codecs.some(row => row['compression'] === 'BROTLI'))
    throw bodyRefused('brotli', {
      en: 'The Parquet file is compressed with Brotli, which is not supported. Write it with zstd, snappy or lz4_raw.',
      zh: '不支援以 Brotli 壓縮的 Parquet 檔案；請改用 zstd、snappy 或 lz4_raw。',
    })
  const rows = `read_parquet(${literal(path)}, hive_partitioning = false)`
  const numeric = (await session.rows(`DESCRIBE SELECT * FROM ${rows}`))
    .filter(({ column_type }) => /^(U?[A-Z]*INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\))$/.test(String(column_type)))
    .map(row => String(row['column_name']))
    .filter(name => columns[name]?.type === 'text')
  if (numeric.length > 0) {
    // Some tools write an empty column with a numeric type.
    const [filled] = await session.rows(
      `SELECT ${numeric.map(name => `count(${quote(name)})::INTEGER AS ${quote(name)}`).join(', ')} FROM ${rows}`,
    )
    refuseNumbers(numeric.filter(name => Number(filled![name]) > 0))
  }
  return `SELECT * FROM ${rows}`
}

async function explained<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // A full disk is not a fault of the file.
    if (error instanceof Refusal || isMachineFault(error)) throw error
    const failure = readFailure(error)
    // The engine's message contains the name of a temporary copy, which the operator does not
    // know.
    const cause = failure.kind === 'other' ? inEither(failure.reason.replace(/\S*\/in\d+\.\w+/g, basename(path))) : UNEVEN_LINES
    throw bodyRefused('unreadable', {
      en: `${basename(path)} could not be read as ${formatOf(path)}: ${cause.en}`,
      zh: `無法以 ${formatOf(path)} 讀取 ${basename(path)}：${cause.zh}`,
    })
  }
}

/**
 * Returns a message of the engine for both languages. The engine's messages exist only in English.
 */
const inEither = (said: string): Words => ({ en: said, zh: `「${said}」` })

const UNEVEN_LINES: Words = {
  en: 'a line has more or fewer cells than the heading, or a quotation mark is not closed.',
  zh: '有一行的欄數與標題不符，或引號未成對。',
}
