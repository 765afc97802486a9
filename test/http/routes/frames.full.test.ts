import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { crossSections, FORMATS, pathOf, type Row, served } from '../../../catalog/index.ts'
import { valueRows } from '../../../src/formats/index.ts'
import { FITTING, NESTED, UNFITTING } from '../../formats/nested-rows.ts'
import { encoded } from '../../formats/random-checks.ts'
import { service } from '../../support.ts'

/** A Python with the readers: `PYTHON`, or a virtual environment in `.venv`. */
const PYTHON = process.env['PYTHON'] ?? '.venv/bin/python'
const READERS = 'pyarrow, polars, pandas, duckdb'
const isThere = spawnSync(PYTHON, ['-c', `import ${READERS}`]).status === 0

const s = await service()
const key = s.keyOn('max', 'frames@example.test')
const dir = await mkdtemp(join(tmpdir(), 'twmd-frames-'))
afterAll(async () => {
  await s.close()
  await rm(dir, { recursive: true })
})

const [risk] = s.dataset('company-risk-events').example as readonly Row[]
const TEXTS = ['a "quoted" text, with commas', 'two\r\nlines\n', '處置股票，每五分鐘撮合一次', '=1+1', ' x ', 'x'.repeat(300), "it's"]
const DAYS = Array.from({ length: 3_000 }, (_, day) => new Date(Date.UTC(2005, 0, 1) + day * 86_400_000).toISOString().slice(0, 10))

it.skipIf(!isThere)(
  `the Python readers ${READERS} read the rows of JSON from every format of every dataset (skipped if ${PYTHON} lacks them)`,
  async () => {
    await s.publish(
      'company-risk-events',
      DAYS.map((day, index) => ({ ...risk, symbol: '2330', event_date: day, description: TEXTS[index % TEXTS.length] })),
      { accept: ['row_count_drift'] },
    )
    const files: object[] = []
    const reads = [...served(s.catalog), ...crossSections(s.catalog)]
    for (const dataset of reads) {
      const required = Object.entries(dataset.filters).filter(([, filter]) => filter.required)
      const query = new URLSearchParams(required.map(([name, { example }]) => [name, example!]))
      const url = `${pathOf(dataset)}?${query}&limit=${dataset.slug === 'company-risk-events' ? 3_000 : 50}`
      const answer = (await s.get(url, key)).json()
      const types = Object.fromEntries(Object.entries(dataset.columns).map(([name, { type }]) => [name, type]))
      for (const format of FORMATS) {
        if (format === 'json') continue
        const file: string = `${files.length}.${format}`
        await writeFile(join(dir, file), (await s.get(`${url}&format=${format}`, key)).rawPayload)
        files.push({ name: pathOf(dataset), format, file, types, rows: answer.data ?? answer.envelope.data })
      }
    }
    // Nulls, empty arrays, missing members, and objects that do not fit their columns.
    const nested = [...FITTING, ...UNFITTING.map(row => ({ ...row, list: [] }))]
    for (const format of ['arrow', 'parquet'] as const) {
      const file = `${files.length}.${format}`
      await writeFile(join(dir, file), await encoded(format, valueRows(NESTED, nested)))
      files.push({ name: 'nested values', format, file, types: { object: 'json', list: 'json' }, rows: nested })
    }
    await writeFile(join(dir, 'files.json'), JSON.stringify(files))
    const output = execFileSync(PYTHON, ['test/http/routes/frames.py', dir], { encoding: 'utf8' })
    expect(output.trim()).toBe(`compared ${(reads.length * 4 + 2) * 4}`)
  },
  120_000,
)
