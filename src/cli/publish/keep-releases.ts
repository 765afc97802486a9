import type { Command } from 'commander'
import type { Dataset } from '../../../catalog/index.ts'
import { noteRelease, pinRelease, unnoteRelease, unpinRelease } from '../../../ingest/history/index.ts'
import { keptRelease, type Workspace } from '../../../ingest/publish/index.ts'
import { readRecordOf } from '../../releases/index.ts'
import { recordAct } from '../state/state-file.ts'
import { EXIT, print, printJson } from '../terminal.ts'
import { datasetNamed, withWorkspace } from '../workspace.ts'

interface Options {
  readonly note?: string
  readonly remove?: true
  readonly json?: true
}

export function keepReleasesCommands(releases: Command, setExitCode: (code: number) => void): void {
  const on = (name: string, help: string) =>
    releases
      .command(name)
      .description(help)
      .argument('<dataset>', 'slug, such as bond-yield-curve')
      .argument('<release>', 'release id from twmd releases list, or served')
      .option('--json', 'print one JSON document')
  const done = (work: (workspace: Workspace, dataset: Dataset) => Promise<void>, slug: string): Promise<void> =>
    withWorkspace(workspace => work(workspace, datasetNamed(workspace, slug))).then(() => setExitCode(EXIT.done))

  on('pin', 'pin a release, so that it is never deleted')
    .option('--note <text>', 'reason')
    .action((slug: string, release: string, { note, json }: Options) =>
      done(async (workspace, dataset) => {
        const pin = await pinRelease(workspace, dataset, release, note ?? null)
        recordAct('release pinned', pin.release, { dataset: dataset.slug, note: note ?? null })
        if (json) printJson(pin)
        else print(`${dataset.slug}: ${pin.release} is pinned.`)
      }, slug),
    )
  on('unpin', 'unpin a release').action((slug: string, name: string, { json }: Options) =>
    done(async (workspace, dataset) => {
      const release = await unpinRelease(workspace, dataset, name)
      recordAct('release unpinned', release, { dataset: dataset.slug })
      if (json) printJson({ release, pinned: false })
      else print(`${dataset.slug}: ${release} is unpinned; RETENTION applies.`)
    }, slug),
  )
  on('notes', 'set or print the public note of a release')
    .argument('[text]', 'text of at most 500 characters')
    .option('--remove', 'remove the note')
    .action((slug: string, release: string, text: string | undefined, { remove, json }: Options) =>
      done(async (workspace, dataset) => {
        const said = await note(workspace, dataset, release, remove ? null : text)
        if (remove || text !== undefined) recordAct('release note changed', said.release, { dataset: dataset.slug, note: said.note })
        if (json) printJson(said)
        else print(`${dataset.slug}: ${said.release}: ${said.note ?? 'no note.'}`)
      }, slug),
    )
}

/** @param text undefined to read the note, null to remove the note */
async function note(workspace: Workspace, dataset: Dataset, name: string, text: string | null | undefined) {
  if (text === null) return { release: await unnoteRelease(workspace, dataset, name), note: null }
  if (text === undefined) {
    const release = await keptRelease(workspace.releases, dataset, name)
    return { release, note: (await readRecordOf(workspace.releases, dataset.slug, 'notes', release))?.text ?? null }
  }
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > 500) throw new Error('A note has 1 to 500 characters; --remove deletes one.')
  const said = await noteRelease(workspace, dataset, name, trimmed)
  return { release: said.release, note: said.text }
}
