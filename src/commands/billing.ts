import type { Command } from 'commander'
import { openDesk } from '../accounts/billing/open.ts'
import { openControl } from '../accounts/open.ts'
import { isDay, taipei } from '../core/clock.ts'
import { readConfig } from '../core/config.ts'
import { openLog } from '../core/log.ts'
import { loadSecrets } from '../core/secrets.ts'
import { printJson } from './terminal.ts'

const DAY_MS = 86_400_000

/** `twmd billing replay`: asks the provider what was missed and applies it, with everything received since, once more. */
export function billingCommand(program: Command): void {
  program
    .command('billing')
    .description('payments')
    .command('replay')
    .description('fetch events the webhook missed, apply all since a day again, and re-read every subscription')
    .option(
      '--since <day>',
      'YYYY-MM-DD in Taipei; the provider keeps events for 30 days',
      taipei(new Date(Date.now() - 30 * DAY_MS)).slice(0, 10),
    )
    .option('--json', 'print one JSON document')
    .action(async ({ since, json }: { since: string; json?: true }) => {
      if (!isDay(since)) throw new Error('--since must be a day that exists, written YYYY-MM-DD.')
      const config = readConfig(process.env)
      const control = openControl(config, loadSecrets(config))
      const desk = openDesk(config, control, () => new Date(), openLog('error'))
      try {
        if (!desk) throw new Error('No payment provider is configured; set STRIPE_SECRET_KEY and the variables beside it.')
        const replayed = control.paymentEvents.replay(`${since}T00:00:00.000+08:00`, new Date())
        const { eventsFound, subscriptionsRead } = await desk.billing.reconcile(Date.parse(`${since}T00:00:00+08:00`) / 1_000)
        if (json) printJson({ since, events_replayed: replayed, events_found: eventsFound, subscriptions_read: subscriptionsRead })
        else
          console.log(
            `Since ${since}: ${replayed} events applied again, ${eventsFound} missed ones found, ${subscriptionsRead} subscriptions read.`,
          )
      } finally {
        await desk?.billing.stop()
        control.close()
      }
    })
}
