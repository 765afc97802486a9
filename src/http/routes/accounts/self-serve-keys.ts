import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Account } from '../../../accounts/index.ts'
import { DAY_MS, Refusal, taipei } from '../../../core/index.ts'
import { type Endpoint, pathValue, readInput, visitorCall } from '../../kernel/index.ts'
import { reveal } from './reveal.ts'
import { IssuedKey, Key, Keys, RevealedKey } from './schemas.ts'
import type { SelfServeParts } from './self-serve.ts'
import { keyView } from './views.ts'

const MOST_ACTIVE = 10

const COMMON = { group: 'self_serve', caller: 'self_serve_token' } as const
const KEY_PATH = z.object({
  key_id: z.string().meta({ description: 'Id of a key of the account.', example: 'key_0123456789abcdefghjkmnpqrs' }),
})

const LIST = { ...COMMON, summary: 'The keys of the account', summaryZh: '列出金鑰', answer: Keys, example: {} } satisfies Endpoint

const CREATE = {
  ...COMMON,
  summary: 'Create a key',
  summaryZh: '建立金鑰',
  description: `At most ${MOST_ACTIVE} keys are active at once. Limits and credits are the account’s, so more keys do not buy more requests.`,
  body: z.object({
    name: z.string().trim().min(1).max(64).default('key').meta({ description: 'What the key is for.', example: 'notebook' }),
    expires_in_days: z
      .number()
      .int()
      .min(1)
      .max(3_650)
      .nullish()
      .meta({ description: 'Days until the key expires; never when null or left out.', example: 90 }),
  }),
  answer: IssuedKey,
  refusals: ['key_limit'],
  example: { body: { name: 'notebook', expires_in_days: 90 } },
} satisfies Endpoint

const REVOKE = {
  ...COMMON,
  summary: 'Revoke a key',
  summaryZh: '撤銷金鑰',
  description: 'Takes effect on the very next request, and erases the secret. Revoking it again changes nothing.',
  path: KEY_PATH,
  answer: Key,
  refusals: ['unknown_id'],
} satisfies Endpoint

const REVEAL = {
  ...COMMON,
  summary: 'Show the secret of a key again',
  summaryZh: '再次顯示金鑰',
  description: 'Within 15 minutes of signing in, ten times an hour. Every showing is on record.',
  path: KEY_PATH,
  answer: RevealedKey,
  refusals: ['unknown_id', 'key_not_revealable', 'reauth_required', 'integrity'],
} satisfies Endpoint

/** An account's API keys: list, create, revoke, and show again to whoever just signed in. */
export function selfServeKeyRoutes(app: FastifyInstance, parts: SelfServeParts): void {
  const { control, clock } = parts
  visitorCall(app, parts, ['GET', '/v2/self-serve/api-keys'], LIST, ({ account }) => {
    const data = control.keys.list(account.id, clock()).map(key => keyView(key, account))
    return { data, data_count: data.length }
  })
  visitorCall(app, parts, ['POST', '/v2/self-serve/api-keys'], CREATE, ({ account, request }) => create(account, parts, request))
  visitorCall(app, parts, ['POST', '/v2/self-serve/api-keys/:key_id/revoke'], REVOKE, ({ account, request }) =>
    revoke(account, parts, request),
  )
  visitorCall(app, parts, ['GET', '/v2/self-serve/api-keys/:key_id/reveal'], REVEAL, ({ account, request }) => {
    const key = control.keys.get(account.id, pathValue(request, 'key_id'), clock())
    if (!key) throw new Refusal('unknown_id')
    if (key.status === 'revoked') throw new Refusal('key_not_revealable')
    return reveal(parts, account.id, key, request)
  })
}

function create(account: Account, { control, clock, log }: SelfServeParts, request: FastifyRequest) {
  const { name, expires_in_days: days } = readInput(CREATE.body, request.body, 'body')
  const now = clock()
  const active = control.keys.list(account.id, now).filter(({ status }) => status === 'active').length
  if (active >= MOST_ACTIVE) throw new Refusal('key_limit', { allowed: MOST_ACTIVE, active })
  const expiresAt = days ? taipei(new Date(now.getTime() + days * DAY_MS)) : null
  const { keyId, secret } = control.transaction(() => {
    const issued = control.keys.issue(account.id, name, now, expiresAt)
    const entry = { actor: account.id, action: 'key issued', accountId: account.id, target: issued.keyId, requestId: request.id } as const
    control.audit.write(entry, now)
    return issued
  })
  log('key issued', { account: account.id, key: keyId })
  return { ...keyView(control.keys.get(account.id, keyId, now)!, account), api_key: secret }
}

function revoke(account: Account, { control, clock, log }: SelfServeParts, request: FastifyRequest) {
  const keyId = pathValue(request, 'key_id')
  if (!control.keys.get(account.id, keyId, clock())) throw new Refusal('unknown_id')
  const revoked = control.transaction(() => {
    const done = control.keys.revoke(account.id, keyId, clock())
    const entry = { actor: account.id, action: 'key revoked', accountId: account.id, target: keyId, requestId: request.id } as const
    if (done) control.audit.write(entry, clock())
    return done
  })
  if (revoked) log('key revoked', { account: account.id, key: keyId })
  return keyView(control.keys.get(account.id, keyId, clock())!, account)
}
