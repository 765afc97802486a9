import { rmSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import { type Clock, commandRefusal, taipei } from '../../src/core/index.ts'
import { bringCalendar } from '../calendar/index.ts'
import { loadFeeds } from '../feeds/index.ts'
import type { Feed } from '../formats/index.ts'
import { dayOfPath } from '../inbox/index.ts'
import { ingestFiles, publishFiles } from '../index.ts'
import { collectReports, findKept, type KeptFile, type QuarantineReport, type Settled, settledFiles, settleKept } from '../intake/index.ts'
import { mappingBeside } from '../mappings/index.ts'
import { acceptableRules, type DatasetOutcome, type Workspace } from '../publish/index.ts'

export type Accepted = Settled | { readonly id: string; readonly outcome: 'refused'; readonly faults: QuarantineReport['faults'] }

export interface AcceptOptions {
  readonly rules: readonly string[]
  /** Default: the day in the file name. */
  readonly date?: string | undefined
}

interface Target {
  readonly feed: Feed | undefined
  readonly datasets: readonly Dataset[]
}

async function targetOf({ catalog }: Pick<Workspace, 'catalog'>, name: string): Promise<Target> {
  const dataset = catalog.get(name)
  const feed = dataset ? undefined : (await loadFeeds()).get(name)
  return { feed, datasets: dataset ? [dataset] : (feed?.datasets.map(slug => catalog.get(slug)!) ?? []) }
}

export async function rulesFor(workspace: Pick<Workspace, 'catalog'>, name: string): Promise<readonly string[]> {
  const { datasets } = await targetOf(workspace, name)
  return datasets.length === 0 ? [] : acceptableRules(datasets)
}

/**
 * Publishes a quarantined file with accepted rules. Repeated calls return the first result. After
 * a crash between publication and record, the file is still in quarantine. Accepting the file
 * again detects that its rows are served.
 *
 * @throws Refusal unknown_id; invalid_parameter for rules that cannot be accepted; conflict if the
 * file was discarded, has no copy, or its dataset is being published
 */
export async function acceptKept(workspace: Workspace, id: string, { rules, date }: AcceptOptions): Promise<Accepted> {
  const root = workspace.quarantine
  const before = settledBefore(root, id, 'accept')
  if (before) return before
  const file = known(root, id)
  if (file.path === null)
    throw commandRefusal(
      'conflict',
      { id },
      `The file was too large for the quarantine and is still at ${file.from}. Publish it from there.`,
    )
  const target = await targetOf(workspace, file.for)
  if (target.datasets.length === 0) throw commandRefusal('conflict', { id }, `There is no dataset or feed named ${file.for} any more.`)
  const acceptable = acceptableRules(target.datasets)
  const wrong = rules.filter(rule => !acceptable.includes(rule))
  if (wrong.length > 0)
    throw commandRefusal(
      'invalid_parameter',
      { id },
      `accept may not contain ${wrong.join(', ')}. It may contain ${acceptable.join(', ')}.`,
    )
  await bringCalendar(workspace)
  const reports = collectReports()
  const { outcome, publications } = await publishAgain(workspace, { ...file, path: file.path }, target, { rules, date }, reports.quarantine)
  const faults = reports.of(file.path)
  if (faults) return { id, outcome: 'refused', faults }
  const releases = publications.flatMap(({ dataset, outcome: { release } }) => (release === null ? [] : [[dataset, release] as const]))
  return settleKept(root, file, {
    ...settledOf(file, workspace.clock),
    action: 'accept',
    rules,
    outcome,
    releases: Object.fromEntries(releases),
  })
}

/**
 * Discards a file. Repeated calls return the first result.
 *
 * @throws Refusal unknown_id, conflict
 */
export function discardKept(root: string, id: string, clock: Clock): Settled {
  const before = settledBefore(root, id, 'discard')
  if (before) return before
  const file = known(root, id)
  return settleKept(root, file, { ...settledOf(file, clock), action: 'discard', rules: [], outcome: 'discarded', releases: {} })
}

const settledOf = ({ id, for: name, file }: KeptFile, clock: Clock) => ({ id, at: taipei(clock()), for: name, file })

function settledBefore(root: string, id: string, action: Settled['action']): Settled | undefined {
  const before = settledFiles(root).find(one => one.id === id)
  if (before && before.action !== action)
    throw commandRefusal('conflict', { id, at: before.at }, `This file was already ${before.outcome} on ${before.at.slice(0, 10)}.`)
  if (before) finishRemoval(root, id)
  return before
}

/** Removes a settled file that a crash left in quarantine. */
function finishRemoval(root: string, id: string): void {
  const left = findKept(root, id)
  if (left) rmSync(left.folder, { recursive: true, force: true })
}

function known(root: string, id: string): KeptFile {
  const file = findKept(root, id)
  if (!file) throw commandRefusal('unknown_id', { id }, `There is no file ${id} in the quarantine. twmd quarantine list shows its files.`)
  return file
}

type Quarantined = KeptFile & { readonly path: string }

async function publishAgain(
  workspace: Workspace,
  file: Quarantined,
  { feed, datasets }: Target,
  { rules: accept, date }: AcceptOptions,
  quarantine: ReturnType<typeof collectReports>['quarantine'],
): Promise<{ readonly outcome: 'published' | 'unchanged' | 'empty'; readonly publications: readonly DatasetOutcome[] }> {
  if (feed) {
    const requestedDay = date ?? dayOfPath(file.file)
    const { results, publications } = await ingestFiles(workspace, feed, [file.path], {
      requestedDay,
      accept,
      progress: () => {},
      quarantine,
    })
    const outcomes = results.map(({ outcome }) => outcome)
    const outcome = outcomes.includes('published') ? 'published' : outcomes.includes('unchanged') ? 'unchanged' : 'empty'
    return { outcome, publications }
  }
  const [dataset] = datasets as readonly [Dataset]
  const mapping = mappingOf(workspace, dataset, file)
  const { followUps, ...published } = await publishFiles(workspace, dataset, [file.path], { accept, synthetic: false, mapping, quarantine })
  return {
    outcome: published.status === 'unchanged' ? 'unchanged' : 'published',
    publications: [{ dataset: dataset.slug, outcome: published }, ...followUps],
  }
}

/** Returns the mapping of the file's inbox folder, if any. */
function mappingOf({ quarantine }: Workspace, dataset: Dataset, { from }: KeptFile) {
  const dataDir = dirname(quarantine)
  const folder = join(dataDir, 'inbox', dataset.slug)
  return from?.startsWith(`${folder}${sep}`) ? mappingBeside(folder, dataset, dataDir) : undefined
}
