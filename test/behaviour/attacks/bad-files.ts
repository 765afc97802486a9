import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { literal, type Session } from '../../../src/engine/index.ts'
import { type Net, t86Body } from '../../fixtures/ingest/bodies.ts'
import { quote } from '../../fixtures/publish/rows.ts'

const FEED = 'feeds/twse-t86'
const OWN = 'daily-prices'
const HEADING = 'ticker,market,trade_date,name,open,high,low,close,volume,turnover,trades'
const NETS: Readonly<Record<string, Net>> = Object.fromEntries(
  Array.from({ length: 120 }, (_, index) => [`${1_101 + index}`, [index * 7, 3, 1]]),
)
const MIB = 2 ** 20

/** A dropped file, by its path in the inbox. */
export interface Dropped {
  readonly place: string
  write(path: string): void | Promise<void>
}

const bytes = (place: string, content: string | Uint8Array): Dropped => ({ place, write: path => writeFileSync(path, content) })

/** A body with different figures for each day, so that no file repeats another. */
const body = (day: string, seed: number): string =>
  t86Body(
    day,
    Object.fromEntries(
      Object.entries(NETS).map(([ticker, [foreign, trust, dealer]]) => [ticker, [foreign + seed, trust, dealer] as const]),
    ),
  )

const lines = (rows: readonly object[]): string => rows.map(row => `${JSON.stringify(row)}\n`).join('')
const rowsOf = (day: string, seed: number) => ['1101', '2330', '2454'].map((ticker, index) => quote(ticker, day, seed + index))
/** Rows of a day. One of them has `text` instead of a number. */
const withFigure = (day: string, text: string): string => lines(rowsOf(day, 5)).replace('"volume":5,', `"volume":${text},`)

/** A device whose bytes never end. The watcher must leave it in place and report a reason. */
export const DEVICE: Dropped = {
  place: `${FEED}/zero.json`,
  write: path => void execFileSync('mknod', [path, 'c', '1', '5'], { stdio: 'ignore' }),
}

/** Files that the watcher must publish, one for each format. */
export const GOOD: readonly Dropped[] = [
  bytes(`${FEED}/T86_20260601.json`, body('2026-06-01', 1)),
  bytes(`${FEED}/T86_20260602.json.gz`, gzipSync(body('2026-06-02', 2))),
  bytes(`${FEED}/T86_20260603.json.zst`, zstdCompressSync(body('2026-06-03', 3))),
  bytes('trading-calendar/good.csv', 'market,date,is_open,reason\nTWSE,2009-01-02,false,1\n'),
  bytes(`${OWN}/good.ndjson`, lines(rowsOf('2026-06-04', 100))),
]

/** Writes one line of `size` bytes, a megabyte at a time. */
function writeLine(path: string, size: number, first: string): void {
  const handle = openSync(path, 'w')
  writeSync(handle, first)
  for (let written = 0; written < size; written += MIB) writeSync(handle, Buffer.alloc(Math.min(MIB, size - written), 'x'))
  closeSync(handle)
}

/** Bytes of a zip archive with one uncompressed file. */
function zipOf(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt32LE(content.length, 18)
  head.writeUInt32LE(content.length, 22)
  head.writeUInt16LE(name.length, 26)
  return Buffer.concat([head, Buffer.from(name), content])
}

/**
 * Files that the watcher must refuse or leave, each with a reason.
 *
 * @param session writes Parquet files
 * @param bulk size in bytes of the large files, and of the unpacked content of compressed ones
 */
export function badFiles(session: Session, bulk: number): readonly Dropped[] {
  const good = body('2026-06-08', 8)
  const parquet = (place: string, select: string): Dropped => ({
    place: `${OWN}/${place}`,
    write: async path => void (await session.run(`COPY (${select}) TO ${literal(path)} (FORMAT parquet)`)),
  })
  const columns =
    "'2330' AS ticker, 'TWSE' AS market, DATE '2026-06-10' AS trade_date, '股' AS name, 1 AS open, 1 AS high, 1 AS low, 1 AS close, 1 AS turnover, 1 AS trades"
  const zeros = Buffer.alloc(bulk)
  return [
    bytes(`${FEED}/T86_20260608.json`, good.slice(0, good.length / 2)),
    bytes(`${FEED}/T86_20260609.json`, body('2026-06-09', 9).replace('"1102"', '"1101"')),
    bytes(`${FEED}/T86_20260610.json`, Buffer.from(body('2026-06-10', 10), 'utf16le')),
    bytes(`${FEED}/T86_20260611.json`, '<!doctype html><html><body><h1>503 Service Unavailable</h1></body></html>'),
    bytes(`${FEED}/T86_20260612.json`, ''),
    bytes(`${FEED}/T86_20260615.json`, body('2026-06-16', 15)),
    bytes(`${FEED}/T86_20260617.json`, body('2026-06-17', 17).replaceAll('"17"', '"1e400"')),
    bytes(`${FEED}/T86_20260618.json`, body('2026-06-18', 18).replaceAll('"18"', '"1234567890123456789012345"')),
    bytes(`${FEED}/T86_20260622.json`, '['.repeat(1_000_000)),
    bytes(`${FEED}/T86_20260623.json.gz`, gzipSync(zeros)),
    bytes(`${FEED}/T86_20260624.json.zst`, zstdCompressSync(zeros)),
    bytes(`${FEED}/T86_20260625.json`, zipOf('T86_20260625.json', Buffer.from(body('2026-06-25', 25)))),
    bytes(`${FEED}/T86_20260626.json.gz`, gzipSync(body('2026-06-26', 26)).subarray(0, 500)),
    { place: `${FEED}/T86_20260629.json`, write: path => writeLine(path, bulk, '{"stat":"OK","data":"') },
    bytes(`${FEED}/T86_20260630.json`, body('2026-06-30', 30).replace('證券代號', '證券代碼')),
    bytes(`${FEED}/2026-06-16 \u001b[31m\u0007.json`, body('2026-06-17', 31).slice(0, 900)),
    bytes(`${FEED}/a..%2f..%2f..json`, '{"stat":'),
    bytes(`${FEED}/line\nbreak.json`, '{"stat":"OK"'),
    bytes(`${FEED}/proto.json`, '{"__proto__":{"stat":"OK"},"constructor":{"prototype":1}}'),
    bytes(`${OWN}/1e400.ndjson`, withFigure('2026-06-09', '1e400')),
    bytes(`${OWN}/digits.ndjson`, withFigure('2026-06-09', '1234567890123456789012345')),
    bytes(`${OWN}/nan.csv`, `${HEADING}\n2330,TWSE,2026-06-09,股,1,1,1,1,NaN,1,1\n`),
    bytes(`${OWN}/repeated.ndjson`, lines([...rowsOf('2026-06-09', 60), ...rowsOf('2026-06-09', 70)])),
    bytes(`${OWN}/closed.ndjson`, lines(rowsOf('2026-06-07', 80))),
    bytes(`${OWN}/never.ndjson`, lines(rowsOf('2026-02-30', 90))),
    bytes(`${OWN}/utf16.csv`, Buffer.from(`\ufeff${HEADING}\n2330,TWSE,2026-06-09,股,1,1,1,1,1,1,1\n`, 'utf16le')),
    bytes(`${OWN}/unknown.csv`, `${HEADING},password\n2330,TWSE,2026-06-09,股,1,1,1,1,1,1,1,x\n`),
    bytes(`${OWN}/html.csv`, '<html><body>not a table</body></html>\n'),
    bytes(`${OWN}/cut.parquet`, 'PAR1 and nothing more'),
    bytes(`${OWN}/bomb.csv.gz`, gzipSync(Buffer.alloc(bulk, 'a,b,c\n'))),
    { place: `${OWN}/line.csv`, write: path => writeLine(path, bulk, `${HEADING}\n2330,TWSE,2026-06-09,"`) },
    parquet('list.parquet', `SELECT ${columns}, [1, 2] AS volume`),
    parquet('text.parquet', `SELECT ${columns}, 'many' AS volume`),
    parquet('blob.parquet', `SELECT ${columns.replace("'2330' AS ticker", "'\\xFF'::BLOB AS ticker")}, 1 AS volume`),
    parquet('infinite.parquet', `SELECT ${columns}, 'infinity'::DOUBLE AS volume`),
    { place: `${FEED}/pipe.json`, write: path => void execFileSync('mkfifo', [path]) },
    { place: `${FEED}/passwd.json`, write: path => symlinkSync('/etc/passwd', path) },
    { place: `${OWN}/up.ndjson`, write: path => symlinkSync('../../state.sqlite', path) },
    bytes(`${FEED}/deep/a/mapping.json`, '{}'),
    bytes('no-such-dataset/rows.csv', 'a,b\n1,2\n'),
  ]
}

/** Writes files into an inbox in place, without renaming them. */
export async function drop(inbox: string, files: readonly Dropped[]): Promise<void> {
  for (const { place, write } of files) {
    const path = join(inbox, place)
    mkdirSync(dirname(path), { recursive: true })
    // Pipes and links of an earlier drop would otherwise remain.
    rmSync(path, { force: true })
    await write(path)
  }
}
