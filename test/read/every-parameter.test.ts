import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Dataset, loadCatalog, rangeColumns, served } from '../../catalog/index.ts'
import type { Grant } from '../../src/core/index.ts'
import type { Session } from '../../src/engine/index.ts'
import { planRead, type ReadParams } from '../../src/read/index.ts'
import { selectRows } from '../../src/read/select-rows.ts'
import { service, type TestService } from '../support.ts'

const datasets = served(await loadCatalog()).filter(({ planned }) => !planned)
const grant: Grant = { accountId: 'acct', keyId: 'key', plan: 'max', rowLimit: 100_000 }

/** Plans that read a file. */
const READS = /READ_PARQUET/
/** Plans that read a file, or skip it because its statistics exclude the range. */
const READS_OR_SKIPS = /READ_PARQUET|EMPTY_RESULT/
const SORTS = /TOP_N|ORDER_BY/

let s: TestService
let session: Session
beforeAll(async () => {
  s = await service({ inMemory: false, indexed: false })
  session = await s.engine.connect()
})
afterAll(async () => {
  session.close()
  await s.close()
})

/** The engine's plan of a read as one text, or the error it fails with. */
async function explain({ slug }: Dataset, query: ReadParams): Promise<string> {
  const dataset = s.dataset(slug)
  try {
    const plan = planRead(dataset, s.releases.current(dataset), query, grant)
    const { text, values } = selectRows(plan, plan.columns)
    return (await session.rows(`EXPLAIN ${text}`, values)).map(row => String(row['explain_value'])).join('')
  } catch (error) {
    return String(error)
  }
}

/** Values of the first example row, so that the release has a part for them. */
function valuesOf({ filters, example }: Dataset): Readonly<Record<string, string>> {
  const value = (name: string): string => {
    const { op, column, example: shown } = filters[name]!
    return op === 'latest' ? 'true' : String((example[0] as Record<string, unknown>)[column] ?? shown)
  }
  return Object.fromEntries(Object.keys(filters).map(name => [name, value(name)]))
}

/** Plans a read of each dataset with its required parameters and these. */
async function plans(queries: (dataset: Dataset) => readonly ReadParams[], pattern: RegExp): Promise<void> {
  for (const dataset of datasets) {
    const required = Object.entries(valuesOf(dataset)).filter(([name]) => dataset.filters[name]!.required)
    for (const query of queries(dataset))
      expect
        .soft(await explain(dataset, { ...Object.fromEntries(required), ...query }), `${dataset.slug} ${JSON.stringify(query)}`)
        .toMatch(pattern)
  }
}

it('the engine runs a read of every dataset by each of its filters', () =>
  plans(dataset => Object.entries(valuesOf(dataset)).map(([name, value]) => ({ [name]: value })), READS))

it('the engine runs a read of every dataset by a range of each numeric column', () =>
  plans(dataset => rangeColumns(dataset).map(name => ({ range: `${name}:-1..<1000` })), READS_OR_SKIPS))

it('the engine runs a read of every dataset by all its filters and ranges together', () =>
  plans(dataset => {
    const range = rangeColumns(dataset).map(name => `${name}:-1..1`)
    return [{ ...valuesOf(dataset), ...(range.length > 0 && { range: range.join(',') }) }]
  }, READS_OR_SKIPS))

it('the engine runs a read of every dataset with each sort_by in both directions', () =>
  plans(({ sortable }) => sortable.flatMap(sort_by => ['asc', 'desc'].map(sort_order => ({ sort_by, sort_order }))), SORTS))

it('the engine runs a read of every dataset sorted by each column', () =>
  plans(({ columns }) => Object.keys(columns).map(name => ({ sort: `-${name}` })), SORTS))

it('the engine runs a read of every dataset for each column alone', async () => {
  for (const dataset of datasets) {
    const required = Object.entries(valuesOf(dataset)).filter(([name]) => dataset.filters[name]!.required)
    for (const name of Object.keys(dataset.columns)) {
      // The engine draws its plan in boxes, and breaks long names.
      const plan = (await explain(dataset, { ...Object.fromEntries(required), columns: name })).replace(/[│\s]/g, '')
      expect.soft(plan, `${dataset.slug} columns=${name}`).toContain(name)
      expect.soft(plan, `${dataset.slug} columns=${name}`).not.toContain('Error')
    }
  }
})
