import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { KeyRecord } from '../accounts/keys.ts'
import { taipei } from '../core/clock.ts'
import { Refusal } from '../core/errors.ts'
import { readInput } from './input.ts'
import { accountOf, type SelfServeParts } from './self-serve.ts'
import { sessionOf } from './tokens.ts'
import { keyView } from './views.ts'

const Create = z.object({
  name: z.string().trim().min(1).max(64).default('key'),
  expires_in_days: z.number().int().min(1).max(3_650).nullish(),
})
const MOST_ACTIVE = 10
const RECENT_MS = 15 * 60_000
const DAY_MS = 86_400_000

type KeyPath = { readonly Params: { readonly key_id: string } }

const notStored = (reply: FastifyReply): void => void reply.header('cache-control', 'no-store')

/** An account's API keys: list, create, revoke, and show again to whoever just signed in. */
export function selfServeKeyRoutes(app: FastifyInstance, parts: SelfServeParts): void {
  const { control, clock } = parts
  app.get('/v2/self-serve/api-keys', (request, reply) => {
    const account = accountOf(request, parts)
    notStored(reply)
    const data = control.keys.list(account.id, clock()).map(key => keyView(key, account))
    return { data, data_count: data.length }
  })
  app.post('/v2/self-serve/api-keys', (request, reply) => {
    const account = accountOf(request, parts)
    const { name, expires_in_days: days } = readInput(Create, request.body, 'body')
    const now = clock()
    const active = control.keys.list(account.id, now).filter(({ status }) => status === 'active').length
    if (active >= MOST_ACTIVE) throw new Refusal('key_limit', { allowed: MOST_ACTIVE, active })
    const expiresAt = days ? taipei(new Date(now.getTime() + days * DAY_MS)) : null
    const { keyId, secret } = control.together(() => {
      const issued = control.keys.issue(account.id, name, now, expiresAt)
      control.audit.write(
        { actor: account.id, action: 'key issued', accountId: account.id, target: issued.keyId, requestId: request.id },
        now,
      )
      return issued
    })
    parts.log('key issued', { account: account.id, key: keyId })
    notStored(reply)
    return { ...keyView(control.keys.get(account.id, keyId, now)!, account), api_key: secret }
  })
  app.post<KeyPath>('/v2/self-serve/api-keys/:key_id/revoke', (request, reply) => {
    const account = accountOf(request, parts)
    const { key_id: keyId } = request.params
    if (!control.keys.get(account.id, keyId, clock())) throw new Refusal('unknown_id')
    const revoked = control.together(() => {
      const done = control.keys.revoke(account.id, keyId, clock())
      const entry = { actor: account.id, action: 'key revoked', accountId: account.id, target: keyId, requestId: request.id } as const
      if (done) control.audit.write(entry, clock())
      return done
    })
    if (revoked) parts.log('key revoked', { account: account.id, key: keyId })
    notStored(reply)
    return keyView(control.keys.get(account.id, keyId, clock())!, account)
  })
  app.get<KeyPath>('/v2/self-serve/api-keys/:key_id/reveal', (request, reply) => {
    const account = accountOf(request, parts)
    const key = control.keys.get(account.id, request.params.key_id, clock())
    if (!key) throw new Refusal('unknown_id')
    if (key.status === 'revoked') throw new Refusal('key_not_revealable')
    notStored(reply)
    return reveal(parts, account.id, key, request)
  })
}

/**
 * The secret of a key, shown again to whoever signed in a moment ago. A stored copy that does not open is damage, never a wrong secret.
 *
 * @throws Refusal reauth_required, rate_limited, integrity
 */
export function reveal(
  parts: SelfServeParts,
  accountId: string,
  { keyId, last4 }: Pick<KeyRecord, 'keyId' | 'last4'>,
  request: FastifyRequest,
) {
  const { control, clock, log } = parts
  const now = clock()
  if (now.getTime() - Date.parse(sessionOf(request, parts).createdAt) > RECENT_MS) throw new Refusal('reauth_required')
  parts.gate.passReveal(accountId)
  const secret = openCopy(control, accountId, keyId)
  if (secret === undefined) {
    log('failed', { request_id: request.id, during: 'opening the stored copy of a key', key: keyId })
    throw new Refusal('integrity')
  }
  control.audit.write({ actor: accountId, action: 'key revealed', accountId, target: keyId, requestId: request.id }, now)
  return { key_id: keyId, api_key: secret, last4, revealed_at: taipei(now) }
}

function openCopy(control: SelfServeParts['control'], accountId: string, keyId: string): string | undefined {
  try {
    return control.keys.reveal(accountId, keyId)
  } catch {
    return undefined
  }
}
