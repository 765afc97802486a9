import { openDispatcher } from '../../../src/accounts/index.ts'
import { createSender } from '../../../src/accounts/webhooks/sender.ts'
import { createLog, taipei } from '../../../src/core/index.ts'
import { type Portal, portal, type SignedIn } from '../portal.ts'
import { receiver } from './receiver.ts'

/** An endpoint, as what made it answered. */
export interface Named {
  readonly webhook_id: string
}

/** Far beyond any test: rounds are made by hand. */
const NEVER_MS = 86_400_000

/** A service whose webhooks may go to this machine, a receiver, and somebody signed in. Time passes by hand, and what is due is sent by hand. */
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
  const owner = await p.signIn('owner@example.test')
  let uses = 0
  /** A call about an endpoint, as its owner, who has just signed in. */
  const of = ({ webhook_id: id }: Named, method: Parameters<Portal['as']>[1], path = '', body?: unknown) => {
    const { token } = p.control.sessions.open(owner.accountId, p.now())
    p.secrets.add(token)
    return p.as({ token }, method, `webhooks/${id}${path === '' ? '' : `/${path}`}`, body)
  }
  return {
    ...p,
    receiver: r,
    owner,
    open,
    sendDue: dispatcher.sendDue,
    /** An endpoint at the receiver. */
    async endpoint(choice: Readonly<Record<string, unknown>> = {}, who: SignedIn = owner) {
      const response = await p.as(who, 'POST', 'webhooks', { url: r.url, ...choice })
      if (response.statusCode !== 200) throw new Error(response.body)
      return response.json() as Named & { readonly secret: string }
    },
    of,
    /** Sends a test event. @returns its id */
    test: async (endpoint: Named): Promise<string> => (await of(endpoint, 'POST', 'test')).json().message_id,
    deliveries: async (endpoint: Named) => (await of(endpoint, 'GET', 'deliveries')).json().data,
    seen: async (endpoint: Named) => (await of(endpoint, 'GET')).json(),
    /** Spends credits of the owner. */
    spend: (credits: number) =>
      p.control.ledger.record({
        ...{ requestId: `req_${uses++}`, accountId: owner.accountId, keyId: owner.apiKey!.key_id, dataset: 'theme-taxonomy' },
        ...{ at: taipei(p.now()), credits, rows: 1 },
      }),
    async close() {
      await dispatcher.close()
      r.close()
      await p.close()
    },
  }
}

export type Hooks = Awaited<ReturnType<typeof hooks>>
