import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { type KeptFile, keptFiles } from '../../../ingest/intake/index.ts'
import { ACCEPTABLE } from '../../../ingest/publish/index.ts'
import { acceptKept, discardKept } from '../../../ingest/quarantine/index.ts'
import { A_DAY, isDay } from '../../core/index.ts'
import { recordAct } from '../state/state-file.ts'
import { EXIT, print, printJson, printTable, say } from '../terminal.ts'
import { configured, withWorkspace } from '../workspace.ts'

interface Options {
  readonly accept: readonly string[]
  readonly date?: string
  readonly json?: true
  /** True if a service runs this command. The service writes the audit entry. */
  readonly recorded?: true
}

export function quarantineCommand(program: Command, setExitCode: (code: number) => void): void {
  const quarantine = program.command('quarantine').description('manage refused files')
  const rootOf = (): string => join(configured().dataDir, 'quarantine')
  quarantine
    .command('list')
    .description('list refused files, newest first')
    .option('--json', 'print one JSON document')
    .action(({ json }: { json?: true }) => {
      const { files } = keptFiles(rootOf(), Number.POSITIVE_INFINITY)
      if (json) return printJson(files.map(fileJson))
      if (files.length === 0) return print('The quarantine is empty.')
      printTable([['id', 'for', 'file', 'refused', 'rules'], ...files.map(rowOf)])
    })
  quarantine
    .command('accept')
    .description('accept rule violations and publish a refused file')
    .argument('<id>', 'id of the file, such as q_0123456789abcdef')
    .option('--accept <rule...>', `accept violations of a rule: ${ACCEPTABLE.join(', ')}`, [])
    .option('--date <day>', 'day of the file, YYYY-MM-DD; default from its name')
    .option('--json', 'print one JSON document')
    .addOption(new Option('--recorded', 'skip the audit log: the caller recorded the decision').hideHelp())
    .action(async (id: string, { accept, date, json, recorded }: Options) => {
      if (date !== undefined && !isDay(date)) throw new Error(`--date must be ${A_DAY.en}.`)
      const accepted = await withWorkspace(workspace => acceptKept(workspace, id, { rules: accept, date }))
      if (!recorded) recordAct('quarantine accept', id, { accept, date: date ?? null, outcome: accepted.outcome })
      if (accepted.outcome === 'refused') setExitCode(EXIT.refused)
      if (json) return printJson(accepted)
      if (accepted.outcome !== 'refused')
        return print(`${accepted.file}: ${accepted.outcome} ${Object.values(accepted.releases).join(', ')}`)
      for (const { rule, message } of accepted.faults) say(`refused  ${rule}: ${message}`)
    })
  quarantine
    .command('discard')
    .description('discard a refused file')
    .argument('<id>', 'id of the file')
    .option('--json', 'print one JSON document')
    .action((id: string, { json }: { json?: true }) => {
      const discarded = discardKept(rootOf(), id, () => new Date())
      recordAct('quarantine discard', id, { for: discarded.for })
      if (json) printJson(discarded)
      else print(`${discarded.file}: discarded`)
    })
}

const fileJson = ({ id, for: name, file, bytes, refusedAt, from, path, faults }: KeptFile) => ({
  id,
  for: name,
  file,
  from,
  bytes,
  refused_at: refusedAt,
  has_copy: path !== null,
  faults,
})

const rowOf = ({ id, for: name, file, refusedAt, faults }: KeptFile): readonly string[] => [
  ...[id, name, file],
  refusedAt?.slice(0, 16).replace('T', ' ') ?? '-',
  [...new Set(faults.map(({ rule }) => rule))].join(', ') || '-',
]
