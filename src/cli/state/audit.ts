import { type Command, InvalidArgumentError, Option } from 'commander'
import { readEmail } from '../../accounts/index.ts'
import type { Control } from '../../control/index.ts'
import { momentOf, taipei } from '../../core/index.ts'
import type { RowSet } from '../../formats/index.ts'
import { auditEntryView, auditRows } from '../../operations/index.ts'
import { AUDIT_ACTIONS, type AuditAction, type AuditRecord } from '../../state/index.ts'
import { print, printFitted, printJson, say, write } from '../terminal.ts'
import { wholeNumber } from '../whole-number.ts'
import { withControl } from './state-file.ts'

interface Options {
  readonly account?: string
  readonly action?: AuditAction
  readonly actor?: string
  readonly from?: string
  readonly to?: string
  readonly before?: number
  readonly limit: number
  readonly csv?: true
  readonly json?: true
}

const MAX_ENTRIES = 100_000

export function auditCommand(program: Command): void {
  program
    .command('audit')
    .description('list administrative actions, newest first')
    .option('--account <account>', 'only actions on this account: its id or e-mail address')
    .addOption(new Option('--action <action>', 'only this action').choices(AUDIT_ACTIONS))
    .option('--actor <actor>', 'only actions by admin, operator or an account id')
    .option('--from <time>', 'only actions from this time; without an offset, Taipei time', momentText)
    .option('--to <time>', 'only actions before this time; without an offset, Taipei time', momentText)
    .option('--before <id>', 'only entries before this id, for the next page', wholeNumber(1, 2 ** 31))
    .option('--limit <count>', 'maximum number of entries', wholeNumber(1, MAX_ENTRIES), 50)
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--json', 'print one JSON document')
    .action(async ({ account, limit, csv, json, ...options }: Options) => {
      const { action = null, actor = null, from = null, to = null, before = null } = options
      const { entries, more } = withControl(control => {
        const accountId = account === undefined ? null : accountIdOf(control, account, new Date())
        return control.audit.page({ accountId, action, actor, from, to, before, limit })
      })
      if (json) printJson(entries.map(auditEntryView))
      else if (csv) write(await csvOf(auditRows(entries)))
      else printEntries(entries)
      if (more) say(`There are more entries: --before ${entries.at(-1)!.id} lists the next ones.`)
    })
}

/** Converts a mail address to an account id. Other text must already be an id. */
function accountIdOf(control: Control, account: string, now: Date): string {
  const email = readEmail(account)
  const id = email ? control.accounts.byEmail(email, now)?.id : account
  if (id === undefined) throw new Error(`No account has the address ${account}. Check it, or use an account id.`)
  return id
}

async function csvOf(rows: RowSet): Promise<string> {
  const { ENCODERS } = await import('../../formats/index.ts')
  // Copies each piece, because the encoder reuses memory.
  const pieces = Array.from(await ENCODERS.csv.encode(rows, ['', '']), piece => Buffer.from(piece))
  return Buffer.concat(pieces).toString()
}

function printEntries(entries: readonly AuditRecord[]): void {
  if (entries.length === 0) return print('There are no entries.')
  printFitted(
    [
      { head: 'time', unit: 'Taipei', align: 'left' },
      ...['actor', 'action', 'account', 'target', 'facts'].map(head => ({ head, align: 'left' }) as const),
    ],
    entries.map(({ at, actor, action, accountId, target, facts }) => [
      at.slice(0, 19).replace('T', ' '),
      actor,
      action,
      accountId ?? '',
      target ?? '',
      facts === '{}' ? '' : facts,
    ]),
  )
}

function momentText(text: string): string {
  const moment = momentOf(text)
  if (!moment) throw new InvalidArgumentError('Must be a day such as 2026-06-30, or an RFC 3339 time.')
  return taipei(moment)
}
