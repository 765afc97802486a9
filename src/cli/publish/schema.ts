import type { Command } from 'commander'
import { schemaView } from '../../coverage/index.ts'
import { print, printJson, printTable } from '../terminal.ts'
import { datasetNamed, withWorkspace } from '../workspace.ts'

export function schemaCommand(program: Command): void {
  program
    .command('schema')
    .description('print the columns of a dataset with an example row')
    .argument('<dataset>', 'slug, such as bond-yield-curve')
    .option('--json', 'print one JSON document')
    .action(async (name: string, { json }: { json?: true }) => {
      const dataset = await withWorkspace(async workspace => datasetNamed(workspace, name))
      const view = schemaView(dataset)
      if (json) return printJson(view)
      const rows = view.columns.map(({ name, type, unit, nullable, formula, label_zh: zh, description }) => {
        const need = formula !== null ? 'computed' : nullable ? 'optional' : 'required'
        return [name, type, unit ?? '', need, zh, description]
      })
      printTable([['column', 'type', 'unit', 'in a file', '', ''], ...rows])
      if (view.rules.length > 0) {
        print('')
        printTable([
          ['rule', 'true for every row', ''],
          ...view.rules.map(({ name, statement, description }) => [name, statement, description]),
        ])
      }
      const example = Object.fromEntries(view.columns.filter(({ formula }) => formula === null).map(({ name, example }) => [name, example]))
      print(`\nA row is identified by ${view.grain.join(', ')}. Example row as NDJSON:\n${JSON.stringify(example)}`)
    })
}
