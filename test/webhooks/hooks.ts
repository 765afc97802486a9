import { openDispatcher } from '../../src/accounts/index.ts'
import { createSender } from '../../src/accounts/webhooks/sender.ts'
import { createLog } from '../../src/core/index.ts'
import { type Portal, portal, type SignedIn } from '../accounts/portal.ts'
import { receiver } from './receiver.ts'

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
      return response.json() as { readonly webhook_id: string; readonly secret: string }
    },
    /** A call about an endpoint, as its owner, who has just signed in. */
    of({ webhook_id: id }: { readonly webhook_id: string }, method: Parameters<Portal['as']>[1], path = '', body?: unknown) {
      const { token } = p.control.sessions.open(owner.accountId, p.now())
      p.secrets.add(token)
      return p.as({ token }, method, `webhooks/${id}${path === '' ? '' : `/${path}`}`, body)
    },
    async close() {
      await dispatcher.close()
      r.close()
      await p.close()
    },
  }
}

export type Hooks = Awaited<ReturnType<typeof hooks>>
