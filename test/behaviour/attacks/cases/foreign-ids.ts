import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { BELIEVED } from '../documented.ts'
import type { Caller } from '../service.ts'
import { type Answer, type Attack, attacked, inParallel, type Target } from '../target.ts'

const HOME = '/v2/self-serve'

/** Ids of the victim's objects, which another account requests. */
interface Belongings {
  readonly key: string
  readonly webhook: string
  readonly message: string
}

const post = (path: string, body: object = {}): Attack => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Every route that has an id of an account's object. */
const ASKED: Readonly<Record<string, (ids: Belongings) => Attack>> = {
  'reveal a key': ({ key }) => ({ path: `${HOME}/api-keys/${key}/reveal` }),
  'revoke a key': ({ key }) => post(`${HOME}/api-keys/${key}/revoke`),
  'profile of a key': ({ key }) => ({ path: `${HOME}/share-profile?key_id=${key}` }),
  'uses of a key': ({ key }) => ({ path: `${HOME}/usage-ledger?window=month&key_id=${key}` }),
  'read a webhook': ({ webhook }) => ({ path: `${HOME}/webhooks/${webhook}` }),
  'change a webhook': ({ webhook }) => post(`${HOME}/webhooks/${webhook}`, { enabled: false }),
  'delete a webhook': ({ webhook }) => ({ method: 'DELETE', path: `${HOME}/webhooks/${webhook}` }),
  'reveal a webhook': ({ webhook }) => ({ path: `${HOME}/webhooks/${webhook}/reveal` }),
  'rotate a webhook': ({ webhook }) => post(`${HOME}/webhooks/${webhook}/rotate`),
  'test a webhook': ({ webhook }) => post(`${HOME}/webhooks/${webhook}/test`),
  'deliveries of a webhook': ({ webhook }) => ({ path: `${HOME}/webhooks/${webhook}/deliveries` }),
  'resend a delivery': ({ webhook, message }) => post(`${HOME}/webhooks/${webhook}/deliveries/${message}/resend`),
  'resend since a day': ({ webhook }) => post(`${HOME}/webhooks/${webhook}/resend`, { since: '2026-07-01' }),
  'a key for a subscription': ({ key }) => post(`/v2/billing/subscriptions/sub_${key.slice(4)}/api-key`),
}

/** An id of the same format that was never issued. */
const unknownLike = (id: string): string => id.slice(0, -8) + (id.endsWith('zzzzzzzz') ? 'yyyyyyyy' : 'zzzzzzzz')
const unknownOf = (ids: Belongings): Belongings => ({
  key: unknownLike(ids.key),
  webhook: unknownLike(ids.webhook),
  message: unknownLike(ids.message),
})
/** Text that is not an id. */
const WEIRD = ['..', '%2e%2e%2f', 'key_', 'x'.repeat(4_000), '%00', "'", '*', '%20', '__proto__']

/**
 * Status, headers and body of an answer, without values that differ per request and without the
 * sent id.
 */
function wordsOf({ status, headers, body }: Answer, { key, webhook, message }: Belongings): string {
  const {
    date: _,
    'x-request-id': id,
    ratelimit: _2,
    'x-ratelimit-remaining': _3,
    'x-ratelimit-reset': _4,
    'server-timing': _5,
    etag: _6,
    ...rest
  } = headers
  let text = body.replaceAll(String(id), 'REQUEST').replace(/"as_of":"[^"]*"/, '')
  for (const own of [key, webhook, message]) text = text.replaceAll(own, 'ID')
  return JSON.stringify([status, rest, text])
}

/** Creates objects in the victim's account. */
async function belongingsOf(target: Target, { token, keyId }: Caller): Promise<Belongings> {
  const headers = { 'x-self-serve-token': token, 'content-type': 'application/json' }
  const send = (attack: Attack) => target.send({ ...attack, headers: { ...attack.headers, ...headers } })
  const { webhook_id: webhook } = JSON.parse((await send(post(`${HOME}/webhooks`, { url: 'https://hooks.example.test/twmd' }))).body)
  await send(post(`${HOME}/webhooks/${webhook}/test`))
  const { data } = JSON.parse((await send({ path: `${HOME}/webhooks/${webhook}/deliveries` })).body)
  return { key: keyId, webhook, message: data[0].message_id }
}

export const cases: readonly HostileCase[] = [
  {
    id: 'K5',
    tries:
      "ids of another account's keys, webhooks, deliveries, uses and subscriptions on every route that takes one, and texts that are no id",
    holds: 'ids of another account are refused exactly like unknown ids, and nothing of that account changes',
    run: (bounds: Bounds): Promise<Outcome> => {
      const attackers = scaled(bounds, 120)
      return attacked(
        bounds,
        { plans: ['max', ...Array.from({ length: attackers }, () => 'max' as const)], env: BELIEVED, meant: ['billing_unavailable'] },
        async target => {
          const failures: string[] = []
          const [victim, ...rest] = target.callers
          const [theirs, before] = [await belongingsOf(target, victim!), await stateOf(target, victim!)]
          let tries = 0
          await inParallel(attackers, 8, bounds.seconds, async index => {
            const { token } = rest[index]!
            const ask = (attack: Attack) => target.send({ ...attack, headers: { ...attack.headers, 'x-self-serve-token': token } })
            for (const [what, attack] of Object.entries(ASKED)) {
              const [foreign, unknown] = [await ask(attack(theirs)), await ask(attack(unknownOf(theirs)))]
              tries += 2
              const [actual, expected] = [wordsOf(foreign, theirs), wordsOf(unknown, unknownOf(theirs))]
              if (actual !== expected) failures.push(`${what}: a foreign id got ${actual}, an unknown one ${expected}`)
            }
            const weird = WEIRD[index % WEIRD.length]!
            for (const [what, attack] of Object.entries(ASKED)) {
              const { status, code } = await ask(attack({ key: weird, webhook: weird, message: weird }))
              tries++
              if (status < 400 && what !== 'uses of a key') failures.push(`${what}: ${weird.slice(0, 20)} got ${status} ${code}`)
            }
          })
          const after = await stateOf(target, victim!)
          if (after !== before) failures.push(`the other account changed: ${before} became ${after}`)
          return { tries, failures }
        },
      )
    },
  },
]

/** Returns the victim's objects, as the victim lists them. */
async function stateOf(target: Target, { token, key }: Caller): Promise<string> {
  const see = async (path: string) => {
    const { status, body } = await target.send({ path, headers: { 'x-self-serve-token': token } })
    return `${status} ${body.replace(/"(waiting|last_used_at|failing_since)":[^,}]*/g, '')}`
  }
  const { status } = await target.send({ path: '/v2/account/entitlements', headers: { 'x-api-key': key } })
  return [status, await see(`${HOME}/api-keys`), await see(`${HOME}/webhooks`), await see(`${HOME}/account`)].join('\n')
}
