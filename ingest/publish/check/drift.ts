import { driftOf } from '../../../catalog/index.ts'
import type { Words } from '../../../src/core/index.ts'
import { quote } from '../../../src/engine/index.ts'
import { type Parent, readParts } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'
import type { Batch, BatchFault } from './batch.ts'
import { list, type Relation } from './relations.ts'

/** Reports lost rows, older dates, or samples that would replace real rows. */
export async function checkWhole(
  workspace: Workspace,
  batch: Batch,
  incoming: Relation,
  served: Parent | undefined,
  parent: Parent | undefined,
): Promise<readonly BatchFault[]> {
  const { synthetic, accept } = batch
  if (synthetic && served && !served.manifest.synthetic) {
    const words = {
      en: 'The served release has real rows. Synthetic rows can never replace them.',
      zh: '提供中的版本為真實資料，合成資料不得取代真實資料。',
    }
    return [fault('synthetic_over_real', words, {})]
  }
  if (!served || served.manifest.synthetic !== synthetic) return []
  if (!parent) return accept.includes('schema_change') || batch.dataset.publish.mode === 'replace' ? [] : [otherColumns(served)]
  const faults = [...(await lostRows(workspace, batch, incoming, served)), ...(await datesBackwards(workspace, batch, incoming, served))]
  return faults.filter(({ rule }) => !accept.includes(rule))
}

/** Fault of served rows that do not fit the catalog's columns. Publishing would drop these rows. */
function otherColumns({ manifest: { release, statistics } }: Parent): BatchFault {
  const words = {
    en: `The ${statistics.rows} rows of ${release} do not fit the catalog's columns, because a column has another type or a new column may not be null. Make the new column nullable, or pass --accept schema_change to drop these rows.`,
    zh: `${release} 的 ${statistics.rows} 列與目錄所定欄位不符：欄位型別不同，或新增了不允許空值的欄位。請將新欄位設為允許空值，或以 --accept schema_change 捨棄這些資料列。`,
  }
  return fault('schema_change', words, { release, rows: statistics.rows })
}

async function lostRows(
  { session }: Workspace,
  { dataset }: Batch,
  incoming: Relation,
  { manifest }: Parent,
): Promise<readonly BatchFault[]> {
  if (dataset.publish.mode !== 'replace') return []
  const before = manifest.statistics.rows
  const rows = Number((await session.rows(`SELECT count(*)::INTEGER AS rows FROM ${incoming}`))[0]!['rows'])
  if (rows >= before * driftOf(dataset).kept) return []
  const words = {
    en: `The file has ${rows} rows, but the served release has ${before}. Check that the file is complete, or pass --accept row_count_drift.`,
    zh: `檔案有 ${rows} 列，提供中的版本則有 ${before} 列；請確認檔案完整，或以 --accept row_count_drift 放行。`,
  }
  return [fault('row_count_drift', words, { rows, served: before })]
}

/**
 * Reports a list that is older than the served one. Time series are not checked, because their
 * days may arrive in any order.
 */
async function datesBackwards(
  { session }: Workspace,
  { dataset }: Batch,
  incoming: Relation,
  served: Parent,
): Promise<readonly BatchFault[]> {
  const { date, listedOn, publish } = dataset
  const day = date === undefined ? listedOn : quote(date)
  const isList = publish.mode === 'replace' || (publish.slice !== undefined && !publish.slice.includes(date ?? ''))
  if (day === undefined || !isList || served.manifest.parts.length === 0) return []
  const slice = publish.slice ? `concat_ws(' ', ${list(publish.slice)})` : "''"
  const newest = (from: string): string => `SELECT ${slice} AS slice, max(${day}) AS day FROM ${from} GROUP BY 1`
  const rows = await session.rows(
    `SELECT n.slice, n.day::VARCHAR AS day, o.day::VARCHAR AS served FROM (${newest(incoming)}) AS n
     JOIN (${newest(await readParts(served, served.manifest.parts))}) AS o USING (slice) WHERE n.day < o.day`,
  )
  return rows.map(row => {
    const words = {
      en: `The newest date ${row['slice'] ? `of ${row['slice']} ` : ''}is ${row['day']}, but the served release already has ${row['served']}. Check that this is the newer list, or pass --accept dates_backwards.`,
      zh: `${row['slice'] ? `${row['slice']} 的` : ''}最新日期為 ${row['day']}，早於提供中版本的 ${row['served']}；請確認這是較新的清單，或以 --accept dates_backwards 放行。`,
    }
    return fault('dates_backwards', words, row)
  })
}

const fault = (rule: string, { en, zh }: Words, sample: object): BatchFault => ({
  rule,
  source: null,
  column: null,
  count: 1,
  samples: [sample],
  message: en,
  message_zh: zh,
})
