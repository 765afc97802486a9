import { createLog, taipei } from '../../src/core/index.ts'
import { openDispatcher } from '../../src/webhooks/index.ts'
import { createSender } from '../../src/webhooks/sender.ts'
import { type Portal, portal, type SignedIn } from '../accounts/portal.ts'
import { NOW } from '../support.ts'
import { receiver } from './receiver.ts'

/** A created endpoint. */
export interface Named {
  readonly webhook_id: string
}

/** Interval of the dispatcher. Longer than any test, so that only `sendDue` sends messages. */
const NEVER_MS = 86_400_000

/**
 * A service whose webhooks may target this machine, a receiver, and a signed-in owner. The clock
 * and the dispatcher only advance when a test calls them.
 */
export async function hooks(options: Parameters<typeof portal>[0] = {}) {
  const p = await portal({ webhookPrivateHosts: 'on', ...options })
  const r = await receiver()
  const log = createLog('info', { write: line => void p.lines.push(line) })
  const open = (timeoutMs = 15_000, webhookPrivateHosts = true) =>
    openDispatcher(
      {
        ...p.control.webhooks,
        config: { webhookPrivateHosts },
        sender: createSender({ privateHosts: true, timeoutMs }),
        clock: p.now,
        log,
      },
      NEVER_MS,
    )
  const dispatcher = open()
  let owner = await p.signIn('owner@example.test')
  let [uses, owners] = [0, 0]
  /** Calls an endpoint's routes as its owner, with a new session. */
  const callRoute = ({ webhook_id: id }: Named, method: Parameters<Portal['as']>[1], path = '', body?: unknown) => {
    const { token } = p.control.sessions.open(owner.accountId, p.now())
    p.secrets.add(token)
    return p.as({ token }, method, `webhooks/${id}${path === '' ? '' : `/${path}`}`, body)
  }
  return {
    ...p,
    receiver: r,
    get owner() {
      return owner
    },
    /**
     * Deletes all endpoints and messages, resets the clock and the receiver, and signs in a new
     * owner.
     */
    async reset(): Promise<void> {
      for (const table of ['webhook_attempt', 'webhook_delivery', 'webhook_event', 'webhook_endpoint']) p.tamper(`DELETE FROM ${table}`)
      p.pass((NOW.getTime() - p.now().getTime()) / 60_000)
      r.answers(response => void response.end())
      r.taken()
      owner = await p.signIn(`owner${owners++}@example.test`)
    },
    open,
    sendDue: dispatcher.sendDue,
    /** Creates an endpoint at the receiver. */
    async endpoint(choice: Readonly<Record<string, unknown>> = {}, who: SignedIn = owner) {
      const response = await p.as(who, 'POST', 'webhooks', { url: r.url, ...choice })
      if (response.statusCode !== 200) throw new Error(response.body)
      return response.json() as Named & { readonly secret: string }
    },
    call: callRoute,
    /**
     * Sends a test event.
     *
     * @returns its message id
     */
    test: async (endpoint: Named): Promise<string> => (await callRoute(endpoint, 'POST', 'test')).json().message_id,
    deliveries: async (endpoint: Named) => (await callRoute(endpoint, 'GET', 'deliveries')).json().data,
    seen: async (endpoint: Named) => (await callRoute(endpoint, 'GET')).json(),
    /** Spends credits of the owner. */
    spend: (credits: number) =>
      p.control.ledger.record({
        requestId: `req_${uses++}`,
        accountId: owner.accountId,
        keyId: owner.apiKey!.key_id,
        dataset: 'theme-taxonomy',
        at: taipei(p.now()),
        credits,
        rows: 1,
      }),
    async close() {
      await dispatcher.close()
      r.close()
      await p.close()
    },
  }
}

export type Hooks = Awaited<ReturnType<typeof hooks>>
