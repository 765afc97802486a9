import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog, rangeColumns, served } from '../../catalog/index.ts'
import type { Grant } from '../../src/core/index.ts'
import type { Session } from '../../src/engine/index.ts'
import { planRead, type ReadParams } from '../../src/read/index.ts'
import { selectRows } from '../../src/read/select-rows.ts'
import { service, type TestService } from '../support.ts'

const datasets = served(await loadCatalog()).filter(({ planned }) => !planned)
const grant: Grant = { accountId: 'acct', keyId: 'key', plan: 'max', rowLimit: 100_000 }

/** Reads a file, unless its statistics say that no figure of it lies in the range. */
const PLANNED = /READ_PARQUET|EMPTY_RESULT/

let s: TestService
let session: Session
beforeAll(async () => {
  s = await service()
  session = await s.engine.connect()
})
afterAll(async () => {
  session.close()
  await s.close()
})

/** The engine's plan of a read as one text. */
async function explain(slug: string, query: ReadParams): Promise<string> {
  const dataset = s.dataset(slug)
  const plan = planRead(dataset, s.releases.current(dataset), query, grant)
  const { text, values } = selectRows(plan, plan.columns)
  return (await session.rows(`EXPLAIN ${text}`, values)).map(row => String(row['explain_value'])).join('')
}

describe.each(datasets)('a statement for $slug runs in the engine and', dataset => {
  const { slug, filters, columns, sortable, example } = dataset
  /** What the first example row holds, so that the release has a part for it. */
  const value = (name: string): string => {
    const { op, column, example: shown } = filters[name]!
    return op === 'latest' ? 'true' : String((example[0] as Record<string, unknown>)[column] ?? shown)
  }
  const required = Object.fromEntries(
    Object.keys(filters)
      .filter(name => filters[name]!.required)
      .map(name => [name, value(name)]),
  )

  it.each(Object.keys(filters))('reads by %s', async name => {
    const planned = await explain(slug, { ...required, [name]: value(name) })
    expect(planned).toMatch(/READ_PARQUET/)
  })

  it.each(rangeColumns(dataset))('reads by a range of %s', async name => {
    expect(await explain(slug, { ...required, range: `${name}:-1..<1000` })).toMatch(PLANNED)
  })

  it('reads by every parameter at once', async () => {
    const all = Object.fromEntries(Object.keys(filters).map(name => [name, value(name)]))
    const range = rangeColumns(dataset).map(name => `${name}:-1..1`)
    expect(await explain(slug, { ...all, ...(range.length > 0 && { range: range.join(',') }) })).toMatch(PLANNED)
  })

  it.each(sortable.flatMap(by => [`${by} asc`, `${by} desc`]))('sorts by %s', async order => {
    const [sort_by, sort_order] = order.split(' ') as [string, string]
    expect(await explain(slug, { ...required, sort_by, sort_order })).toMatch(/TOP_N|ORDER_BY/)
  })

  it.each(Object.keys(columns))('sorts by %s, which any column may be', async name => {
    expect(await explain(slug, { ...required, sort: `-${name}` })).toMatch(/TOP_N|ORDER_BY/)
  })

  it.each(Object.keys(columns))('reads %s alone', async name => {
    // The engine draws its plan in boxes, and breaks long names.
    expect((await explain(slug, { ...required, columns: name })).replace(/[│\s]/g, '')).toContain(name)
  })
})
