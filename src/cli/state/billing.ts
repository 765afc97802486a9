import type { Command } from 'commander'
import { openBilling, type ReconcileReport } from '../../billing/index.ts'
import { openControl } from '../../control/index.ts'
import { A_DAY, commandRefusal, createLog, DAY_MS, isDay, loadSecrets, type Refusal, taipei } from '../../core/index.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { configured } from '../workspace.ts'

interface ReplayOptions {
  readonly since: string
  readonly json?: true
}

export function billingCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('billing')
    .description('manage payments')
    .command('replay')
    .description('fetch missed payment events and refresh all subscriptions')
    .option('--since <day>', 'day in Taipei, YYYY-MM-DD, at most 30 days ago', taipei(new Date(Date.now() - 30 * DAY_MS)).slice(0, 10))
    .option('--json', 'print one JSON document')
    .action((options: ReplayOptions) => replay(options, setExitCode))
}

async function replay({ since, json }: ReplayOptions, setExitCode: (code: number) => void): Promise<void> {
  if (!isDay(since)) throw new Error(`--since must be ${A_DAY.en}.`)
  const config = configured()
  const control = openControl(config, loadSecrets(config))
  const billing = await openBilling(config, control, () => new Date(), createLog('silent'), null)
  try {
    if (!billing) throw new Error('No payment provider is configured. Set STRIPE_SECRET_KEY and the other STRIPE_ variables.')
    const replayed = control.paymentEvents.replay(`${since}T00:00:00.000+08:00`, new Date())
    control.audit.write({ actor: 'operator', action: 'payments replayed', accountId: null, facts: { since, events: replayed } }, new Date())
    const found = await billing.worker.reconcile(Date.parse(`${since}T00:00:00+08:00`) / 1_000).catch(error => {
      if (billing.provider.isFault(error)) throw noAnswer(error)
      throw error
    })
    if (found.eventsWaiting + found.subscriptionsUnread > 0) setExitCode(EXIT.refused)
    printReplay(since, replayed, found, json)
  } finally {
    await billing?.close()
    control.close()
  }
}

function printReplay(
  since: string,
  replayed: number,
  { eventsFound, subscriptionsRead, subscriptionsUnread, eventsWaiting }: ReconcileReport,
  json: true | undefined,
): void {
  const facts = {
    since,
    events_replayed: replayed,
    events_found: eventsFound,
    subscriptions_read: subscriptionsRead,
    subscriptions_unread: subscriptionsUnread,
    events_waiting: eventsWaiting,
  }
  if (json) return printJson(facts)
  print(`Since ${since}: ${replayed} events applied again, ${eventsFound} missed events found, ${subscriptionsRead} subscriptions read.`)
  if (eventsWaiting > 0) say(`${eventsWaiting} events could not be applied; the service retries them.`)
  if (subscriptionsUnread > 0) say(`Subscriptions that could not be read: ${subscriptionsUnread}. Run the command again.`)
}

/** The provider's message may contain a part of the secret key, so the message is omitted. */
const noAnswer = (error: Error): Refusal =>
  commandRefusal(
    'billing_unavailable',
    {},
    `The payment provider failed (${error.constructor.name}). Check STRIPE_SECRET_KEY and the network, then run the command again.`,
  )
