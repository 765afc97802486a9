import { type Command, InvalidArgumentError } from 'commander'
import type { Control, GivenCredits } from '../../control/index.ts'
import { LABEL_PATTERN, LABEL_WORDS, newId } from '../../core/index.ts'
import { createCredits } from '../../usage/index.ts'
import { print, printJson } from '../terminal.ts'
import { withPlans } from './state-file.ts'

interface Options {
  readonly reason: string
  readonly json?: true
}

const MAX_REASON_LENGTH = 500
const MAX_CREDITS = 1_000_000_000

/** `twmd credits`: gives credits to an account. A running service applies them within a second. */
export function creditsCommand(program: Command): void {
  const credits = program.command('credits').description('grant and refund credits')
  credits
    .command('grant')
    .description('grant credits for the current month')
    .argument('<account>', 'account id or e-mail address')
    .argument('<credits>', 'number of credits', creditCount)
    .requiredOption('--reason <text>', 'reason, shown to the customer', reasonOf)
    .option('--json', 'print one JSON document')
    .action((account: string, count: number, { reason, json }: Options) =>
      withPlans(control => printGiven(control, control.creditAdjuster.grant(account, count, callOf(reason), new Date()), json)),
    )
  credits
    .command('refund')
    .description('refund a charged read, once')
    .argument('<request_id>', 'request id of the read, from the usage ledger')
    .requiredOption('--reason <text>', 'reason, shown to the customer', reasonOf)
    .option('--json', 'print one JSON document')
    .action((requestId: string, { reason, json }: Options) =>
      withPlans(control => printGiven(control, control.creditAdjuster.refund(requestId, callOf(reason), new Date()), json)),
    )
}

const callOf = (reason: string) => ({ actor: 'operator', entryId: newId('req'), reason })

function creditCount(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > MAX_CREDITS)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_CREDITS}.`)
  return Number(text)
}

function reasonOf(text: string): string {
  const reason = text.trim()
  if (reason.length === 0 || reason.length > MAX_REASON_LENGTH)
    throw new InvalidArgumentError(`It must have 1 to ${MAX_REASON_LENGTH} characters.`)
  if (!LABEL_PATTERN.test(reason)) throw new InvalidArgumentError(`It ${LABEL_WORDS.en}.`)
  return reason
}

function printGiven(control: Control, { id, kind, accountId, at, credits, reason, useId }: GivenCredits, json: true | undefined): void {
  const { limits } = control.accounts.byId(accountId, new Date())!
  const { remaining } = createCredits(control.ledger, control.creditEntries, () => new Date()).balance({ accountId, limits })
  if (json)
    return printJson({
      entry_id: id,
      kind,
      account_id: accountId,
      at,
      credited: credits,
      reason,
      refunded_request_id: useId ?? '',
      credits_remaining: remaining,
    })
  const given = useId === null ? `Granted ${credits} credits to ${accountId}` : `Refunded ${credits} credits of ${useId} to ${accountId}`
  print(`${given}. Remaining this month: ${remaining}. Entry ${id}.`)
}
