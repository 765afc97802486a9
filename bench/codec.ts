import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '@duckdb/node-api'
import { fromParts, literal, openEngine, type Session, type Statement } from '../src/engine/index.ts'
import { sha256Of } from '../src/releases/index.ts'
import { DAYS, folderOf, SIZES, shuffled } from './data.ts'
import { openRaw } from './raw.ts'
import { machine, median } from './table.ts'

/** Options of `COPY`. The first codec is the reference. */
const CODECS = {
  lz4_raw: 'COMPRESSION lz4_raw',
  snappy: 'COMPRESSION snappy',
  'zstd(1)': 'COMPRESSION zstd, COMPRESSION_LEVEL 1',
  'zstd(3)': 'COMPRESSION zstd, COMPRESSION_LEVEL 3',
} as const
type Codec = keyof typeof CODECS
const codecs = Object.keys(CODECS) as readonly Codec[]

const ROW_GROUP = 8_192
const BUCKETS = 40
const MONTHS = 12
const POINTS = 600
const DAYS_READ = 200

interface Figures {
  readonly write: number[]
  readonly point: number[]
  readonly run: number[]
  readonly whole: number[]
  readonly day: number[]
  bytes: number
  monthBytes: number
}

interface File {
  readonly path: (codec: Codec) => string
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

const folder = mkdtempSync(join(tmpdir(), 'twmd-bench-codec-'))
const figures = Object.fromEntries(
  codecs.map((codec): [Codec, Figures] => [codec, { write: [], point: [], run: [], whole: [], day: [], bytes: 0, monthBytes: 0 }]),
) as Readonly<Record<Codec, Figures>>

const { values } = parseArgs({ options: { rows: { type: 'string', default: 'full' }, keep: { type: 'boolean', default: false } } })
if (values.rows !== 'full' && values.rows !== 'small') throw new Error('--rows must be small or full')
const raw = await openRaw(folderOf(values.rows))
const { parts } = raw.release.manifest
const paths = parts.map(raw.release.pathOf)
raw.close()
/**
 * Returns a different order for each round, because the first codec of a round fills caches for the
 * other codecs.
 */
const inTurn = (round: number): readonly Codec[] => codecs.map((_, place) => codecs[(round + place) % codecs.length]!)

async function writeBucket(session: Session, from: string, index: number): Promise<File> {
  await session.run(`CREATE OR REPLACE TABLE rows AS FROM ${fromParts([from])}`)
  const path = (codec: Codec): string => join(folder, `bucket${index}-${codec}.parquet`)
  for (const codec of inTurn(index)) {
    const began = performance.now()
    await copy(session, 'SELECT * FROM rows ORDER BY ticker, trade_date', path(codec), codec)
    await session.rows(`SELECT count(*)::INTEGER, to_hex(bit_xor(hash(COLUMNS(*)))) FROM ${fromParts([path(codec)])}`)
    await sha256Of(path(codec))
    figures[codec].write.push(performance.now() - began)
    figures[codec].bytes += statSync(path(codec)).size
  }
  return {
    path,
    rows: await session.rows(
      'SELECT ticker, (sum(count(*)) OVER (ORDER BY ticker))::INTEGER AS ending FROM rows GROUP BY ticker ORDER BY ticker',
    ),
  }
}

async function lastMonths(session: Session): Promise<readonly string[]> {
  const found = await session.rows(
    `SELECT DISTINCT left(trade_date::VARCHAR, 7) AS month FROM ${fromParts(paths.slice(0, 1))} ORDER BY 1 DESC LIMIT ${MONTHS}`,
  )
  return found.map(({ month }) => String(month))
}

async function writeMonth(session: Session, month: string): Promise<File> {
  const path = (codec: Codec): string => join(folder, `month${month}-${codec}.parquet`)
  await session.run(`CREATE OR REPLACE TABLE rows AS FROM ${fromParts(paths)} WHERE left(trade_date::VARCHAR, 7) = ${literal(month)}`)
  for (const codec of codecs) {
    await copy(session, 'SELECT * FROM rows ORDER BY trade_date, ticker', path(codec), codec)
    figures[codec].monthBytes += statSync(path(codec)).size
  }
  return { path, rows: await session.rows('SELECT DISTINCT trade_date::VARCHAR AS day FROM rows ORDER BY 1') }
}

const copy = (session: Session, select: string, path: string, codec: Codec): Promise<void> =>
  session.run(`COPY (${select}) TO ${literal(path)} (FORMAT parquet, ${CODECS[codec]}, ROW_GROUP_SIZE ${ROW_GROUP})`)

async function readBuckets(session: Session, files: readonly File[]): Promise<void> {
  const places = files.flatMap(file => file.rows.map(({ ticker, ending }) => ({ file, ticker: String(ticker), to: Number(ending) })))
  for (const file of files)
    for (const codec of inTurn(files.indexOf(file)))
      figures[codec].whole.push(await timed(session, `FROM ${fromParts([file.path(codec)])}`, [], true))
  const order = 'ORDER BY trade_date DESC, ticker LIMIT 51'
  const mixed = shuffled(places)
  for (let round = 0; round < POINTS + places.length; round++) {
    const { file, ticker, to } = mixed[round % mixed.length]!
    for (const codec of inTurn(round)) {
      const from = fromParts([file.path(codec)])
      const point = await timed(session, `SELECT * FROM ${from} WHERE ticker = $1 ${order}`, [ticker])
      const run = await timed(
        session,
        `SELECT * FROM ${from.replace('hive_partitioning', 'file_row_number = true, hive_partitioning')} WHERE file_row_number BETWEEN $1 AND $2 ${order}`,
        [to - 51, to - 1],
      )
      if (round < places.length) continue
      figures[codec].point.push(point)
      figures[codec].run.push(run)
    }
  }
}

async function readDays(session: Session, files: readonly File[]): Promise<void> {
  const days = shuffled(files.flatMap(file => file.rows.map(({ day }) => ({ file, day: String(day) }))))
  for (let round = 0; round < DAYS_READ + days.length; round++) {
    const { file, day } = days[round % days.length]!
    for (const codec of inTurn(round)) {
      const ms = await timed(session, `SELECT * FROM ${fromParts([file.path(codec)])} WHERE trade_date = $1::DATE ORDER BY ticker`, [day])
      if (round >= days.length) figures[codec].day.push(ms)
    }
  }
}

async function timed(session: Session, text: string, bound: Statement['values'], once?: true): Promise<number> {
  const began = performance.now()
  const { free } = await session.read({ text, values: bound, ...(once && { once }) })
  const ms = performance.now() - began
  free()
  return ms
}

function tableOf(): string {
  const first = figures[codecs[0]!]
  const cell = (measured: number, against: number, unit: string): string =>
    `${measured.toPrecision(3)} ${unit} (${(measured / against).toFixed(2)})`
  const times = (pick: (of: Figures) => readonly number[]) => (of: Figures) => cell(median(pick(of)), median(pick(first)), 'ms')
  const sizes = (pick: (of: Figures) => number) => (of: Figures) => cell(pick(of) / 2 ** 20, pick(first) / 2 ** 20, 'MiB')
  const columns: readonly (readonly [string, (of: Figures) => string])[] = [
    ['point read', times(of => of.point)],
    ['by row numbers', times(of => of.run)],
    ['a day of a month part', times(of => of.day)],
    ['a part whole', times(of => of.whole)],
    ['write, read back, hash a part', times(of => of.write)],
    ['buckets', sizes(of => of.bytes)],
    ['months', sizes(of => of.monthBytes)],
  ]
  return [
    `| codec | ${columns.map(([name]) => name).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...codecs.map(codec => `| ${codec} | ${columns.map(([, write]) => write(figures[codec])).join(' | ')} |`),
  ].join('\n')
}

try {
  const [writer, reader] = [
    await openEngine({ threads: 2, memoryLimit: '6GB' }),
    await openEngine({ threads: 1, memoryLimit: '2GB', readableFolder: folder }),
  ]
  const [write, read] = [await writer.connect(), await reader.connect()]
  const buckets: File[] = []
  for (const [index, path] of paths.slice(0, BUCKETS).entries()) buckets.push(await writeBucket(write, path, index))
  const months: File[] = []
  for (const month of await lastMonths(write)) months.push(await writeMonth(write, month))
  write.close()
  writer.close()
  await readBuckets(read, buckets)
  await readDays(read, months)
  read.close()
  reader.close()
} finally {
  if (values.keep) console.error(`kept in ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
}
console.log(
  `${machine(version())}; ${((SIZES[values.rows] * DAYS) / 1e6).toFixed(2)} M rows; ${Math.min(BUCKETS, paths.length)} buckets, ${MONTHS} months\n`,
)
console.log(tableOf())
