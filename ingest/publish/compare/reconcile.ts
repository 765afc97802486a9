import { createHash } from 'node:crypto'
import { type Dataset, type GroupedRows, type Reconciliation, schemaHash, storedName } from '../../../catalog/index.ts'
import { fromParts, quote } from '../../../src/engine/index.ts'
import { type Measured, type Part, releasePaths } from '../../../src/releases/index.ts'
import type { Batch } from '../check/batch.ts'
import { equal } from '../check/relations.ts'
import type { Basis } from '../check/served-basis.ts'
import { allOver } from '../write/commit.ts'
import { type Parent, readParts, type ServedReleases } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'
import type { Difference } from './compare.ts'
import { type Received, SOURCE_ROWS, SOURCE_TOTALS } from './source-figures.ts'

interface Made {
  readonly release: string
  readonly parts: readonly Part[]
  readonly rows: number
  readonly received: Received
  readonly difference: Difference | null
}

/** Runs the comparisons that this publication affects. Reads the files that will be served. */
export async function reconcile(
  workspace: Workspace,
  batch: Batch,
  { parent, served }: Pick<Basis, 'parent' | 'served'>,
  made: Made,
): Promise<readonly Measured[]> {
  const { dataset } = batch
  const own: Measured[] = receivedTotals(dataset, made)
  const rows =
    made.parts.length > 0 ? fromParts(made.parts.map(part => releasePaths(workspace.releases, dataset.slug).part(part.sha256))) : null
  for (const declared of (dataset.reconcile ?? []).filter(({ over }) => over === 'release')) {
    if (declared.against) own.push(await againstServed(workspace, batch, declared, served, made, rows))
    else own.push({ ...base(dataset, declared, made.release), ...(await alone(workspace, dataset, declared, parent, made, rows)) })
  }
  return [...own, ...(rows === null ? [] : await others(workspace, batch, served, made.release, rows))]
}

type Counts = Pick<Measured, 'rows' | 'compared' | 'matched'>

const base = (dataset: Dataset, declared: Reconciliation, release: string) => ({
  method: declared.method,
  dataset: storedName(dataset.slug),
  release,
  against: null,
  formula: formulaOf(declared),
})

const formulaOf = ({ holds, against }: Reconciliation): string =>
  createHash('sha256')
    .update(JSON.stringify([holds, against]))
    .digest('hex')
    .slice(0, 16)

/** Adds up the counts of received rows. Includes rows that belong to no known source. */
function receivedTotals({ slug, reconcile = [] }: Dataset, { release, rows, received }: Made): Measured[] {
  const declared = reconcile.filter(({ over }) => over === 'received').map(({ method }) => method)
  const totals = received[SOURCE_TOTALS] === undefined ? [] : [SOURCE_TOTALS]
  return [SOURCE_ROWS, ...totals, ...declared].map(method => {
    const counts = Object.values(received[method] ?? {})
    let [there, compared, matched] = [0, 0, 0]
    for (const count of counts) {
      there += count[0]
      compared += count[1]
      matched += count[2]
    }
    return { method, dataset: storedName(slug), release, against: null, formula: '', rows: Math.max(there, rows), compared, matched }
  })
}

/**
 * Counts the release's own rows that meet the comparison. Starts from the previous counts,
 * subtracts replaced and removed rows, and adds new ones.
 */
async function alone(
  workspace: Workspace,
  { slug, grain }: Dataset,
  declared: Reconciliation,
  parent: Parent | undefined,
  { rows, difference }: Made,
  whole: string | null,
): Promise<Counts> {
  const { holds, method } = declared
  const before = parent?.manifest.reconciliation?.find(
    each => each.method === method && each.dataset === storedName(slug) && each.formula === formulaOf(declared),
  )
  const measure = (from: string): Promise<Counts> => count(workspace, `SELECT (${holds}) AS ok FROM ${from} AS t`)
  if (!before || !difference) return whole === null ? { rows, compared: 0, matched: 0 } : measure(whole)
  const { overlap, upsert, removed } = difference
  const gone = `(SELECT o.* FROM ${overlap} AS o WHERE EXISTS (SELECT 1 FROM ${upsert} AS u WHERE ${equal(grain, 'u', 'o')}) UNION ALL SELECT * FROM ${removed})`
  const [less, more] = await allOver([
    measure(gone),
    count({ session: workspace.secondSession }, `SELECT (${holds}) AS ok FROM ${upsert} AS t`),
  ])
  const next = (name: 'compared' | 'matched'): number => before[name] - less[name] + more[name]
  return { rows, compared: next('compared'), matched: next('matched') }
}

/**
 * Compares the new rows with another served dataset. Skips damaged releases, and never compares
 * samples with real rows.
 */
async function againstServed(
  workspace: Workspace,
  batch: Batch,
  declared: Reconciliation,
  served: ServedReleases,
  made: Made,
  rows: string | null,
): Promise<Measured> {
  const facts = base(batch.dataset, declared, made.release)
  const other = await servedWhole(served, workspace.catalog.get(declared.against!.dataset)!, batch.synthetic)
  if (!other || rows === null) return { ...facts, rows: made.rows, compared: 0, matched: 0 }
  return { ...facts, against: other.release, ...(await count(workspace, joined(declared, rows, other.rows))) }
}

/** Compares other served datasets with the new rows. */
async function others(
  workspace: Workspace,
  { dataset, synthetic }: Batch,
  served: ServedReleases,
  release: string,
  rows: string,
): Promise<readonly Measured[]> {
  const found: Measured[] = []
  for (const other of workspace.catalog.values()) {
    for (const declared of (other.reconcile ?? []).filter(({ against }) => against?.dataset === dataset.slug)) {
      const counterpart = await servedWhole(served, other, synthetic)
      if (!counterpart) continue
      const counts = await count(workspace, joined(declared, counterpart.rows, rows))
      found.push({ ...base(other, declared, counterpart.release), against: release, ...counts })
    }
  }
  return found
}

function joined({ holds, against }: Reconciliation, rows: string, other: string): string {
  const { on, sums } = against!
  const conditions = Object.entries(on).map(([column, expression]) => `o.${quote(column)} = ${expression}`)
  const compared = sums === undefined ? other : `(${grouped(sums, other)})`
  return `SELECT (${holds}) AS ok FROM ${rows} AS t LEFT JOIN ${compared} AS o ON ${conditions.join(' AND ')}`
}

function grouped({ by, take, where = 'true' }: GroupedRows, rows: string): string {
  const columns = Object.entries({ ...by, ...take }).map(([name, expression]) => `${expression} AS ${quote(name)}`)
  return `SELECT ${columns.join(', ')} FROM ${rows} WHERE ${where} GROUP BY ${Object.values(by).join(', ')}`
}

/**
 * Returns a served release. Undefined if the release lacks the columns or is damaged. Damage must
 * not block this publication, and is reported when the damaged dataset is published or served.
 */
async function servedWhole(releases: ServedReleases, dataset: Dataset, synthetic: boolean) {
  const served = await releases.alike(dataset.slug, synthetic)
  if (served?.manifest.schema_hash !== schemaHash(dataset) || served.manifest.parts.length === 0) return undefined
  const rows = await readParts(served, served.manifest.parts).catch(() => undefined)
  return rows === undefined ? undefined : { release: served.manifest.release, rows }
}

async function count({ session }: Pick<Workspace, 'session'>, rows: string): Promise<Counts> {
  const [row] = await session.rows(
    `SELECT count(*)::INTEGER AS rows, count(ok)::INTEGER AS compared, count(*) FILTER (ok)::INTEGER AS matched FROM (${rows})`,
  )
  return { rows: Number(row!['rows']), compared: Number(row!['compared']), matched: Number(row!['matched']) }
}
