import { relative } from 'node:path'
import type { Command } from 'commander'
import type { Dataset } from '../../../catalog/index.ts'
import { isCompaction, keptRelease, manifestOf, SERVED, type Workspace } from '../../../ingest/publish/index.ts'
import {
  type ListedRelease,
  listReleases,
  type Manifest,
  partFiles,
  readManifest,
  readRecords,
  releasePaths,
  retainedReleases,
  sha256Of,
} from '../../releases/index.ts'
import { EXIT, print, printJson, printTable, say } from '../terminal.ts'
import { datasetNamed, withWorkspace } from '../workspace.ts'
import { collectReleasesCommand } from './collect-releases.ts'
import { compactReleasesCommand } from './compact-releases.ts'
import { diffReleasesCommand } from './diff-releases.ts'
import { keepReleasesCommands } from './keep-releases.ts'
import { serveReleaseCommand } from './serve-release.ts'

export function releasesCommand(program: Command, setExitCode: (code: number) => void): void {
  const releases = program.command('releases').description('manage published releases')
  const on = (name: string, help: string, show: (workspace: Workspace, dataset: Dataset, json: boolean) => Promise<number>): void => {
    releases
      .command(name)
      .description(help)
      .argument('<dataset>', 'slug, such as bond-yield-curve')
      .option('--json', 'print one JSON document')
      .action(async (slug: string, { json }: { json?: true }) =>
        setExitCode(await withWorkspace(workspace => show(workspace, datasetNamed(workspace, slug), json === true))),
      )
  }
  on('list', 'list releases by age', list)
  on('verify', 'verify the checksums of all files of all releases', verify)
  releases
    .command('show')
    .description('print the manifest of a release')
    .argument('<dataset>', 'slug, such as bond-yield-curve')
    .argument('[release]', 'release id, served, or parent (of the served one)', SERVED)
    .option('--json', 'print one JSON document')
    .action(async (slug: string, name: string, { json }: { json?: true }) =>
      setExitCode(await withWorkspace(workspace => show(workspace, datasetNamed(workspace, slug), name, json === true))),
    )
  diffReleasesCommand(releases, setExitCode)
  serveReleaseCommand(releases, setExitCode)
  keepReleasesCommands(releases, setExitCode)
  collectReleasesCommand(releases, setExitCode)
  compactReleasesCommand(releases, setExitCode)
}

async function list(workspace: Workspace, dataset: Dataset, json: boolean): Promise<number> {
  const found = await listReleases(workspace.releases, dataset)
  if (json) printJson(found)
  else if (found.length === 0) print(`${dataset.slug} has no release yet; publish one with twmd publish or twmd ingest.`)
  else
    printTable([
      ['', 'release', 'rows', 'as of', 'kind', 'changes', ''],
      ...(await Promise.all(found.map(each => rowOf(workspace, dataset, each)))),
    ])
  return EXIT.done
}

async function rowOf({ releases }: Workspace, { slug }: Dataset, listed: ListedRelease): Promise<readonly (string | number)[]> {
  const { release, served, standing, damaged, rows, data_as_of, synthetic, changes, pinned, pin_note, note } = listed
  const nothing = changes !== null && changes.rows_added + changes.rows_changed + changes.rows_removed === 0
  const [kind, counts] =
    changes === null ? ['', ''] : nothing ? changesOf(await manifestOf(releases, slug, release)) : [changes.kind, countsOf(changes)]
  const notes = [synthetic ? 'synthetic' : [], standing === 'unused' ? 'not in use' : [], damaged ? 'damaged' : []].flat()
  const kept = pinned ? [pin_note === null ? 'pinned' : `pinned: ${pin_note}`] : []
  return [
    served ? '*' : '',
    release,
    rows ?? '',
    data_as_of ?? '',
    kind,
    counts,
    [...notes, ...kept, ...(note === null ? [] : [note])].join(', '),
  ]
}

const countsOf = ({ rows_added, rows_changed, rows_removed }: Manifest['changes']): string =>
  `+${rows_added} ~${rows_changed} -${rows_removed}`

const changesOf = (manifest: Manifest): readonly [kind: string, counts: string] =>
  isCompaction(manifest) ? ['compaction', 'the same rows'] : [manifest.changes.kind, countsOf(manifest.changes)]

async function show(workspace: Workspace, dataset: Dataset, name: string, json: boolean): Promise<number> {
  const release = await keptRelease(workspace.releases, dataset, name)
  const manifest = await manifestOf(workspace.releases, dataset.slug, release)
  const note = (await readRecords(workspace.releases, dataset.slug, 'notes')).get(release)?.text
  if (json) printJson(note === undefined ? manifest : { ...manifest, note })
  else printTable([...factsOf(manifest), ...(note === undefined ? [] : [['note', note] as const]), ...comparisonsOf(manifest)])
  return EXIT.done
}

type Lines = readonly (readonly [name: string, value: string | number])[]

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

function factsOf(manifest: Manifest): Lines {
  const { release, parent, published_at, data_as_of, synthetic, parts, buckets, statistics, sources, months } = manifest
  const named = sources.slice(0, 5).map(({ name, rows }) => `${name} (${rows})`)
  return [
    ['release', release],
    ['parent', parent ?? 'none'],
    ['published', published_at],
    ['data as of', data_as_of],
    ['synthetic', String(synthetic)],
    ['rows', statistics.rows],
    ['keys', statistics.keys],
    ['dates', `${statistics.first_date ?? '-'} to ${statistics.last_date ?? '-'}`],
    ['parts', `${parts.length} in ${counted(buckets, 'bucket')}${months ? `, and ${counted(months.length, 'month')}` : ''}`],
    ['changes', changesOf(manifest).join(': ')],
    ['sources', named.join(', ') + (sources.length > 5 ? ` and ${sources.length - 5} more` : '')],
  ]
}

/** Returns one line per comparison with another dataset. */
const comparisonsOf = ({ dataset: slug, reconciliation = [] }: Manifest): Lines =>
  reconciliation.map(({ dataset, method, rows, compared, matched }) => [
    'compared',
    `${dataset === slug ? '' : `${dataset} `}${method}: ${matched} of ${compared} compared rows match; ${rows} rows in total`,
  ])

/** A file that a release must have. The sha256 is null if the manifest is damaged. */
interface Promised {
  readonly file: string
  readonly what: string
  readonly release: string
  readonly sha256: string | null
}

async function promisedBy({ releases }: Workspace, { slug }: Dataset, release: string): Promise<readonly Promised[]> {
  const paths = releasePaths(releases, slug)
  const manifest = await readManifest(releases, slug, release).catch(() => undefined)
  if (!manifest) return [{ file: paths.manifest(release), what: 'manifest', release, sha256: null }]
  const spans = { file: paths.spans(release), what: 'spans', release, sha256: manifest.statistics.spans }
  return [
    spans,
    ...partFiles(manifest).map(part => ({
      file: paths.file(part),
      what: relative(paths.home, paths.file(part)),
      release,
      sha256: part.sha256,
    })),
  ]
}

async function verify(workspace: Workspace, dataset: Dataset, json: boolean): Promise<number> {
  const ids = await retainedReleases(workspace.releases, dataset.slug)
  const promised = (await Promise.all(ids.map(id => promisedBy(workspace, dataset, id)))).flat()
  const damaged: { readonly what: string; readonly releases: readonly string[] }[] = []
  for (const [file, uses] of Map.groupBy(promised, ({ file }) => file)) {
    const { what, sha256 } = uses[0]!
    const found = await sha256Of(file).catch(() => undefined)
    if (found !== sha256) damaged.push({ what, releases: uses.map(({ release }) => release) })
  }
  const parts = new Set(promised.filter(({ what }) => what.endsWith('.parquet')).map(({ sha256 }) => sha256)).size
  if (json) printJson({ dataset: dataset.slug, releases: ids.length, parts, damaged })
  else {
    for (const { what, releases } of damaged) say(`damaged  ${what}, in ${releases.join(', ')}`)
    print(`${dataset.slug}: ${parts} parts in ${ids.length} releases, ${damaged.length} damaged files.`)
  }
  return damaged.length > 0 ? EXIT.refused : EXIT.done
}
