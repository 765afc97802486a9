import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Dataset } from '../../catalog/index.ts'
import { ACCEPTABLE } from '../../ingest/publish/index.ts'
import { twmd } from '../fixtures/cli/in-process.ts'
import { releaseIds } from '../fixtures/publish/store.ts'
import { dataFolder, openTestWorkspace, publishRows } from '../support.ts'

/** Typical beginnings and contents of engine and SQLite errors. */
const ENGINE_WORDS = /\b[A-Z]\w* Error: |SQLITE_|read_parquet|LINE \d+:|Candidate bindings/

let folder: Awaited<ReturnType<typeof dataFolder>>
let datasets: readonly Dataset[]
let file: string
/** Names of the served releases, by slug. */
const releases = new Map<string, string>()
beforeAll(async () => {
  folder = await dataFolder()
  const w = await openTestWorkspace(folder.dir)
  datasets = [...w.catalog.values()]
  for (const dataset of datasets) {
    const { slug, example } = dataset
    for (const rows of [example.slice(0, 1), example]) await publishRows(w, folder.dir, dataset, rows, { accept: ACCEPTABLE })
    releases.set(slug, releaseIds(w.releases, slug).at(-1)!)
  }
  w.close()
  file = join(folder.dir, 'other.csv')
  writeFileSync(file, "no,such,columns\n1,'2,3\n")
}, 180_000)
afterAll(() => folder.remove())

/**
 * Arguments of every command with a dataset, after the dataset. Commands that need another service
 * have their own tests.
 */
const COMMANDS: Readonly<Record<string, (slug: string) => readonly (readonly string[])[]>> = {
  schema: slug => [[slug], [slug, '--json']],
  check: slug => [
    [slug, file],
    [slug, `${folder.dir}/nothing.parquet`],
  ],
  publish: slug => [[slug, file]],
  'releases list': slug => [[slug], [slug, '--json']],
  'releases show': slug => [[slug], [slug, 'parent'], [slug, '--json']],
  'releases verify': slug => [[slug]],
  'releases diff': slug => [[slug], [slug, '--format', 'csv'], [slug, 'served', 'parent', '--format', 'json'], [slug, 'none']],
  'releases serve': slug => [[slug, releases.get(slug)!]],
  'releases pin': slug => [[slug, releases.get(slug)!]],
  'releases unpin': slug => [[slug, releases.get(slug)!]],
  'releases notes': slug => [[slug, releases.get(slug)!, 'checked']],
  'releases gc': slug => [[slug]],
  'releases compact': slug => [[slug]],
  'tables check': slug => [[slug]],
  'tables rebuild': slug => [[slug]],
}

/** Subcommands of the command `names` whose usage names a dataset. */
async function commandsOfDatasets(names: readonly string[] = []): Promise<readonly string[]> {
  const { stdout } = await twmd(folder.dir, ...names, '--help')
  const [usage] = stdout.split('\n') as [string]
  const listed = (stdout.split('\nCommands:\n')[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)
  const below: string[] = []
  for (const [, name] of listed) if (name !== 'help') below.push(...(await commandsOfDatasets([...names, name!])))
  return [...(/[<[]dataset[>\]]/.test(usage) ? [names.join(' ')] : []), ...below]
}

it('no command prints an engine error for any dataset', async () => {
  const ofServices = ['read']
  expect((await commandsOfDatasets()).filter(name => !ofServices.includes(name)).sort()).toEqual(Object.keys(COMMANDS).sort())
  for (const [command, argumentsFor] of Object.entries(COMMANDS))
    for (const { slug } of datasets)
      for (const rest of argumentsFor(slug)) {
        const { stdout, stderr } = await twmd(folder.dir, ...command.split(' '), ...rest)
        const shown = `twmd ${command} ${rest.join(' ')}`
        expect.soft(`${stdout}${stderr}`, shown).not.toMatch(ENGINE_WORDS)
        expect.soft(stderr, shown).not.toMatch(/query engine|stack|\n\s+at /)
      }
}, 600_000)
