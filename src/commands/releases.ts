import { readdir } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Dataset } from '../../catalog/dataset.ts'
import { type Manifest, ReleaseId, releasePaths } from '../../catalog/release.ts'
import type { Desk } from '../../ingest/publish/desk.ts'
import { readCurrent, readManifest } from '../query/release.ts'
import { sha256Of } from '../query/verify.ts'
import { datasetNamed, withDesk } from './desk.ts'
import { serveReleaseCommand } from './serve-release.ts'
import { EXIT, printJson, printTable } from './terminal.ts'

/** `twmd releases list|show|verify|serve`: what was published, whether it is still whole on disk, and which of it is served. */
export function releasesCommand(program: Command, leave: (code: number) => void): void {
  const releases = program.command('releases').description('published releases of a dataset')
  const on = (name: string, help: string, show: (desk: Desk, dataset: Dataset, json: boolean) => Promise<number>): void => {
    releases
      .command(name)
      .description(help)
      .argument('<dataset>', 'slug, for example bond-yield-curve')
      .option('--json', 'print one JSON document')
      .action(async (slug: string, { json }: { json?: true }) =>
        leave(await withDesk(desk => show(desk, datasetNamed(desk, slug), json === true))),
      )
  }
  on('list', 'releases by age, the served one marked', list)
  on('show', 'manifest of the served release', show)
  on('verify', 'hash every part of every release and compare with its manifest', verify)
  serveReleaseCommand(releases, leave)
}

async function releaseIds({ releases }: Desk, { slug }: Dataset): Promise<readonly string[]> {
  const names = await readdir(releasePaths(releases, slug).home).catch(() => [])
  return names.filter(name => ReleaseId.safeParse(name).success).sort()
}

async function manifests(desk: Desk, dataset: Dataset): Promise<readonly Manifest[]> {
  const ids = await releaseIds(desk, dataset)
  return Promise.all(ids.map(id => readManifest(desk.releases, dataset.slug, id)))
}

async function list(desk: Desk, dataset: Dataset, json: boolean): Promise<number> {
  const [found, current] = [await manifests(desk, dataset), await readCurrent(desk.releases, dataset.slug)]
  const told = found.map(({ release, statistics, data_as_of, changes, synthetic }) => ({
    release,
    served: release === current,
    rows: statistics.rows,
    data_as_of,
    synthetic,
    changes,
  }))
  if (json) printJson(told)
  else if (told.length === 0) console.log(`${dataset.slug} has no release yet; publish one with twmd publish or twmd ingest.`)
  else {
    const rows = told.map(({ release, served, rows, data_as_of, synthetic, changes: { kind, rows_added, rows_changed, rows_removed } }) => [
      served ? '*' : '',
      release,
      rows,
      data_as_of,
      kind,
      `+${rows_added} ~${rows_changed} -${rows_removed}`,
      synthetic ? 'synthetic' : '',
    ])
    printTable([['', 'release', 'rows', 'as of', 'kind', 'changes', ''], ...rows])
  }
  return EXIT.done
}

async function show(desk: Desk, dataset: Dataset, json: boolean): Promise<number> {
  const current = await readCurrent(desk.releases, dataset.slug)
  if (current === null) throw new Error(`${dataset.slug} has no release yet; publish one with twmd publish or twmd ingest.`)
  const manifest = await readManifest(desk.releases, dataset.slug, current)
  if (json) printJson(manifest)
  else printTable([...factsOf(manifest), ...comparisonsOf(manifest)])
  return EXIT.done
}

type Lines = readonly (readonly [name: string, said: string | number])[]

function factsOf({ release, parent, published_at, data_as_of, synthetic, parts, buckets, statistics, sources, changes }: Manifest): Lines {
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
    ['parts', `${parts.length} in ${buckets} buckets`],
    ['changes', `${changes.kind}: +${changes.rows_added} ~${changes.rows_changed} -${changes.rows_removed}`],
    ['sources', named.join(', ') + (sources.length > 5 ? ` and ${sources.length - 5} more` : '')],
  ]
}

/** What the publication measured against other things, of its own rows and of other datasets' that are compared with them. */
const comparisonsOf = ({ dataset: slug, reconciliation = [] }: Manifest): Lines =>
  reconciliation.map(({ dataset, method, rows, compared, matched }) => [
    'compared',
    `${dataset === slug ? '' : `${dataset} `}${method}: ${matched} of ${compared} match, of ${rows} rows`,
  ])

/** A file a release is made of, as its manifest promises it; null where no file can be the promised one. */
interface Promised {
  readonly file: string
  readonly what: string
  readonly release: string
  readonly sha256: string | null
}

async function promisedBy({ releases }: Desk, { slug }: Dataset, release: string): Promise<readonly Promised[]> {
  const paths = releasePaths(releases, slug)
  const manifest = await readManifest(releases, slug, release).catch(() => undefined)
  if (!manifest) return [{ file: paths.manifest(release), what: 'manifest', release, sha256: null }]
  const spans = { file: paths.spans(release), what: 'spans', release, sha256: manifest.statistics.spans }
  return [spans, ...manifest.parts.map(({ sha256 }) => ({ file: paths.part(sha256), what: `part ${sha256}`, release, sha256 }))]
}

async function verify(desk: Desk, dataset: Dataset, json: boolean): Promise<number> {
  const ids = await releaseIds(desk, dataset)
  const promised = (await Promise.all(ids.map(id => promisedBy(desk, dataset, id)))).flat()
  const damaged: { readonly what: string; readonly releases: readonly string[] }[] = []
  for (const [file, uses] of Map.groupBy(promised, ({ file }) => file)) {
    const { what, sha256 } = uses[0]!
    const found = await sha256Of(file).catch(() => undefined)
    if (found !== sha256) damaged.push({ what, releases: uses.map(({ release }) => release) })
  }
  const parts = new Set(promised.filter(({ what }) => what.startsWith('part ')).map(({ sha256 }) => sha256)).size
  if (json) printJson({ dataset: dataset.slug, releases: ids.length, parts, damaged })
  else {
    for (const { what, releases } of damaged) console.error(`damaged  ${what}, of ${releases.join(', ')}`)
    console.log(`${dataset.slug}: ${parts} parts of ${ids.length} releases, ${damaged.length} files damaged.`)
  }
  return damaged.length > 0 ? EXIT.refused : EXIT.done
}
