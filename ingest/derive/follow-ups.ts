import { type Catalog, type Dataset, derivedColumns } from '../../catalog/index.ts'
import type { Changes } from '../../src/releases/index.ts'
import { calendarOf } from '../intake/index.ts'
import {
  type DatasetOutcome,
  loggedJoin,
  logJoin,
  type Outcome,
  openParent,
  openStaging,
  type Parent,
  publish,
  stagedColumns,
  type TradingCalendar,
  type Workspace,
} from '../publish/index.ts'
import { resolveBranches } from './branches.ts'
import { publishEarnings } from './earnings.ts'

type Work = (workspace: Workspace, calendar: TradingCalendar) => Promise<readonly DatasetOutcome[]>

/** What is made anew from a dataset's rows when it is published: datasets, by the work that makes them. */
const MADE_FROM: Readonly<Record<string, { readonly makes: readonly string[]; readonly work: Work }>> = {
  'income-statements': { makes: ['earnings', 'company-earnings'], work: publishEarnings },
  'securities-firm-master': { makes: ['broker-branch-reference'], work: resolveBranches },
  'broker-branch-reference': { makes: [], work: resolveBranches },
}

const joins = ({ derive = [] }: Dataset, { slug }: Dataset): boolean => derive.some(({ dataset }) => dataset === slug)
const counts = (dataset: Dataset, { slug }: Dataset): boolean => slug === 'trading-calendar' && derivedColumns(dataset).length > 0

/** Slugs of the datasets whose rows, or some columns of them, are computed from a dataset's. */
export const computedFrom = (catalog: Catalog, source: Dataset): readonly string[] =>
  [...catalog.values()]
    .filter(dataset => MADE_FROM[source.slug]?.makes.includes(dataset.slug) || joins(dataset, source) || counts(dataset, source))
    .map(({ slug }) => slug)

/**
 * Publishes what a dataset's served release bears on: datasets made from it, and derived columns that join it or count its days.
 * Whatever order files arrive in, the served columns end up the same; a follow-up that a crash or a lock prevented is made up for by
 * the next one, whether that brings news or not.
 *
 * @param changes what the publication changed; null when everything was served already
 */
export async function followUp(workspace: Workspace, published: Dataset, changes: Changes | null): Promise<readonly DatasetOutcome[]> {
  const calendar = await calendarOf(workspace)
  const moved = changes ? (await workspace.session.rows('SELECT key FROM moved')).map(row => String(row['key'])) : []
  const made = (await MADE_FROM[published.slug]?.work(workspace, calendar)) ?? []
  const derived: DatasetOutcome[] = []
  for (const dataset of [...workspace.catalog.values()].filter(({ slug }) => slug !== published.slug)) {
    const keys = await keysToDerive(workspace, dataset, published, changes, moved)
    const outcome = keys.length > 0 ? await deriveAgain(workspace, dataset, published, keys, calendar) : undefined
    if (outcome) derived.push({ dataset: dataset.slug, outcome })
    const takesIn = joins(dataset, published) || counts(dataset, published)
    if (takesIn && outcome?.status !== 'refused') await logServed(workspace, dataset, published)
  }
  return [...made, ...derived]
}

/**
 * Keys whose derived columns may differ from what they are by the served release: those that its own changes bear on when the one
 * before it was taken in, else all. A calendar that is the first one changed every day it names.
 */
async function keysToDerive(workspace: Workspace, dataset: Dataset, published: Dataset, changes: Changes | null, moved: readonly string[]) {
  if (!joins(dataset, published) && !counts(dataset, published)) return []
  const [parent, news] = [await openParent(workspace.releases, dataset), await openParent(workspace.releases, published)]
  const known = loggedJoin(workspace.captures, dataset.slug, published.slug)
  if (!parent || !news || known === news.manifest.release) return []
  const before = known ?? (counts(dataset, published) ? null : undefined)
  if (before === news.manifest.parent) return joins(dataset, published) ? moved : keysAcross(parent, changes)
  return [...new Set([...Object.keys(parent.spans.base), ...Object.keys(parent.spans.delta)])]
}

async function logServed(workspace: Workspace, dataset: Dataset, published: Dataset): Promise<void> {
  const news = await openParent(workspace.releases, published)
  if (news) logJoin(workspace.captures, dataset.slug, published.slug, news.manifest.release)
}

/** Keys with rows on both sides of days whose closing became known, or was taken back. */
function keysAcross({ spans: { base, delta } }: Parent, changes: Changes | null): readonly string[] {
  const { date_from, date_to } = changes ?? { date_from: null, date_to: null }
  if (date_from === null || date_to === null) return []
  const spans = [...Object.entries(base), ...Object.entries(delta)]
  const reach = Map.groupBy(spans, ([key]) => key)
  return [...reach]
    .filter(([, own]) => own.some(([, [first]]) => first! < date_to) && own.some(([, [, last]]) => last! > date_from))
    .map(([key]) => key)
}

/** Samples are left as they are when real rows arrive, and real rows when samples do. */
async function deriveAgain(
  workspace: Workspace,
  dataset: Dataset,
  published: Dataset,
  touchedKeys: readonly string[],
  calendar: TradingCalendar,
): Promise<Outcome | undefined> {
  const [parent, news] = [await openParent(workspace.releases, dataset), await openParent(workspace.releases, published)]
  if (!parent || parent.manifest.synthetic !== news?.manifest.synthetic) return undefined
  await openStaging(workspace.session, 'raw', stagedColumns(dataset, []))
  const { synthetic } = parent.manifest
  const batch = { dataset, relation: 'raw', sources: [], synthetic, accept: [], sourceBySource: true, calendar, touchedKeys }
  return publish(workspace, batch)
}
