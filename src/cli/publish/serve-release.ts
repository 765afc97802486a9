import type { Command } from 'commander'
import type { Dataset } from '../../../catalog/index.ts'
import { computedFrom, followServed, retaining } from '../../../ingest/derive/index.ts'
import { type DatasetOutcome, type ServedAgain, serveAgain, type Workspace } from '../../../ingest/publish/index.ts'
import { Refusal } from '../../core/index.ts'
import { readCurrent } from '../../releases/index.ts'
import { recordAct } from '../state/state-file.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { datasetNamed, withWorkspace } from '../workspace.ts'
import { printPublication, publicationJson } from './publish.ts'

export function serveReleaseCommand(releases: Command, setExitCode: (code: number) => void): void {
  releases
    .command('serve')
    .description('verify a release and serve it, to undo a publication')
    .argument('<dataset>', 'slug, such as bond-yield-curve')
    .argument('<release>', 'release id from twmd releases list')
    .option('--json', 'print one JSON document')
    .action(async (slug: string, release: string, { json }: { json?: true }) =>
      setExitCode(await withWorkspace(workspace => serve(workspace, datasetNamed(workspace, slug), release, json === true))),
    )
}

async function serve(workspace: Workspace, dataset: Dataset, release: string, json: boolean): Promise<number> {
  try {
    const served = await serveAgain(workspace, dataset, release)
    recordAct('release served', release, { dataset: dataset.slug, former: served.former, withdrawn: served.withdrawn })
    const computed = await followServed(workspace, dataset)
    const around = await aroundOf(workspace, dataset)
    for (const { message } of served.notices) say(`warning  ${message}`)
    if (json) printJson({ status: 'served', ...servedJson(served), ...around, computed: computed.map(publicationJson) })
    else printServed(dataset, served, around, computed)
    return computed.some(({ outcome }) => outcome.status === 'refused') ? EXIT.refused : EXIT.done
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (json) printJson({ status: 'refused', dataset: dataset.slug, release, message: error.message, ...error.facts })
    else say(error.message)
    return EXIT.refused
  }
}

const servedJson = ({ manifest: { dataset, release, statistics, data_as_of, synthetic }, former, withdrawn }: ServedAgain) => ({
  dataset,
  release,
  former,
  withdrawn,
  rows: statistics.rows,
  data_as_of,
  synthetic,
})

/**
 * `computed_from`: inputs of this dataset. `not_moved`: datasets that still contain rows of a
 * withdrawn release.
 */
interface Around {
  readonly not_moved: readonly string[]
  readonly computed_from: readonly string[]
}

async function aroundOf(workspace: Workspace, dataset: Dataset): Promise<Around> {
  const { catalog, releases } = workspace
  const published: string[] = []
  for (const slug of catalog.keys()) if ((await readCurrent(releases, slug).catch(() => null)) !== null) published.push(slug)
  return {
    not_moved: published.filter(slug => retaining(dataset).includes(slug)),
    computed_from: published.filter(slug => computedFrom(catalog, catalog.get(slug)!).includes(dataset.slug)),
  }
}

function printServed(
  { slug }: Dataset,
  { manifest, withdrawn }: ServedAgain,
  { not_moved, computed_from }: Around,
  computed: readonly DatasetOutcome[],
): void {
  const { release, statistics, data_as_of, synthetic } = manifest
  const samples = synthetic ? ', synthetic samples' : ''
  print(`${slug}: serves ${release} again: ${statistics.rows} rows${samples}, as of ${data_as_of}.`)
  if (withdrawn.length > 0) print(`Withdrawn, still stored: ${withdrawn.join(', ')}.`)
  for (const publication of computed) printPublication(publication)
  if (not_moved.length > 0)
    print(`Not changed: ${not_moved.join(', ')}, although computed from ${slug}. To undo them too, serve an earlier release of each.`)
  if (computed_from.length > 0) print(`The next publication of ${computed_from.join(' or ')} computes ${slug} again.`)
}
