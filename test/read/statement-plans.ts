import { expect } from 'vitest'
import { type Dataset, loadCatalog, served } from '../../catalog/index.ts'
import { planRead, type ReadLimits, type ReadParams } from '../../src/read/index.ts'
import { selectRows } from '../../src/read/select-rows.ts'
import { service } from '../support.ts'

const datasets = served(await loadCatalog())
const limits: ReadLimits = { plan: 'max', rowLimit: 100_000, queueKey: 'acct' }

/** Pattern of engine plans that read a file. */
export const READS = /READ_PARQUET/
/**
 * Pattern of engine plans that read a file, or skip it because its statistics exclude the range.
 */
export const READS_OR_SKIPS = /READ_PARQUET|EMPTY_RESULT/
export const SORTS = /TOP_N|ORDER_BY/

/** Engine plans of reads of every dataset, on a service with example rows. */
export async function statementPlans() {
  const s = await service({ inMemory: false, indexed: false })
  const session = await s.engine.connect()

  /** The engine's plan for a read as text, or its error. */
  async function explain({ slug }: Dataset, query: ReadParams): Promise<string> {
    const dataset = s.dataset(slug)
    try {
      const plan = planRead(dataset, s.releases.current(dataset), query, limits)
      const { text, values } = selectRows(plan, plan.columns)
      return (await session.rows(`EXPLAIN ${text}`, values)).map(row => String(row['explain_value'])).join('')
    } catch (error) {
      return String(error)
    }
  }

  return {
    s,
    /**
     * Plans a read of each dataset with its required parameters and `query`. Compares the text of
     * the plan, without the lines of its boxes, with the pattern.
     */
    async check(queries: (dataset: Dataset) => readonly (readonly [query: ReadParams, pattern: RegExp])[]): Promise<void> {
      for (const dataset of datasets) {
        const required = Object.entries(valuesOf(dataset)).filter(([name]) => dataset.filters[name]!.required)
        for (const [query, pattern] of queries(dataset)) {
          // The engine prints its plan in boxes, and breaks long names.
          const plan = (await explain(dataset, { ...Object.fromEntries(required), ...query })).replace(/[│\s]/g, '')
          expect.soft(plan, `${dataset.slug} ${JSON.stringify(query)}`).toMatch(pattern)
        }
      }
    },
    async close() {
      session.close()
      await s.close()
    },
  }
}

/** Values of the first example row, so that the release has a part for them. */
export function valuesOf({ filters, example }: Dataset): Readonly<Record<string, string>> {
  const value = (name: string): string => {
    const { op, column, example: shown } = filters[name]!
    return op === 'latest' ? 'true' : String((example[0] as Record<string, unknown>)[column] ?? shown)
  }
  return Object.fromEntries(Object.keys(filters).map(name => [name, value(name)]))
}
