import type { Dataset } from '../catalog/dataset.ts'
import { resolveBranches } from './derive/branches.ts'
import { publishEarnings } from './derive/earnings.ts'
import type { Desk } from './publish/desk.ts'
import { openParent } from './publish/parent.ts'
import { type Outcome, publish } from './publish/publish.ts'
import { openStaging, stagedColumns } from './stage-rows.ts'

/** A publication that another one brought about. */
export interface FollowUp {
  readonly dataset: string
  readonly outcome: Outcome
}

type Work = (desk: Desk, closedDays: ReadonlySet<string>) => Promise<readonly FollowUp[]>

/** Datasets made from another dataset's rows, by the dataset whose publication makes them anew. */
const MADE_FROM: Readonly<Record<string, Work>> = {
  'income-statements': publishEarnings,
  'securities-firm-master': resolveBranches,
  'broker-branch-reference': resolveBranches,
}

/**
 * Publishes what a just published dataset bears on: datasets made from it, and derived columns that join it, for the keys that moved.
 * Whatever order files arrive in, the served columns end up the same.
 */
export async function followUp(desk: Desk, published: Dataset, closedDays: ReadonlySet<string>): Promise<readonly FollowUp[]> {
  const moved = (await desk.session.rows('SELECT key FROM moved')).map(row => String(row['key']))
  const made = (await MADE_FROM[published.slug]?.(desk, closedDays)) ?? []
  const joining = [...desk.catalog.values()].filter(({ derive }) => derive?.some(({ dataset }) => dataset === published.slug))
  const derived: FollowUp[] = []
  for (const dataset of joining) {
    const outcome = await deriveAgain(desk, dataset, moved, closedDays)
    if (outcome) derived.push({ dataset: dataset.slug, outcome })
  }
  return [...made, ...derived]
}

async function deriveAgain(
  desk: Desk,
  dataset: Dataset,
  touchedKeys: readonly string[],
  closedDays: ReadonlySet<string>,
): Promise<Outcome | undefined> {
  const parent = await openParent(desk.releases, dataset)
  if (!parent) return undefined
  await openStaging(desk.session, 'raw', stagedColumns(dataset, []))
  const batch = {
    dataset,
    relation: 'raw',
    sources: [],
    synthetic: parent.manifest.synthetic,
    accept: [],
    sourceBySource: true,
    closedDays,
    touchedKeys,
  }
  return publish(desk, batch)
}
