import { DuckDBInstance } from '@duckdb/node-api'
import { encodeJsonRows } from '../src/query/encode/json-rows.ts'
import { fromParts } from '../src/query/sql.ts'
import { folderOf, type Size } from './data.ts'
import { openRaw, type Raw } from './raw.ts'
import { type Line, median } from './table.ts'

const ROWS = 100_000

/** Rows a second of the JSON encoder against the client's row objects and `JSON.stringify`; the rows are read before the clock starts. */
export async function measureEncoder(size: Size, rounds: number): Promise<Line> {
  const raw = await openRaw(folderOf(size))
  const client = await (await DuckDBInstance.create(':memory:')).connect()
  const { manifest, pathOf } = raw.release
  const text = `SELECT * FROM ${fromParts(manifest.parts.map(pathOf))} LIMIT ${ROWS}`
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = -1; round < rounds; round++) {
    const [mine, plain] = [await encodeOnce(raw, text), await stringifyOnce(client, text)]
    if (round < 0) continue
    ours.push(mine)
    theirs.push(plain)
  }
  client.closeSync()
  raw.close()
  const rate = (times: readonly number[]): number => (ROWS / median(times)) * 1_000
  return {
    name: 'JSON rows, encoder / row objects and stringify',
    measured: rate(ours),
    against: rate(theirs),
    unit: 'rows/s',
    goal: { atLeast: 4 },
  }
}

async function encodeOnce({ session, dataset }: Raw, text: string): Promise<number> {
  const chunks = await session.read({ text, values: [] })
  const names = Object.keys(dataset.columns)
  const position = new Map(names.map((name, index) => [name, index]))
  const began = performance.now()
  await encodeJsonRows(dataset.columns, names, { chunks, rows: ROWS, more: false, position })
  return performance.now() - began
}

type Client = Awaited<ReturnType<DuckDBInstance['connect']>>

async function stringifyOnce(client: Client, text: string): Promise<number> {
  const reader = await client.runAndReadAll(text)
  const began = performance.now()
  Buffer.from(JSON.stringify(reader.getRowObjectsJson()))
  return performance.now() - began
}
