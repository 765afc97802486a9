import type { Row } from '../../catalog/index.ts'
import { brokerNameKey } from '../feeds/index.ts'
import {
  createServedReleases,
  createStaging,
  type DatasetOutcome,
  type Parent,
  publish,
  readParts,
  stagedColumns,
  stageRows,
  type TradingCalendar,
  type Workspace,
} from '../publish/index.ts'

const UNRESOLVED = 'broker_id_unresolved_fallback_key'

/**
 * Fills in missing parent codes of broker branches by firm name. A branch whose name matches no
 * firm keeps its fallback code and its gap label.
 */
export async function resolveBranches(workspace: Workspace, calendar: TradingCalendar): Promise<readonly DatasetOutcome[]> {
  const dataset = workspace.catalog.get('broker-branch-reference')!
  const served = createServedReleases(workspace)
  const [branches, firms] = [await served.of(dataset.slug), await served.of('securities-firm-master')]
  if (!branches || !firms || branches.manifest.synthetic !== firms.manifest.synthetic) return []
  const codes = await codesByName(workspace, firms)
  const columns = stagedColumns(dataset, [])
  const rows = await workspace.session.rows(`SELECT * FROM ${await readParts(branches, branches.manifest.parts)}`)
  const resolved = rows.map(row => resolve(row, codes))
  if (resolved.every((row, index) => row === rows[index])) return []
  const relation = await createStaging(workspace.session, 'raw', columns)
  await stageRows(workspace.session, textual(dataset), relation, columns, 0, resolved)
  const { sources, synthetic } = branches.manifest
  const [source] = sources.map(({ rows: _, ...rest }) => rest)
  const outcome = await publish(workspace, {
    dataset,
    relation,
    sources: source ? [source] : [],
    synthetic,
    accept: [],
    sourceBySource: false,
    calendar,
  })
  return [{ dataset: dataset.slug, outcome }]
}

async function codesByName({ session }: Workspace, firms: Parent): Promise<ReadonlyMap<string, string>> {
  const rows = await session.rows(`SELECT broker_id, broker_name FROM ${await readParts(firms, firms.manifest.parts)}`)
  return new Map(rows.map(row => [brokerNameKey(row['broker_name']), String(row['broker_id'])]))
}

/** Fills in the code of the parent firm, if known. */
function resolve(row: Row, codes: ReadonlyMap<string, string>): Row {
  const code = codes.get(brokerNameKey(row['parent_broker_name']))
  if (code === undefined || !String(row['parent_broker_code']).startsWith('name:')) return row
  const lineage = { ...JSON.parse(String(row['source_lineage'])), broker_code: code, broker_id_source: 'firm_master' }
  const gaps = (JSON.parse(String(row['data_gaps'])) as string[]).filter(gap => gap !== UNRESOLVED)
  return { ...row, parent_broker_code: code, source_lineage: JSON.stringify(lineage), data_gaps: JSON.stringify(gaps) }
}

/** Returns the dataset with text columns only, because stored rows contain JSON columns as text. */
const textual = (dataset: Parameters<typeof stageRows>[1]): typeof dataset => ({
  ...dataset,
  columns: Object.fromEntries(Object.entries(dataset.columns).map(([name, column]) => [name, { ...column, type: 'text' as const }])),
})
