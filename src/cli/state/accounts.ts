import { closeSync, openSync, writeSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { PLAN_IDS, type PlanId } from '../../../catalog/index.ts'
import { STANDINGS, type Standing } from '../../accounts/index.ts'
import { hasEnded, openBilling } from '../../billing/index.ts'
import type { Control } from '../../control/index.ts'
import { commandRefusal, createLog, LABEL_PATTERN, LABEL_WORDS, newId, Refusal } from '../../core/index.ts'
import {
  createCloseAccount,
  createManageAccounts,
  type LimitsInput,
  MAX_NOTE_LENGTH,
  MAX_OVERLAP_HOURS,
  MAX_REASON_LENGTH,
  type ManageAccounts,
  MOST_LIMITS,
  type OperatorCall,
} from '../../operations/index.ts'
import { print, printFitted, printJson, write } from '../terminal.ts'
import { wholeNumber } from '../whole-number.ts'
import { loadPlans, openExisting } from './state-file.ts'

interface Printed {
  readonly json?: true
}

interface ListOptions extends Printed {
  readonly search?: string
  readonly status?: Standing
  readonly plan?: PlanId
  readonly before?: string
  readonly limit: number
}

interface AccountsContext {
  readonly control: Control
  readonly manage: ManageAccounts
  readonly call: OperatorCall
  /** @param account id or mail address */
  readonly idOf: (account: string) => string
}

const ACCOUNT = ['<account>', 'id or e-mail address of the account'] as const
const LIMITS = {
  rows: 'row_limit',
  requestsPerMinute: 'requests_per_minute',
  atOnce: 'requests_at_once',
  credits: 'credits_per_month',
} as const

/** Safe while a service runs. Changes apply to the next request. */
export function accountsCommand(program: Command): void {
  const accounts = program.command('accounts').description('manage accounts of customers')
  listCommand(accounts)
  showCommand(accounts)
  changeCommands(accounts)
  keyCommands(accounts)
  personCommands(accounts)
}

function listCommand(accounts: Command): void {
  accounts
    .command('list')
    .description('list accounts, newest first')
    .option('--search <text>', 'part of an e-mail address; or an account, key or customer id')
    .addOption(new Option('--status <status>', 'only accounts with this status').choices(STANDINGS))
    .addOption(new Option('--plan <plan>', 'only accounts on this plan').choices(PLAN_IDS))
    .option('--before <account_id>', 'only accounts older than this one')
    .option('--limit <count>', 'maximum number of accounts', wholeNumber(1, 1_000), 100)
    .option('--json', 'print one JSON document')
    .action(({ search, status, plan, before, limit, json }: ListOptions) => {
      const filter = { text: search?.trim() || null, status: status ?? null, plan_id: plan ?? null, before: before ?? null, limit }
      const found = withAccounts(({ manage }) => manage.list(filter))
      if (json) return printJson(found)
      if (found.data.length === 0) return print('No account matches.')
      printFitted(
        ['account', 'address', 'status', 'plan', 'keys', 'created', 'last read'].map(head => ({ head, align: 'left' })),
        found.data.map(one => [
          one.account_id,
          one.email ?? '',
          one.account_status,
          one.plan_id,
          one.active_keys,
          minuteOf(one.created_at),
          minuteOf(one.last_used_at),
        ]),
      )
      if (found.next_before !== null) print(`More accounts: --before ${found.next_before}`)
    })
}

function showCommand(accounts: Command): void {
  accounts
    .command('show')
    .description('print plan, keys, usage, payments, mails and notes')
    .argument(...ACCOUNT)
    .option('--json', 'print one JSON document')
    .action((account: string, { json }: Printed) => {
      const shown = withAccounts(({ manage, idOf }) => manage.show(idOf(account)))
      if (json) printJson(shown)
      else printAccount(shown)
    })
}

function changeCommands(accounts: Command): void {
  accounts
    .command('suspend')
    .description('refuse all reads of an account with a reason')
    .argument(...ACCOUNT)
    .requiredOption('--reason <text>', 'reason, shown to the owner')
    .option('--json', 'print one JSON document')
    .action((account: string, { reason, json }: Printed & { readonly reason: string }) => {
      const text = checkedText('--reason', reason, MAX_REASON_LENGTH)
      if (!LABEL_PATTERN.test(text)) throw new Error(`--reason ${LABEL_WORDS.en}.`)
      const { account_id: id, suspension } = withAccounts(({ manage, idOf, call }) => manage.suspend(idOf(account), text, call))
      if (json) printJson({ account_id: id, account_status: 'suspended', suspension })
      else print(`${id} has been suspended since ${minuteOf(suspension!.suspended_at)}: ${suspension!.reason}`)
    })
  accounts
    .command('restore')
    .description('end the suspension of an account')
    .argument(...ACCOUNT)
    .option('--json', 'print one JSON document')
    .action((account: string, { json }: Printed) => {
      const { account_id: id, account_status } = withAccounts(({ manage, idOf, call }) => manage.restore(idOf(account), call))
      if (json) printJson({ account_id: id, account_status })
      else print(`${id} is ${account_status}.`)
    })
  accounts
    .command('limits')
    .description('set limits of an account instead of those of its plan')
    .argument(...ACCOUNT)
    .option('--rows <count>', "rows per response; plan for the plan's limit", limitIn('row_limit'))
    .option('--requests-per-minute <count>', "requests per minute; plan for the plan's limit", limitIn('requests_per_minute'))
    .option('--at-once <count>', "concurrent reads; plan for the plan's limit", limitIn('requests_at_once'))
    .option('--credits <count>', "credits per month; plan for the plan's limit", limitIn('credits_per_month'))
    .option('--json', 'print one JSON document')
    .action((account: string, { json, ...limits }: Printed & Readonly<Partial<Record<keyof typeof LIMITS, number | 'plan'>>>) => {
      const input: LimitsInput = Object.fromEntries(
        Object.entries(limits).map(([name, value]) => [LIMITS[name as keyof typeof LIMITS], value === 'plan' ? null : value]),
      )
      if (Object.keys(input).length === 0) throw new Error('Set at least one limit; see --help.')
      const { account_id: id, own_limits: own } = withAccounts(({ manage, idOf, call }) => manage.setLimits(idOf(account), input, call))
      if (json) return printJson({ account_id: id, own_limits: own })
      const set = Object.entries(own).filter(([, value]) => value !== null)
      print(set.length === 0 ? `${id} has the limits of its plan.` : `${id}: ${set.map(([name, value]) => `${name} ${value}`).join(', ')}.`)
    })
  accounts
    .command('note')
    .description('add a note that only operators see')
    .argument(...ACCOUNT)
    .argument('<text>', 'at most 2000 characters')
    .option('--json', 'print one JSON document')
    .action((account: string, text: string, { json }: Printed) => {
      const note = checkedText('text', text, MAX_NOTE_LENGTH)
      const { account_id: id, notes } = withAccounts(({ manage, idOf, call }) => manage.addNote(idOf(account), note, call))
      if (json) printJson({ account_id: id, notes })
      else print(`${id} has ${notes.length === 1 ? '1 note' : `${notes.length} notes`}.`)
    })
}

function keyCommands(accounts: Command): void {
  accounts
    .command('revoke-key')
    .description('revoke a key and delete its secret')
    .argument(...ACCOUNT)
    .argument('<key_id>', 'key id from twmd accounts show')
    .option('--json', 'print one JSON document')
    .action((account: string, keyId: string, { json }: Printed) => {
      const key = withAccounts(({ manage, idOf, call }) => manage.revokeKey(idOf(account), keyId, call))
      if (json) printJson(key)
      else print(`${keyId} has been revoked since ${minuteOf(key.revoked_at)}.`)
    })
  accounts
    .command('rotate-key')
    .description('replace a key with a new one')
    .argument(...ACCOUNT)
    .argument('<key_id>', 'key id from twmd accounts show')
    .option('--overlap-hours <hours>', 'hours for which the former key stays valid', wholeNumber(0, MAX_OVERLAP_HOURS), 0)
    .option('--json', 'print one JSON document')
    .action((account: string, keyId: string, { overlapHours, json }: Printed & { readonly overlapHours: number }) => {
      const rotated = withAccounts(({ manage, idOf, call }) => manage.rotateKey(idOf(account), keyId, overlapHours, call))
      if (json) return printJson(rotated)
      const { key, former_key } = rotated
      const { status, expires_at: until } = former_key
      const former = status === 'revoked' ? 'is revoked' : `is valid until ${minuteOf(until)}`
      print(`${key.api_key}\nKey ${key.key_id} replaces ${keyId}, which ${former}. The new key is shown only once.`)
    })
}

function personCommands(accounts: Command): void {
  accounts
    .command('close')
    .description('close an account on behalf of its owner')
    .argument(...ACCOUNT)
    .requiredOption('--yes', 'confirm: a closed account cannot be opened again')
    .option('--json', 'print one JSON document')
    .action((account: string, { json }: Printed) => close(account, json))
  accounts
    .command('export')
    .description('export everything about an account as JSON')
    .argument(...ACCOUNT)
    .option('--out <file>', 'new file; default standard output')
    .action((account: string, { out }: { readonly out?: string }) =>
      withAccounts(({ control, idOf, call: { actor, requestId } }) => {
        const [id, now] = [idOf(account), new Date()]
        // Opens the file before writing the audit entry, because opening may fail.
        const file = out === undefined ? undefined : openSync(out, 'wx', 0o600)
        control.audit.write({ actor, action: 'account exported', accountId: id, requestId }, now)
        for (const piece of control.exportAccount(id, now))
          if (file === undefined) write(piece)
          else writeSync(file, piece)
        if (file === undefined) return
        closeSync(file)
        print(`${id} was exported to ${out}. The file contains personal data.`)
      }),
    )
  accounts
    .command('erase')
    .description('close an account and erase personal data')
    .argument(...ACCOUNT)
    .requiredOption('--yes', 'confirm: erased data cannot be recovered')
    .option('--json', 'print one JSON document')
    .action((account: string, { json }: Printed) =>
      withAccounts(({ control, idOf, call }) => {
        const id = idOf(account)
        const live = control.subscriptions.byAccount(id).filter(one => !hasEnded(one))
        if (live.length > 0)
          throw stillLive(
            id,
            live.map(one => one.id),
          )
        const { erasedAt, copies } = control.eraser.erase(id, call.requestId, new Date())
        if (json) return printJson({ account_id: id, erased_at: erasedAt, copies })
        print(`${id} was erased. Ledger and billing records remain under this id.`)
        print('Earlier backups still contain the account. Delete them within 30 days.')
        for (const copy of copies) print(`Delete this copy of the state file, too: ${copy}`)
      }),
    )
}

/** Same effects as a closure by the owner. Also expires open checkouts. */
async function close(name: string, json: true | undefined): Promise<void> {
  const accounts = openAccounts()
  const { control, config, call } = accounts
  const [clock, log] = [() => new Date(), createLog('silent')]
  const billing = await openBilling(config, control, clock, log, null)
  try {
    const account = control.accounts.byId(accounts.idOf(name), clock())!
    const closeAccount = createCloseAccount({ control, billing, origin: () => config.publicUrl ?? '', clock, log })
    const closed = await closeAccount({ accountId: account.id, account }, { requestId: call.requestId, language: 'en' }, call.actor)
    if (json) return printJson(closed)
    const { api_keys_revoked: keys } = closed
    print(`${account.id} is closed; ${keys === 1 ? '1 key is' : `${keys} keys are`} revoked.`)
    for (const { subscription_id: id } of closed.billing.subscriptions) print(`Cancel subscription ${id} at the payment provider.`)
  } finally {
    await billing?.close()
    control.close()
  }
}

/** @throws Error if there is no state file, or if the plans file is invalid */
function openAccounts() {
  loadPlans()
  const { config, control } = openExisting()
  const manage = createManageAccounts({ control, clock: () => new Date(), log: createLog('silent') })
  const call: OperatorCall = { actor: 'operator', requestId: newId('req') }
  const idOf = (account: string): string => {
    try {
      return manage.find(account).id
    } catch (error) {
      if (error instanceof Refusal && error.code === 'unknown_id')
        throw commandRefusal('unknown_id', {}, `There is no account ${account}. Find it with twmd accounts list --search.`)
      throw error
    }
  }
  return { config, control, manage, call, idOf }
}

function withAccounts<T>(work: (accounts: AccountsContext) => T): T {
  const accounts = openAccounts()
  try {
    return work(accounts)
  } finally {
    accounts.control.close()
  }
}

type Shown = ReturnType<ManageAccounts['show']>

function printAccount(shown: Shown): void {
  const { suspension, credits, rate_limits: rates, payments, usage, grant } = shown
  const own = Object.entries(shown.own_limits).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
  print(`${shown.account_id}  ${shown.email ?? 'no address'}  ${shown.account_status}`)
  if (suspension) print(`suspended since ${minuteOf(suspension.suspended_at)}: ${suspension.reason}`)
  print(`created ${minuteOf(shown.created_at)}, last sign-in ${minuteOf(shown.last_sign_in_at) || 'unknown'}`)
  print(`plan ${shown.plan_id} (${shown.plan_source})${grant?.expires_at ? `, until ${minuteOf(grant.expires_at)}` : ''}`)
  print(`limits ${shown.row_limit} rows, ${rates.requests_per_minute} requests a minute, ${rates.requests_at_once} concurrent`)
  if (own.length > 0) print(`set for this account: ${own.join(', ')}`)
  print(`credits of ${credits.period}: ${credits.used} of ${credits.included + credits.granted + credits.refunded} used`)
  const { requests, rows, errors } = usage.totals
  print(`last 30 days: ${requests} charged reads, ${usage.totals.credits} credits, ${rows} rows, ${errors} errors`)
  table('Keys', ['key', 'name', 'last 4', 'status', 'created', 'last read'], shown.keys, key => [
    key.key_id,
    key.name,
    key.last4,
    key.status,
    minuteOf(key.created_at),
    minuteOf(key.last_used_at),
  ])
  table('Subscriptions', ['subscription', 'plan', 'status', 'paid until'], payments.subscriptions, one => [
    one.subscription_id,
    one.plan_id,
    one.status,
    minuteOf(one.current_period_end),
  ])
  table('Billed periods', ['subscription', 'from', 'until', 'amount'], payments.billed_periods, one => [
    one.subscription_id,
    minuteOf(one.from),
    minuteOf(one.until),
    (one.amount / 100).toFixed(2),
  ])
  table('Mails', ['queued', 'subject', 'state', 'error'], shown.mails, one => [
    minuteOf(one.at),
    one.subject,
    one.state,
    one.last_error ?? '',
  ])
  table('Notes', ['time', 'author', 'text'], shown.notes, one => [minuteOf(one.at), one.author, one.text])
}

/** Prints nothing if there are no rows. */
function table<T>(title: string, heads: readonly string[], rows: readonly T[], cellsOf: (row: T) => readonly unknown[]): void {
  if (rows.length === 0) return
  print(`\n${title}`)
  printFitted(
    heads.map(head => ({ head, align: 'left' })),
    rows.map(cellsOf),
  )
}

const minuteOf = (at: string | null): string => at?.slice(0, 16).replace('T', ' ') ?? ''

const stillLive = (id: string, subscriptions: readonly string[]): Refusal =>
  commandRefusal(
    'conflict',
    {},
    `${id} has live subscriptions (${subscriptions.join(', ')}). Cancel them at the payment provider, run twmd billing replay, then erase the account.`,
  )

/** @throws Error for a text that is blank or too long */
function checkedText(name: string, text: string, most: number): string {
  const trimmed = text.trim()
  if (trimmed.length === 0 || trimmed.length > most) throw new Error(`${name} must have 1 to ${most} characters; it had ${trimmed.length}.`)
  return trimmed
}

/** Accepts a limit or the word `plan`. */
function limitIn(field: keyof typeof MOST_LIMITS) {
  const parse = wholeNumber(field === 'credits_per_month' ? 0 : 1, MOST_LIMITS[field])
  return (text: string): number | 'plan' => (text === 'plan' ? text : parse(text))
}
