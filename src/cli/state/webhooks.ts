import { type Command, Option } from 'commander'
import type { Control } from '../../control/index.ts'
import { momentOf, taipei } from '../../core/index.ts'
import { DELIVERY_STATES, type DeliveryRecord, type DeliveryState, type EndpointOverview } from '../../webhooks/index.ts'
import { print, printFitted, printJson } from '../terminal.ts'
import { wholeNumber } from '../whole-number.ts'
import { withPlans } from './state-file.ts'

interface Printed {
  readonly json?: true
}

type Oversight = Control['webhooks']['oversight']

/** Safe while a service runs. */
export function webhooksCommand(program: Command): void {
  const webhooks = program.command('webhooks').description('manage webhook endpoints of all accounts')
  listCommand(webhooks)
  deliveriesCommand(webhooks)
  resendCommand(webhooks)
  switchCommand(webhooks, 'disable', 'disable an endpoint, drop its queue and notify its owner')
  switchCommand(webhooks, 'enable', 'enable an endpoint for new events')
}

function listCommand(webhooks: Command): void {
  webhooks
    .command('list')
    .description('list endpoints, failing ones first')
    .option('--failing', 'only failing endpoints')
    .option('--json', 'print one JSON document, with URL paths')
    .action(({ failing = false, json }: Printed & { readonly failing?: boolean }) => {
      const found = withOversight(oversight => oversight.list()).filter(({ failingSince }) => !failing || failingSince !== null)
      if (json) printJson(found.map(endpointFacts))
      else printEndpoints(found)
    })
}

function deliveriesCommand(webhooks: Command): void {
  webhooks
    .command('deliveries')
    .description('list the last 30 days of messages to an endpoint')
    .argument('<webhook_id>', 'endpoint id from twmd webhooks list')
    .addOption(new Option('--state <state>', 'only messages in this state').choices(DELIVERY_STATES))
    .option('--limit <count>', 'maximum number of messages', wholeNumber(1, 1_000), 20)
    .option('--json', 'print one JSON document, with all attempts')
    .action((id: string, { state, limit, json }: Printed & { readonly state?: DeliveryState; readonly limit: number }) => {
      const found = withOversight(oversight => oversight.deliveries(id, { state: state ?? null, most: limit }))
      if (json) printJson(found.map(deliveryFacts))
      else printDeliveries(id, found)
    })
}

function resendCommand(webhooks: Command): void {
  webhooks
    .command('resend')
    .description('resend a message, or with --since all undelivered ones')
    .argument('<webhook_id>', 'id of an enabled endpoint')
    .argument('[message_id]', 'message id from twmd webhooks deliveries')
    .option('--since <time>', 'day or time; without an offset, Taipei time')
    .option('--json', 'print one JSON document')
    .action((id: string, messageId: string | undefined, { since, json }: Printed & { readonly since?: string }) => {
      if ((messageId === undefined) === (since === undefined)) throw new Error('Give either a message id or --since.')
      const moment = since === undefined ? null : momentOf(since)
      if (since !== undefined && !moment) throw new Error('--since must be a day such as 2026-06-30 or an RFC 3339 time.')
      const now = new Date()
      const resent = withOversight(oversight =>
        messageId === undefined ? oversight.resendSince(id, taipei(moment!), now) : oversight.resend(id, messageId, now),
      )
      if (json) printJson({ webhook_id: id, resent })
      else print(`${resent === 1 ? '1 message is' : `${resent} messages are`} queued for ${id}; a running service sends within seconds.`)
    })
}

function switchCommand(webhooks: Command, name: 'disable' | 'enable', does: string): void {
  webhooks
    .command(name)
    .description(does)
    .argument('<webhook_id>', 'endpoint id from twmd webhooks list')
    .option('--json', 'print one JSON document')
    .action((id: string, { json }: Printed) => {
      const changed = withOversight(oversight => oversight[name](id, new Date()))
      if (json) printJson({ webhook_id: id, status: `${name}d`, changed })
      else print(`${id} ${changed ? 'is' : 'was'} ${name}d${changed ? '' : ' already'}.`)
    })
}

const withOversight = <T>(work: (oversight: Oversight) => T): T => withPlans(control => work(control.webhooks.oversight))

const endpointFacts = ({ id, accountId, email, url, state, reason, createdAt, failingSince, waiting, nextAt }: EndpointOverview) => ({
  webhook_id: id,
  account_id: accountId,
  email,
  url,
  status: state,
  disabled_reason: reason,
  created_at: createdAt,
  failing_since: failingSince,
  waiting,
  next_at: nextAt,
})

const deliveryFacts = ({ messageId, type, slug, state, createdAt, nextAt, attempts }: DeliveryRecord) => ({
  message_id: messageId,
  type,
  slug,
  status: state,
  created_at: createdAt,
  next_at: nextAt,
  attempts,
})

/** Columns with a time in Taipei. */
const TIMES = ['failing since', 'next', 'written', 'last']
const headOf = (head: string) => ({ head, ...(TIMES.includes(head) && { unit: 'Taipei' }), align: 'left' }) as const

const minuteOf = (at: string | null): string => at?.slice(0, 16).replace('T', ' ') ?? ''

function printEndpoints(endpoints: readonly EndpointOverview[]): void {
  if (endpoints.length === 0) return print('No endpoints.')
  printFitted(
    ['endpoint', 'account', 'state', 'failing since', 'waiting', 'next', 'host'].map(headOf),
    endpoints.map(({ id, accountId, email, url, state, reason, failingSince, waiting, nextAt }) => [
      ...[id, email ?? accountId, reason === null ? state : `${state}: ${reason}`],
      ...[minuteOf(failingSince), waiting, minuteOf(nextAt), new URL(url).host],
    ]),
  )
}

function printDeliveries(id: string, messages: readonly DeliveryRecord[]): void {
  if (messages.length === 0) return print(`${id} has no such message.`)
  printFitted(
    ['message', 'type', 'written', 'state', 'attempts', 'last', 'next'].map(headOf),
    messages.map(({ messageId, type, state, createdAt, nextAt, attempts }) => {
      const last = attempts.at(-1)
      const came = last && `${minuteOf(last.at)}: ${last.status ?? last.error}`
      return [messageId, type, minuteOf(createdAt), state, attempts.length, came ?? '', minuteOf(nextAt)]
    }),
  )
}
