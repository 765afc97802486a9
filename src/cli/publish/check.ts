import type { Command } from 'commander'
import { type Computed, declarationFault, isComputed } from '../../../ingest/derive/index.ts'
import { type Checked, checkFiles } from '../../../ingest/index.ts'
import type { Proposal } from '../../../ingest/mappings/index.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { withWorkspace } from '../workspace.ts'
import { partitionCommand } from './partition-command.ts'
import { printFindings } from './publish.ts'

/** Without files, checks the SQL of a computed dataset. */
export function checkCommand(program: Command, setExitCode: (code: number) => void): void {
  const description = 'check files of one dataset without publishing'
  partitionCommand(program, 'check', description, async ({ dataset, files, mapping, accept, json }) => {
    if (files.length === 0 && isComputed(dataset)) return setExitCode(await checkDeclaration(dataset, json))
    const checked = await withWorkspace(workspace => checkFiles(workspace, dataset, files, { accept, mapping }))
    if (checked.status === 'refused') setExitCode(EXIT.refused)
    if (json) printJson({ ...checked, rowsBySource: Object.fromEntries(checked.rowsBySource) })
    else report(dataset.slug, checked, files.length > 1)
  })
}

async function checkDeclaration(dataset: Computed, json: boolean): Promise<number> {
  const fault = await withWorkspace(({ session, catalog }) => declarationFault(session, catalog, dataset))
  const { slug, from } = dataset
  if (json) printJson({ dataset: slug, status: fault ? 'refused' : 'valid', inputs: from.inputs, by: from.by, message: fault?.en ?? null })
  else if (fault) say(fault.en)
  else print(`${slug}: the SQL is valid. It is computed from ${from.inputs.join(', ')}, by ${from.by}.`)
  return fault ? EXIT.refused : EXIT.done
}

function report(name: string, checked: Checked, several: boolean): void {
  printFindings(checked, several)
  const { status, served, changes, proposal } = checked
  if (proposal !== null) for (const line of proposalLines(proposal)) say(line)
  if (status === 'refused') return say(`${name}: would be refused. Nothing was published.`)
  if (status === 'unchanged') return print(`${name}: every row is already served by ${served}; nothing to publish.`)
  const { rows_added, rows_changed, rows_removed, date_from, date_to } = changes!
  const days = date_from === null ? '' : `, ${date_from} to ${date_to}`
  const beside = served === null ? 'as the first release' : `against ${served}`
  print(
    `${name}: would publish a release: ${rows_added} rows added, ${rows_changed} changed, ${rows_removed} removed${days}, ${beside}. Nothing was published.`,
  )
}

/**
 * Formats a column mapping as options to paste. If a column name contains a separator, formats a
 * mapping file.
 */
function proposalLines({ kept, map, missing, unplaced, empty, ignore, mapping }: Proposal): readonly string[] {
  const option = (name: string, words: readonly string[]): readonly string[] =>
    words.length === 0 ? [] : [`--${name} '${words.join(',')}'`]
  const isPlain = ![...Object.values(mapping.columns), ...ignore].some(column =>
    /[,=:']/.test(typeof column === 'string' ? column : column.from),
  )
  const options = [...option('map', map), ...option('ignore', ignore)].join(' ')
  return [
    ...kept.map(name => `A stored mapping has these columns: --mapping ${name}`),
    'Proposed mapping; check each column before you use it:',
    ...(isPlain ? [`  ${options}`] : ['  save as mapping.json and use --mapping mapping.json:', `  ${JSON.stringify(mapping)}`]),
    ...missing
      .filter(({ values }) => values.length > 0)
      .map(
        ({ column, values, map: byRow }) =>
          `  ${column} is not in the file; add it with one of these values: --set '${column}=${values.join('|')}'${byRow === null ? '' : ` or, if rows have different values, --map '${byRow}'`}`,
      ),
    ...(empty.length === 0 ? [] : [`  Dataset columns that no file column matches: ${empty.join(', ')}.`]),
    ...(empty.length === 0 || unplaced.length === 0
      ? []
      : [
          `  Unused file columns: ${unplaced.join(', ')}. Add the ones you need to --map; ignore the others with --ignore '${unplaced.join(',')}'.`,
        ]),
  ]
}
