import { DuckDBInstance } from '@duckdb/node-api'
import { fromParts } from '../src/engine/index.ts'
import { encodeJsonRows } from '../src/formats/index.ts'
import { answer } from './child.ts'
import { openRaw, type Raw } from './raw.ts'

const textFor = ({ release: { manifest, pathOf } }: Raw, rows: number): string =>
  `SELECT * FROM ${fromParts(manifest.parts.map(pathOf))} LIMIT ${rows}`

let raw: Raw

answer({
  async open(dataDir: string) {
    raw = await openRaw(dataDir)
  },
  /** Milliseconds the service's encoder takes; the rows are read before. */
  async encode(rows: number) {
    const { session, dataset } = raw
    const { chunks, free } = await session.read({ text: textFor(raw, rows), values: [] })
    const names = Object.keys(dataset.columns)
    const page = { chunks, rows, more: false, position: new Map(names.map((name, index) => [name, index])) }
    const began = performance.now()
    await encodeJsonRows({ columns: dataset.columns, names, page })
    const ms = performance.now() - began
    free()
    return ms
  },
  /** Milliseconds the client's row objects and `JSON.stringify` take, down to bytes as well. */
  async stringify(rows: number) {
    const instance = await DuckDBInstance.create(':memory:')
    const client = await instance.connect()
    const reader = await client.runAndReadAll(textFor(raw, rows))
    const began = performance.now()
    Buffer.from(JSON.stringify(reader.getRowObjectsJson()))
    const ms = performance.now() - began
    client.closeSync()
    instance.closeSync()
    return ms
  },
})
