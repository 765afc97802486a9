import { type Command, InvalidArgumentError } from 'commander'
import type { Control, GivenCredits } from '../../control/index.ts'
import { LABEL_PATTERN, LABEL_WORDS, newId } from '../../core/index.ts'
import { givenCreditsView } from '../../operations/index.ts'
import { createCredits } from '../../usage/index.ts'
import { print, printJson } from '../terminal.ts'
import { wholeNumber } from '../whole-number.ts'
import { withPlans } from './state-file.ts'

interface Options {
  readonly reason: string
  readonly json?: true
}

const MAX_REASON_LENGTH = 500
const MAX_CREDITS = 1_000_000_000

/** A running service applies changes within a second. */
export function creditsCommand(program: Command): void {
  const credits = program.command('credits').description('grant and refund credits')
  credits
    .command('grant')
    .description('grant credits for the current month')
    .argument('<account>', 'account id or e-mail address')
    .argument('<credits>', 'number of credits', wholeNumber(1, MAX_CREDITS))
    .requiredOption('--reason <text>', 'reason, shown to the customer', reasonOf)
    .option('--json', 'print one JSON document')
    .action((account: string, count: number, { reason, json }: Options) =>
      give(control => control.creditAdjuster.grant(account, count, callOf(reason), new Date()), json),
    )
  credits
    .command('refund')
    .description('refund a charged read; only once per read')
    .argument('<request_id>', 'request id of the read, from the usage ledger')
    .requiredOption('--reason <text>', 'reason, shown to the customer', reasonOf)
    .option('--json', 'print one JSON document')
    .action((requestId: string, { reason, json }: Options) =>
      give(control => control.creditAdjuster.refund(requestId, callOf(reason), new Date()), json),
    )
}

const callOf = (reason: string) => ({ actor: 'operator', entryId: newId('req'), reason })

function reasonOf(text: string): string {
  const reason = text.trim()
  if (reason.length === 0 || reason.length > MAX_REASON_LENGTH)
    throw new InvalidArgumentError(`Must have 1 to ${MAX_REASON_LENGTH} characters.`)
  if (!LABEL_PATTERN.test(reason)) throw new InvalidArgumentError(`It ${LABEL_WORDS.en}.`)
  return reason
}

function give(work: (control: Control) => GivenCredits, json: true | undefined): void {
  const { given, remaining } = withPlans(control => {
    const given = work(control)
    const { accountId } = given
    const { limits } = control.accounts.byId(accountId, new Date())!
    const credits = createCredits(control.ledger, control.creditEntries, () => new Date())
    return { given, remaining: credits.balance({ accountId, limits }).remaining }
  })
  if (json) return printJson({ ...givenCreditsView(given), credits_remaining: remaining })
  const { id, accountId, credits, useId } = given
  const result = useId === null ? `Granted ${credits} credits to ${accountId}` : `Refunded ${credits} credits of ${useId} to ${accountId}`
  print(`${result}. Remaining this month: ${remaining}. Entry ${id}.`)
}
