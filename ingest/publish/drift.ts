import { quote } from '../../src/query/sql.ts'
import type { Batch } from './batch.ts'
import type { Desk } from './desk.ts'
import type { BatchFault } from './fault.ts'
import type { Parent } from './parent.ts'

/** A snapshot that lost more than this share of its rows is more likely half a file than news. */
const LEAST_KEPT = 0.95

/** Faults of a snapshot against the one it replaces: rows gone missing, dates moving backwards. */
export async function checkWhole(
  { session }: Desk,
  { dataset, accept, synthetic }: Batch,
  served: Parent | undefined,
): Promise<readonly BatchFault[]> {
  if (synthetic && served && !served.manifest.synthetic) {
    return [fault('synthetic_over_real', 'The served release holds real rows; synthetic ones are never published over them.', {})]
  }
  if (dataset.publish.mode !== 'replace' || !served || served.manifest.synthetic !== synthetic) return []
  const last = dataset.date === undefined ? 'NULL' : `max(${quote(dataset.date)})::VARCHAR`
  const [row] = await session.rows(`SELECT count(*)::INTEGER AS rows, ${last} AS last FROM incoming`)
  const [rows, before] = [Number(row!['rows']), served.manifest.statistics]
  const faults: BatchFault[] = []
  if (rows < before.rows * LEAST_KEPT) {
    const message = `The file has ${rows} rows where the served release has ${before.rows}; check that it is whole, or pass --accept row_count_drift.`
    faults.push(fault('row_count_drift', message, { rows, served: before.rows }))
  }
  if (before.last_date !== null && row!['last'] !== null && String(row!['last']) < before.last_date) {
    const message = `The file's newest date is ${row!['last']}, before ${before.last_date} of the served release; check that it is the newest, or pass --accept dates_backwards.`
    faults.push(fault('dates_backwards', message, { newest: row!['last'], served: before.last_date }))
  }
  return faults.filter(({ rule }) => !accept.includes(rule))
}

const fault = (rule: string, message: string, sample: object): BatchFault => ({
  rule,
  source: null,
  column: null,
  count: 1,
  samples: [sample],
  message,
})
