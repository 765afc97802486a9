import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromJSON, tableToIPC } from 'apache-arrow'
import type { Format } from '../catalog/index.ts'
import { fromParts } from '../src/engine/index.ts'
import { ENCODERS } from '../src/formats/index.ts'
import { answer } from './child.ts'
import { openRaw, type Raw } from './raw.ts'

const textFor = ({ release: { manifest, pathOf } }: Raw, rows: number): string =>
  `SELECT * FROM ${fromParts(manifest.parts.map(pathOf))} LIMIT ${rows}`

let raw: Raw

answer({
  async open(dataDir: string) {
    raw = await openRaw(dataDir)
  },
  /** @returns milliseconds */
  async encode([format, rows]: readonly [Format, number]) {
    const { session, dataset } = raw
    const { chunks, free } = await session.read({ text: textFor(raw, rows), values: [] })
    const names = Object.keys(dataset.columns)
    const page = { chunks, rows, more: false, position: new Map(names.map((name, index) => [name, index])) }
    const began = performance.now()
    for (const _ of await ENCODERS[format].encode({ columns: dataset.columns, names, page }, ['{"data":[', ']}']));
    const ms = performance.now() - began
    free()
    return ms
  },
  /** @returns milliseconds */
  async others([format, rows]: readonly ['json' | 'arrow', number]) {
    const instance = await DuckDBInstance.create(':memory:')
    const client = await instance.connect()
    const reader = await client.runAndReadAll(textFor(raw, rows))
    const began = performance.now()
    const objects = reader.getRowObjectsJson()
    if (format === 'json') Buffer.from(JSON.stringify(objects))
    else tableToIPC(tableFromJSON(objects as Record<string, unknown>[]), 'stream')
    const ms = performance.now() - began
    client.closeSync()
    instance.closeSync()
    return ms
  },
})
