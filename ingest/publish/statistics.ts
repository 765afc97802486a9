import type { Dataset } from '../../catalog/index.ts'
import { fromParts, quote } from '../../src/engine/index.ts'
import type { Manifest, Part } from '../../src/releases/index.ts'
import type { Workspace } from './workspace.ts'

type Stated = Pick<Manifest['statistics'], 'distinct' | 'completeness'>

/** The numbers an envelope states about the whole release, measured over its parts. Nothing is read where none is stated. */
export async function measureStated(
  { session }: Workspace,
  dataset: Dataset,
  parts: readonly Part[],
  pathOf: (part: Part) => string,
): Promise<Stated> {
  const { envelope } = dataset
  if (envelope.kind !== 'B' && envelope.kind !== 'C') return { distinct: {}, completeness: null }
  const counted = envelope.kind === 'C' ? [...new Set(Object.values(envelope.counts))] : []
  const values = Object.keys(dataset.columns).filter(name => !dataset.columns[name]!.provenance)
  const measures = [
    `(${values.map(name => `count(${quote(name)})`).join(' + ')}) / nullif(count(*) * ${values.length}, 0) AS completeness`,
    ...counted.map(name => `count(DISTINCT ${quote(name)})::INTEGER AS ${quote(name)}`),
  ]
  if (parts.length === 0) return { distinct: Object.fromEntries(counted.map(name => [name, 0])), completeness: 0 }
  const [row] = await session.rows(`SELECT ${measures.join(', ')} FROM ${fromParts(parts.map(pathOf))}`)
  return { distinct: Object.fromEntries(counted.map(name => [name, Number(row![name])])), completeness: Number(row!['completeness'] ?? 0) }
}

/** Newest day the rows of a release say they were listed on, where a dataset has no date column; null where they do not say. */
export async function newestListed(
  { session }: Workspace,
  { listedOn }: Dataset,
  parts: readonly Part[],
  pathOf: (part: Part) => string,
): Promise<string | null> {
  if (listedOn === undefined || parts.length === 0) return null
  const [row] = await session.rows(`SELECT max(${listedOn})::VARCHAR AS day FROM ${fromParts(parts.map(pathOf))}`)
  return row!['day'] as string | null
}
