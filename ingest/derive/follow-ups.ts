import { type Catalog, type Dataset, derivedColumns } from '../../catalog/index.ts'
import type { Changes } from '../../src/releases/index.ts'
import { calendarOf } from '../intake/index.ts'
import {
  createServedReleases,
  createStaging,
  type DatasetOutcome,
  loggedJoin,
  logJoin,
  type Outcome,
  type Parent,
  publish,
  stagedColumns,
  type TradingCalendar,
  type Workspace,
} from '../publish/index.ts'
import { publishAdjusted } from './adjusted-prices.ts'
import { resolveBranches } from './branches.ts'
import { publishEarnings } from './earnings.ts'

type Work = (workspace: Workspace, calendar: TradingCalendar) => Promise<readonly DatasetOutcome[]>

const ADJUSTED = { makes: ['adjustment-factors', 'adjusted-prices'], work: publishAdjusted }

/** By the slug of a published dataset: the datasets made from its rows, and the work that makes them. */
const MADE_FROM: Readonly<Record<string, { readonly makes: readonly string[]; readonly work: Work }>> = {
  'income-statements': { makes: ['earnings', 'company-earnings'], work: publishEarnings },
  'securities-firm-master': { makes: ['broker-branch-reference'], work: resolveBranches },
  'broker-branch-reference': { makes: [], work: resolveBranches },
  'daily-prices': ADJUSTED,
  'ex-rights': ADJUSTED,
  'capital-changes': ADJUSTED,
}

const joins = ({ derive = [] }: Dataset, { slug }: Dataset): boolean => derive.some(({ dataset }) => dataset === slug)
const counts = (dataset: Dataset, { slug }: Dataset): boolean => slug === 'trading-calendar' && derivedColumns(dataset).length > 0

/** Slugs of the datasets whose rows, or some columns of them, are computed from a dataset's. */
export const computedFrom = (catalog: Catalog, source: Dataset): readonly string[] =>
  [...catalog.values()]
    .filter(dataset => MADE_FROM[source.slug]?.makes.includes(dataset.slug) || joins(dataset, source) || counts(dataset, source))
    .map(({ slug }) => slug)

/** True for a dataset whose publication others may follow from. */
export const isFollowed = (catalog: Catalog, source: Dataset): boolean =>
  MADE_FROM[source.slug] !== undefined || computedFrom(catalog, source).length > 0

/**
 * Publishes what depends on the served releases of datasets that were just published, each once however many of them it depends on:
 * datasets made from them, and derived columns that join them or count their days. Whatever order files arrive in, the served columns end
 * up the same; a follow-up that a crash or a lock prevented is made up for by the next publication, even an unchanged one.
 *
 * @param published datasets with what their publications came to; nothing follows a refusal
 */
export async function followUps(workspace: Workspace, published: readonly DatasetOutcome[]): Promise<readonly DatasetOutcome[]> {
  const taken = published.filter(({ outcome }) => outcome.status !== 'refused')
  if (taken.length === 0) return []
  const calendar = await calendarOf(workspace)
  const works = new Set(taken.flatMap(({ dataset }) => MADE_FROM[dataset]?.work ?? []))
  const made: DatasetOutcome[] = []
  for (const work of works) made.push(...(await work(workspace, calendar)))
  const derived: DatasetOutcome[] = []
  for (const dataset of workspace.catalog.values()) {
    const { keys, note } = await outdated(workspace, dataset, taken)
    const again = keys.length > 0 ? await deriveAgain(workspace, dataset, { keys, calendar }) : undefined
    if (again) derived.push({ dataset: dataset.slug, outcome: again })
    if (again?.status !== 'refused') note()
  }
  return [...made, ...derived]
}

/** Keys of a dataset whose derived columns may be out of date. */
export interface Outdated {
  readonly keys: readonly string[]
  /** Records that they were computed again, once they were. */
  readonly note: () => void
}

/**
 * What datasets that were just published may have changed in the derived columns of a dataset's served release: those who publish the
 * dataset next can compute it again with their own rows.
 */
export async function outdated(workspace: Workspace, dataset: Dataset, published: readonly DatasetOutcome[]): Promise<Outdated> {
  const served = createServedReleases(workspace)
  const sources = published.filter(({ dataset: slug, outcome }) => {
    const source = workspace.catalog.get(slug)
    if (source === undefined || slug === dataset.slug || outcome.status === 'refused') return false
    return joins(dataset, source) || counts(dataset, source)
  })
  const [keys, releases]: [string[][], Map<string, string>] = [[], new Map()]
  for (const { dataset: slug, outcome } of sources) {
    const [parent, news] = [await served.of(dataset.slug), await served.of(slug)]
    if (!news) continue
    releases.set(slug, news.manifest.release)
    // Samples are computed beside samples, and real rows beside real rows alone.
    if (parent?.manifest.synthetic !== news.manifest.synthetic) continue
    keys.push([...keysToDerive(workspace, dataset, workspace.catalog.get(slug)!, { parent, news, outcome })])
  }
  return {
    keys: [...new Set(keys.flat())],
    note() {
      for (const [source, release] of releases) logJoin(workspace.captures, dataset.slug, source, release)
    },
  }
}

interface News {
  /** The served release whose columns are derived again. */
  readonly parent: Parent
  /** The release that was published. */
  readonly news: Parent
}

/**
 * Keys whose derived columns may be out of date with the published release: those its changes affect when its parent was the last one
 * joined, otherwise all. The first release of the calendar changes every day it names.
 */
function keysToDerive(
  { captures }: Workspace,
  dataset: Dataset,
  published: Dataset,
  { parent, news, outcome }: News & { readonly outcome: Outcome },
): readonly string[] {
  const known = loggedJoin(captures, dataset.slug, published.slug)
  if (known === news.manifest.release) return []
  const before = known ?? (counts(dataset, published) ? null : undefined)
  // What an earlier publication moved is not known any more, when this one only makes up for what did not follow from it.
  const isNew = outcome.status === 'published' && outcome.release === news.manifest.release
  if (isNew && before === news.manifest.parent) return joins(dataset, published) ? outcome.moved : keysAcross(parent, outcome.changes)
  return [...new Set([...Object.keys(parent.spans.base), ...Object.keys(parent.spans.delta)])]
}

/** Keys with rows before and after days that were newly closed or reopened. */
function keysAcross({ spans: { base, delta } }: Parent, changes: Changes | null): readonly string[] {
  const { date_from, date_to } = changes ?? { date_from: null, date_to: null }
  if (date_from === null || date_to === null) return []
  const spans = [...Object.entries(base), ...Object.entries(delta)]
  const reach = Map.groupBy(spans, ([key]) => key)
  return [...reach]
    .filter(([, own]) => own.some(([, [first]]) => first! < date_to) && own.some(([, [, last]]) => last! > date_from))
    .map(([key]) => key)
}

interface Deriving {
  readonly keys: readonly string[]
  readonly calendar: TradingCalendar
}

/** Publishes the served rows of these keys again. */
async function deriveAgain(workspace: Workspace, dataset: Dataset, { keys, calendar }: Deriving): Promise<Outcome> {
  const { synthetic } = (await createServedReleases(workspace).of(dataset.slug))!.manifest
  const relation = await createStaging(workspace.session, 'raw', stagedColumns(dataset, []))
  return publish(workspace, { dataset, relation, sources: [], synthetic, accept: [], sourceBySource: true, calendar, touchedKeys: keys })
}
