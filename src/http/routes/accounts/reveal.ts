import type { FastifyRequest } from 'fastify'
import type { KeyRecord } from '../../../accounts/index.ts'
import { Refusal, taipei } from '../../../core/index.ts'
import { sessionOf } from '../../kernel/index.ts'
import type { SelfServeParts } from './self-serve.ts'

const RECENT_MS = 15 * 60_000

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
  parts.gate.limitReveal(accountId)
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
