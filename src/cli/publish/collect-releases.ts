import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { Dataset } from '../../../catalog/index.ts'
import { type Collection, collectReleases, GRACE_MS, planCollection } from '../../../ingest/history/index.ts'
import type { Workspace } from '../../../ingest/publish/index.ts'
import { DAY_MS, HOUR_MS, Refusal, Retention } from '../../core/index.ts'
import { releasePaths } from '../../releases/index.ts'
import { recordAct } from '../state/state-file.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { configured, datasetNamed, withWorkspace } from '../workspace.ts'

interface Options {
  readonly retention?: number
  readonly remove?: true
  readonly immediately?: true
  readonly json?: true
}

export function collectReleasesCommand(releases: Command, setExitCode: (code: number) => void): void {
  releases
    .command('gc')
    .description('list unneeded releases; --remove deletes them')
    .argument('[dataset]', 'slug, such as bond-yield-curve; default all published datasets')
    .option('--retention <days>', 'retention of old releases, such as 90d; default RETENTION', days)
    .option('--remove', 'delete these releases; without --remove nothing changes')
    .option('--immediately', 'delete files without waiting; only while no service runs')
    .option('--json', 'print one JSON document')
    .action(async (slug: string | undefined, options: Options) =>
      setExitCode(await withWorkspace(workspace => collect(workspace, datasetsOf(workspace, slug), options))),
    )
}

function days(text: string): number {
  const { success, data } = Retention.safeParse(text)
  if (!success) throw new InvalidArgumentError('Must be a number of days, such as 90d.')
  return data
}

const datasetsOf = (workspace: Workspace, slug: string | undefined): readonly Dataset[] =>
  slug === undefined
    ? [...workspace.catalog.values()].filter(({ slug }) => existsSync(releasePaths(workspace.releases, slug).home))
    : [datasetNamed(workspace, slug)]

async function collect(workspace: Workspace, datasets: readonly Dataset[], options: Options): Promise<number> {
  const retention = options.retention ?? configured().retentionDays
  const since = retention === undefined ? null : new Date(workspace.clock().getTime() - retention * DAY_MS)
  const [found, refused]: [Collection[], { dataset: string; message: string }[]] = [[], []]
  for (const dataset of datasets) {
    const work = options.remove ? collectReleases : planCollection
    try {
      const collection = await work(workspace, dataset, { since, immediately: options.immediately === true })
      found.push(collection)
      const { retired, removed } = collection
      if (options.remove && retired.length + removed.length > 0)
        recordAct('releases removed', null, { dataset: dataset.slug, retired, removed })
    } catch (error) {
      // Damage in one dataset must not prevent the cleanup of other datasets.
      if (!(error instanceof Refusal)) throw error
      refused.push({ dataset: dataset.slug, message: error.message })
    }
  }
  if (options.json) printJson({ retention_days: retention ?? null, removed: options.remove === true, datasets: found.map(jsonOf), refused })
  else printFound(found, options.remove === true, retention)
  if (!options.json) for (const { dataset, message } of refused) say(`${dataset}: ${message}`)
  return refused.length > 0 ? EXIT.refused : EXIT.done
}

const jsonOf = ({ kept, freed, ...rest }: Collection) => ({
  ...rest,
  kept: kept.map(({ release, reason }) => ({ release, reason })),
  parts_freed: freed.parts,
  bytes_freed: freed.bytes,
})

function printFound(found: readonly Collection[], removing: boolean, retention: number | undefined): void {
  if (retention === undefined) print('No release expires, because RETENTION is not set. Set it, or use --retention 90d.')
  for (const { dataset, kept, retired, removed, waiting, freed, held } of found) {
    if (retired.length + removed.length + waiting.length === 0) continue
    print(`${dataset}: ${kept.length} releases ${removing ? 'stay' : 'would stay'}.`)
    if (retired.length > 0) print(`  ${removing ? 'retired' : 'would be retired'}: ${retired.join(', ')}`)
    if (removed.length > 0) print(`  files ${removing ? 'deleted' : 'would be deleted'}: ${removed.join(', ')}`)
    if (removed.length > 0) print(`  ${freed.parts} parts, ${(freed.bytes / 2 ** 20).toFixed(1)} MB`)
    if (waiting.length > 0 && removing)
      print(`  stays on disk for ${GRACE_MS / HOUR_MS} hours for running reads: ${waiting.join(', ')}; the next gc deletes it`)
    if (held !== null) print(`  no part is deleted: ${HELD[held](dataset)}`)
  }
  const changes = found.some(({ retired, removed, waiting }) => retired.length + removed.length + waiting.length > 0)
  if (!changes) print('Nothing to delete.')
  else if (!removing) print('Nothing was changed; --remove deletes.')
}

const HELD: Readonly<Record<NonNullable<Collection['held']>, (dataset: string) => string>> = {
  'damaged manifest': dataset => `a manifest is damaged, so the parts it needs are unknown; run twmd releases verify ${dataset}.`,
  'unfinished pull': () => 'a pull of the dataset is not finished; run twmd pull again first.',
}
