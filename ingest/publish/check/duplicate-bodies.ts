import type { Dataset } from '../../../catalog/index.ts'
import { quote } from '../../../src/engine/index.ts'
import { type Parent, readParts } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'
import type { Batch, BatchFault } from './batch.ts'
import { columnsOf, differ, equal, list, type Relation } from './relations.ts'

/** Minimum number of equal rows. Fewer may be a coincidence. */
const LEAST_EQUAL = 2
/**
 * Minimum share of equal rows in two copies of a file. Not 1, because late filings change some
 * rows.
 */
const LEAST_SHARE = 0.5

/** Reports files that repeat the figures of another period. Only for datasets without slices. */
export async function checkBodies(
  workspace: Workspace,
  { dataset, accept }: Batch,
  incoming: Relation,
  parent: Parent | undefined,
): Promise<readonly BatchFault[]> {
  const { key, date, publish, cadence } = dataset
  if (publish.body === undefined || key === undefined || date === undefined || accept.includes('same_body')) return []
  const named = cadence.every === 'quarter' ? quarterOf : (day: string) => day
  return (await twinsOf(workspace, dataset, { key, date, body: publish.body, incoming }, parent)).map(
    ({ source, of, day, twin, shared, same }) => {
      const [own, other] = [`${of} ${named(day)}`, `${of} ${named(twin)}`]
      const message = `${own} and ${other} share ${shared} keys, and ${same} of them have the same figures, so one of the two dates is probably wrong. Check --date, or pass --accept same_body if both are correct.`
      const message_zh = `${own} 與 ${other} 共有的 ${shared} 列中，有 ${same} 列數字完全相同，其中一個日期可能有誤；請檢查 --date，若兩者皆正確，請以 --accept same_body 放行。`
      return { rule: 'same_body', source, column: null, count: same, samples: [own, other], message, message_zh }
    },
  )
}

const quarterOf = (day: string): string => `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`

interface Twin {
  readonly source: number
  /** Distinguishes files of the same day, for example by market. */
  readonly of: string
  readonly day: string
  readonly twin: string
  /** Number of keys with rows on both days. */
  readonly shared: number
  readonly same: number
}

interface Names {
  readonly key: string
  readonly date: string
  readonly body: readonly string[]
  readonly incoming: Relation
}

/**
 * For each file, finds the other day with the most equal figures. Searches the batch and the
 * release.
 */
async function twinsOf(
  workspace: Workspace,
  dataset: Dataset,
  { key, date, body, incoming }: Names,
  parent: Parent | undefined,
): Promise<readonly Twin[]> {
  const columns = list(columnsOf(dataset), 'p')
  const unreplaced = `WHERE NOT EXISTS (SELECT 1 FROM ${incoming} AS i WHERE ${equal(dataset.grain, 'i', 'p')})`
  const parts = parent?.manifest.parts ?? []
  const former = parent && parts.length > 0 ? `SELECT ${columns} FROM ${await readParts(parent, parts)} AS p ${unreplaced} UNION ALL` : ''
  const figures = columnsOf(dataset).filter(name => dataset.columns[name]!.type === 'number')
  const others = body.filter(name => name !== date)
  const rows = await workspace.session.rows(
    `WITH held AS (${former} SELECT ${columns} FROM ${incoming} AS p),
      pairs AS (SELECT n."_source"::INTEGER AS source, concat_ws(' ', ${list(others, 'n')}) AS of, n.${quote(date)}::VARCHAR AS day, h.${quote(date)}::VARCHAR AS twin,
        count(*)::INTEGER AS shared, count(*) FILTER (NOT (${differ(figures, 'n', 'h')}))::INTEGER AS same
        FROM ${incoming} AS n JOIN held AS h ON ${equal([key, ...others], 'n', 'h')} AND n.${quote(date)} <> h.${quote(date)}
        WHERE coalesce(${list(figures, 'n')}) IS NOT NULL GROUP BY ALL)
     SELECT * FROM pairs WHERE same >= ${LEAST_EQUAL} AND same >= shared * ${LEAST_SHARE}
     QUALIFY row_number() OVER (PARTITION BY source, of, day ORDER BY same DESC, twin DESC) = 1 ORDER BY source, of, day`,
  )
  return rows as unknown as readonly Twin[]
}
