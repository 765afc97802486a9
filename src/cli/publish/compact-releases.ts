import type { Command } from 'commander'
import { compactRelease, type Workspace } from '../../../ingest/publish/index.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { datasetNamed, withWorkspace } from '../workspace.ts'

export function compactReleasesCommand(releases: Command, setExitCode: (code: number) => void): void {
  releases
    .command('compact')
    .description('merge appended rows into fewer files, as a new release')
    .argument('<dataset>', 'slug, such as institutional-positioning')
    .option('--json', 'print one JSON document')
    .action(async (slug: string, { json }: { json?: true }) =>
      setExitCode(await withWorkspace(workspace => compact(workspace, slug, json === true))),
    )
}

async function compact(workspace: Workspace, slug: string, json: boolean): Promise<number> {
  const dataset = datasetNamed(workspace, slug)
  const done = await compactRelease(workspace, dataset)
  for (const { message } of done.notices) say(`warning  ${message}`)
  if (json) printJson({ dataset: dataset.slug, ...done })
  else if (done.status === 'unchanged') print(`${dataset.slug}: ${done.release} has no appended rows to merge; nothing to compact.`)
  else
    print(
      `${dataset.slug}: published ${done.release}: ${done.rows} appended row${done.rows === 1 ? '' : 's'} merged into ${done.buckets} bucket${done.buckets === 1 ? '' : 's'}; the rows did not change.`,
    )
  return EXIT.done
}
