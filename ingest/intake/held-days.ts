import { fromParts, quote } from '../../src/engine/index.ts'
import type { Feed } from '../formats/index.ts'
import { openParent, type Workspace } from '../publish/index.ts'

/** Days of which real rows of a feed's first dataset are served, of its market where a body is one market's day. */
export async function publishedDays(workspace: Workspace, { datasets, daily }: Feed): Promise<ReadonlySet<string>> {
  const dataset = workspace.catalog.get(datasets[0]!)!
  const served = await openParent(workspace.releases, dataset)
  if (!served || served.manifest.synthetic || served.manifest.parts.length === 0 || dataset.date === undefined) return new Set()
  if (daily !== undefined) {
    const slices = Object.keys(served.spans.slices).filter(slice => slice.startsWith(`${daily} `))
    return new Set(slices.map(slice => slice.slice(-10)))
  }
  const parts = fromParts(served.manifest.parts.map(served.pathOf))
  const rows = await workspace.session.rows(`SELECT DISTINCT ${quote(dataset.date)}::VARCHAR AS day FROM ${parts}`)
  return new Set(rows.map(row => String(row['day'])))
}
