import { expect } from 'vitest'
import { type Dataset, FORMATS, pathOf, type Row } from '../../../catalog/index.ts'
import { openSession } from '../../fixtures/formats/session.ts'
import { parsers } from '../../formats/parsing.ts'
import { service } from '../../support.ts'
import { cell } from '../cells.ts'

export const TYPES = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
} as const
/** Formats other than JSON. */
export const OTHERS = FORMATS.filter(format => format !== 'json')

/** A minimal read of a dataset. */
export function urlOf(dataset: Dataset): string {
  const required = Object.entries(dataset.filters).filter(([, filter]) => filter.required)
  return `${pathOf(dataset)}?${new URLSearchParams(required.map(([name, { example }]) => [name, example!]))}`
}

/** Rows of a JSON body, with or without an envelope. */
export const rowsOf = (body: string): readonly Row[] => {
  const answer = JSON.parse(body)
  return answer.data ?? answer.envelope.data
}

const FACTS = [
  'x-release',
  'x-dataset',
  'x-row-count',
  'x-row-limit',
  'x-data-as-of',
  'x-known-gaps',
  'x-warnings',
  'x-empty-reason',
  'last-modified',
]

/** A service with example rows, a key, and parsers of every format. */
export async function openFormats() {
  const s = await service()
  const key = s.keyOn('max', 'formats@example.test')
  const { dir, session, close } = await openSession()
  const parse = parsers(session, dir)
  const ask = (url: string, headers: Record<string, string> = {}) => s.get(url, key, headers)
  return {
    s,
    key,
    parse,
    ask,
    /**
     * Compares a read in every format with its JSON: rows, column order, headers, and the headers
     * of HEAD.
     */
    async compare(dataset: Dataset): Promise<void> {
      const url = urlOf(dataset)
      const json = await ask(url)
      for (const format of FORMATS)
        await cell(`${pathOf(dataset)}, ${format}`, async () => {
          const answer = await ask(`${url}&format=${format}`)
          expect([json.statusCode, answer.statusCode, answer.headers['content-type']]).toEqual([200, 200, TYPES[format]])
          if (format !== 'json') {
            const rows = await parse[format]!(answer.rawPayload, dataset.columns)
            expect(rows).toEqual(rowsOf(json.body))
            expect(rows.map(row => Object.keys(row))).toEqual(rows.map(() => Object.keys(dataset.columns)))
          }
          expect(FACTS.map(name => answer.headers[name])).toEqual(FACTS.map(name => json.headers[name]))
          const head = await s.app.inject({ method: 'HEAD', url: `${url}&format=${format}`, headers: { 'x-api-key': key } })
          for (const name of ['content-type', 'etag', 'content-disposition', 'vary']) expect(head.headers[name]).toBe(answer.headers[name])
        })
    },
    /** Publishes days of events. Their texts contain quotes, commas, line breaks and Chinese. */
    async publishTexts(count: number): Promise<void> {
      const [risk] = s.dataset('company-risk-events').example
      const rows = Array.from({ length: count }, (_, index) => ({
        ...risk,
        symbol: '2330',
        event_date: new Date(Date.UTC(2000, 0, 1) + index * 86_400_000).toISOString().slice(0, 10),
        description: `${TEXTS[index % TEXTS.length]}${index}`,
      }))
      await s.publish('company-risk-events', rows, { accept: ['row_count_drift'] })
    },
    async close(): Promise<void> {
      await close()
      await s.close()
    },
  }
}

const TEXTS = ['a "quoted" text, with commas', 'two\r\nlines\n', '處置股票，每五分鐘撮合一次', '=HYPERLINK("x")', ' x ', 'x'.repeat(300)]
