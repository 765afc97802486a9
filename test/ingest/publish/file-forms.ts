import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { Row } from '../../../catalog/index.ts'
import type { Publisher } from './publisher.ts'

export const FORMS = ['csv', 'csv.gz', 'csv.zst', 'ndjson', 'jsonl.gz', 'ndjson.zst', 'json', 'parquet'] as const

/** Writes the same rows as a file of each format, in the style of common tools. */
export async function fileOf(s: Publisher, slug: string, rows: readonly Row[], form: (typeof FORMS)[number]): Promise<string> {
  const dataset = s.dataset(slug)
  const names = Object.keys(dataset.columns)
  const text = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
  const cell = (value: unknown): string =>
    value === null ? '' : /[",\n]/.test(text(value)) ? `"${text(value).replaceAll('"', '""')}"` : text(value)
  const csv = [names.join(','), ...rows.map(row => names.map(name => cell(row[name])).join(',')), ''].join('\r\n')
  const ndjson = rows.map(row => `${JSON.stringify(row)}\n`).join('')
  const json = JSON.stringify(rows, null, 2)
  if (form !== 'parquet') {
    const contents = {
      csv,
      'csv.gz': gzipSync(csv),
      'csv.zst': zstdCompressSync(csv),
      ndjson,
      'jsonl.gz': gzipSync(ndjson),
      'ndjson.zst': zstdCompressSync(ndjson),
      json,
    }
    return s.file(`${slug}.${form}`, contents[form])
  }
  const file = join(s.dir, `${slug}.parquet`)
  const dates = names.filter(name => dataset.columns[name]!.type === 'date').map(name => `"${name}"::DATE AS "${name}"`)
  const replaced = dates.length > 0 ? `REPLACE (${dates.join(', ')})` : ''
  await s.workspace.session.run(
    `COPY (SELECT * ${replaced} FROM read_json('${s.file('rows.json', json)}', sample_size = -1)) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`,
  )
  return file
}

/** sha256 of the parts of a dataset's example rows, by the format of the published file. */
export async function partsByForm(open: () => Promise<Publisher>, slug: string, stored: (s: Publisher) => readonly string[]) {
  const parts: Record<string, readonly string[]> = {}
  for (const form of FORMS) {
    const s = await open()
    await s.publishFiles(slug, [await fileOf(s, slug, s.dataset(slug).example, form)])
    parts[form] = stored(s)
    await s.close()
  }
  return parts
}
