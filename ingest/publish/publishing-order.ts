import type { Catalog, Dataset } from '../../catalog/index.ts'
import type { Workspace } from './write/workspace.ts'

/**
 * Maximum total number of rows for which two datasets are published at a time. The rows must fit
 * into the engine's memory, together with the rows with which they are compared.
 */
const MOST_ROWS_BESIDE = 200_000

export interface Waiting {
  readonly slug: string
  readonly rows: number
}

/**
 * Publishes datasets in dependency order, two at a time if they are small. Publishing one day
 * mostly waits for the disk and for single-threaded statements.
 *
 * @param publish publishes one dataset in a lane (a workspace of its own); must not reject
 */
export async function publishInOrder(
  workspace: Workspace,
  waiting: readonly Waiting[],
  publish: (slug: string, lane: Workspace) => Promise<void>,
): Promise<void> {
  const left = inPublishingOrder(
    workspace.catalog,
    waiting.map(({ slug }) => slug),
  )
  const rows = waiting.reduce((sum, one) => sum + one.rows, 0)
  const free = [workspace, ...(left.length > 1 && rows <= MOST_ROWS_BESIDE ? [await workspace.lane()] : [])]
  const running = new Map<string, Promise<void>>()
  const isReady = (slug: string, at: number): boolean => {
    const before = [...running.keys(), ...left.slice(0, at)]
    return !dependencies(workspace.catalog.get(slug)!).some(other => before.includes(other))
  }
  while (left.length + running.size > 0) {
    const next = free.length > 0 ? left.findIndex(isReady) : -1
    if (next === -1) {
      await Promise.race(running.values())
      continue
    }
    const [[slug], lane] = [left.splice(next, 1), free.shift()!]
    const work = publish(slug!, lane).finally(() => {
      running.delete(slug!)
      free.push(lane)
    })
    running.set(slug!, work)
  }
}

/** Returns the datasets that a dataset joins, is compared with, or is computed from. */
const dependencies = ({ derive = [], rules = [], reconcile = [], from }: Dataset): readonly string[] => [
  ...(from?.inputs ?? []),
  ...derive.map(({ dataset }) => dataset),
  ...rules.flatMap(rule => ('dataset' in rule ? [rule.dataset as string] : [])),
  ...reconcile.flatMap(({ against }) => against?.dataset ?? []),
]

/**
 * Sorts slugs by dependency, otherwise in the order of the list. In a cycle, the first slug of the
 * list comes first.
 */
function inPublishingOrder(catalog: Catalog, slugs: readonly string[]): string[] {
  const left = [...slugs]
  const isReady = (slug: string): boolean => !dependencies(catalog.get(slug)!).some(other => other !== slug && left.includes(other))
  return slugs.map(() => left.splice(Math.max(0, left.findIndex(isReady)), 1)[0]!)
}
