import type { Dataset } from '../catalog/dataset.ts'
import type { Changes } from '../catalog/release.ts'
import { derivedColumns } from '../catalog/schema.ts'
import { closedDaysOf } from './closed-days.ts'
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
 * Publishes what a just published dataset bears on: datasets made from it, and derived columns that join it or count its days, for the
 * keys that moved. Whatever order files arrive in, the served columns end up the same.
 */
export async function followUp(desk: Desk, published: Dataset, changes: Changes): Promise<readonly FollowUp[]> {
  const closedDays = await closedDaysOf(desk)
  const moved = (await desk.session.rows('SELECT key FROM moved')).map(row => String(row['key']))
  const made = (await MADE_FROM[published.slug]?.(desk, closedDays)) ?? []
  const derived: FollowUp[] = []
  for (const dataset of [...desk.catalog.values()].filter(({ slug }) => slug !== published.slug)) {
    const joins = dataset.derive?.some(join => join.dataset === published.slug) === true
    const counts = published.slug === 'trading-calendar' && derivedColumns(dataset).length > 0
    const keys = joins ? moved : counts ? await keysAcross(desk, dataset, changes) : []
    const outcome = keys.length > 0 ? await deriveAgain(desk, dataset, published, keys, closedDays) : undefined
    if (outcome) derived.push({ dataset: dataset.slug, outcome })
  }
  return [...made, ...derived]
}

/** Keys with rows on both sides of days whose closing became known, or was taken back. */
async function keysAcross(desk: Desk, dataset: Dataset, { date_from, date_to }: Changes): Promise<readonly string[]> {
  const parent = await openParent(desk.releases, dataset)
  if (!parent || date_from === null || date_to === null) return []
  const spans = [...Object.entries(parent.spans.base), ...Object.entries(parent.spans.delta)]
  const reach = Map.groupBy(spans, ([key]) => key)
  return [...reach]
    .filter(([, own]) => own.some(([, [first]]) => first! < date_to) && own.some(([, [, last]]) => last! > date_from))
    .map(([key]) => key)
}

/** Samples are left as they are when real rows arrive, and real rows when samples do. */
async function deriveAgain(
  desk: Desk,
  dataset: Dataset,
  published: Dataset,
  touchedKeys: readonly string[],
  closedDays: ReadonlySet<string>,
): Promise<Outcome | undefined> {
  const [parent, news] = [await openParent(desk.releases, dataset), await openParent(desk.releases, published)]
  if (!parent || parent.manifest.synthetic !== news?.manifest.synthetic) return undefined
  await openStaging(desk.session, 'raw', stagedColumns(dataset, []))
  const { synthetic } = parent.manifest
  const batch = { dataset, relation: 'raw', sources: [], synthetic, accept: [], sourceBySource: true, closedDays, touchedKeys }
  return publish(desk, batch)
}
