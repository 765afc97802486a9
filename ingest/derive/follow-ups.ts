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
import { publishComputed } from './computed.ts'
import { publishEarnings } from './earnings.ts'

type Work = (workspace: Workspace, calendar: TradingCalendar) => Promise<readonly DatasetOutcome[]>

const ADJUSTED = { makes: ['adjustment-factors', 'adjusted-prices'], work: publishAdjusted }

/** The datasets derived from each source dataset, and the function that derives them. */
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

/** Returns the slugs of datasets that have rows or columns computed from `source`. */
export const computedFrom = (catalog: Catalog, source: Dataset): readonly string[] =>
  [...catalog.values()]
    .filter(
      dataset =>
        MADE_FROM[source.slug]?.makes.includes(dataset.slug) ||
        dataset.from?.inputs.includes(source.slug) ||
        joins(dataset, source) ||
        counts(dataset, source),
    )
    .map(({ slug }) => slug)

/** True if other datasets have rows or columns computed from `source`. */
export const isFollowed = (catalog: Catalog, source: Dataset): boolean =>
  MADE_FROM[source.slug] !== undefined || computedFrom(catalog, source).length > 0

/**
 * Publishes everything that depends on the published datasets, each dataset once. The order of
 * files does not change the result. If a crash or a lock prevents a follow-up, the next
 * publication makes it, even without changes.
 *
 * @param published refused datasets are skipped
 */
export async function followUps(workspace: Workspace, published: readonly DatasetOutcome[]): Promise<readonly DatasetOutcome[]> {
  const taken = published.filter(({ outcome }) => outcome.status !== 'refused')
  return taken.length === 0 ? [] : follow(workspace, taken, new Set(taken.flatMap(({ dataset }) => MADE_FROM[dataset]?.work ?? [])))
}

/**
 * Publishes everything that depends on a dataset after an earlier release of it is served again.
 * Skips the datasets in `retaining`.
 */
export const followServed = (workspace: Workspace, { slug }: Dataset): Promise<readonly DatasetOutcome[]> =>
  follow(workspace, [{ dataset: slug }], MADE_FROM[slug] === ADJUSTED ? [publishAdjusted] : [])

/**
 * Returns the derived datasets that stay unchanged when a release of their source is withdrawn.
 * These datasets also contain values from other files.
 */
export const retaining = ({ slug }: Dataset): readonly string[] => (MADE_FROM[slug] === ADJUSTED ? [] : (MADE_FROM[slug]?.makes ?? []))

/** A dataset with a new release. Without an outcome, an earlier release is served again. */
export interface Touched {
  readonly dataset: string
  readonly outcome?: Outcome
}

async function follow(workspace: Workspace, taken: readonly Touched[], works: Iterable<Work>): Promise<readonly DatasetOutcome[]> {
  const calendar = await calendarOf(workspace)
  const made: DatasetOutcome[] = []
  for (const work of works) made.push(...(await work(workspace, calendar)))
  const derived: DatasetOutcome[] = []
  for (const dataset of workspace.catalog.values()) {
    const { keys, note } = await outdated(workspace, dataset, taken)
    const again = keys.length > 0 ? await deriveAgain(workspace, dataset, { keys, calendar }) : undefined
    if (again) derived.push({ dataset: dataset.slug, outcome: again })
    if (again?.status !== 'refused') note()
  }
  const changed: readonly Touched[] = [...taken, ...made, ...derived].filter(({ outcome }) => outcome?.status !== 'refused')
  const computed = await publishComputed(
    workspace,
    calendar,
    changed.map(({ dataset }) => dataset),
  )
  return [...made, ...derived, ...computed]
}

export interface Outdated {
  readonly keys: readonly string[]
  /** Records that the columns are up to date. Call it after the publication. */
  readonly note: () => void
}

/** Returns the keys whose derived columns other publications made outdated. */
export async function outdated(workspace: Workspace, dataset: Dataset, published: readonly Touched[]): Promise<Outdated> {
  const served = createServedReleases(workspace)
  const sources = published.filter(({ dataset: slug, outcome }) => {
    const source = workspace.catalog.get(slug)
    if (source === undefined || slug === dataset.slug || outcome?.status === 'refused') return false
    return joins(dataset, source) || counts(dataset, source)
  })
  const [keys, releases]: [string[][], Map<string, string>] = [[], new Map()]
  for (const { dataset: slug, outcome } of sources) {
    const news = await served.of(slug)
    if (!news || loggedJoin(workspace.captures, dataset.slug, slug) === news.manifest.release) continue
    releases.set(slug, news.manifest.release)
    const parent = await served.of(dataset.slug)
    // Derived columns never combine samples with real rows.
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
  readonly parent: Parent
  readonly news: Parent
}

/**
 * Returns the keys whose derived columns may change: the keys with changed rows if the columns
 * were computed from the parent of the new release, otherwise all keys. The first calendar release
 * counts as a change of all its days.
 */
function keysToDerive(
  { captures }: Workspace,
  dataset: Dataset,
  published: Dataset,
  { parent, news, outcome }: News & { readonly outcome: Outcome | undefined },
): readonly string[] {
  const before = loggedJoin(captures, dataset.slug, published.slug) ?? (counts(dataset, published) ? null : undefined)
  // The outcome may belong to an earlier release.
  const isNew = outcome?.status === 'published' && outcome.release === news.manifest.release
  if (isNew && before === news.manifest.parent) return joins(dataset, published) ? outcome.moved : keysAcross(parent, outcome.changes)
  return [...new Set([...Object.keys(parent.spans.base), ...Object.keys(parent.spans.delta)])]
}

/** Returns the keys with rows before the last and after the first changed calendar day. */
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

/** Publishes the rows of the keys again, with newly computed columns. */
async function deriveAgain(workspace: Workspace, dataset: Dataset, { keys, calendar }: Deriving): Promise<Outcome> {
  const { synthetic } = (await createServedReleases(workspace).of(dataset.slug))!.manifest
  const relation = await createStaging(workspace.session, 'raw', stagedColumns(dataset, []))
  return publish(workspace, { dataset, relation, sources: [], synthetic, accept: [], sourceBySource: true, calendar, touchedKeys: keys })
}
