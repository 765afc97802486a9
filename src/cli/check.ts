import type { Command } from 'commander'
import { loadCatalog } from '../../catalog/index.ts'
import { checkFiles } from '../../ingest/index.ts'
import { ACCEPTABLE, type Forecast } from '../../ingest/publish/index.ts'
import { namedFiles } from './named-files.ts'
import { printFindings, unknownRules } from './publish.ts'
import { EXIT, printJson } from './terminal.ts'
import { datasetNamed, withWorkspace } from './workspace.ts'

/** `twmd check <dataset> <file…>`: what `twmd publish` would do with these files, without doing it. */
export function checkCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('check')
    .description('run every check on partition files of one dataset and publish nothing')
    .argument('<dataset>', 'slug, for example bond-yield-curve')
    .argument('<file...>', '.csv, .ndjson, .json or .parquet, columns named as in the schema')
    .option('--accept <rule...>', `let a rule pass: ${ACCEPTABLE.join(', ')}`, [])
    .option('--json', 'print one JSON document')
    .action(async (name: string, paths: string[], options: { accept: string[]; json?: true }) => {
      const dataset = datasetNamed({ catalog: await loadCatalog() }, name)
      const unknown = unknownRules(options.accept, [dataset])
      if (unknown.length > 0) throw new Error(unknown.join('\n'))
      const files = namedFiles(paths)
      const checked = await withWorkspace(workspace => checkFiles(workspace, dataset, files, options.accept))
      if (checked.status === 'refused') setExitCode(EXIT.refused)
      if (options.json) printJson({ ...checked, rowsBySource: Object.fromEntries(checked.rowsBySource) })
      else report(dataset.slug, checked, files.length > 1)
    })
}

function report(name: string, checked: Forecast, several: boolean): void {
  printFindings(checked, several)
  const { status, served, changes } = checked
  if (status === 'refused') return console.error(`${name}: would be refused. Nothing was published.`)
  if (status === 'unchanged') return console.log(`${name}: every row is served already by ${served}; there is nothing to publish.`)
  const { rows_added, rows_changed, rows_removed, date_from, date_to } = changes!
  const days = date_from === null ? '' : `, ${date_from} to ${date_to}`
  const beside = served === null ? 'as the first release' : `against ${served}`
  console.log(
    `${name}: would publish ${rows_added} rows added, ${rows_changed} changed, ${rows_removed} removed${days}, ${beside}. Nothing was published.`,
  )
}
