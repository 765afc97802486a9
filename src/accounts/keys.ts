import type { PlanId } from '../../catalog/dataset.ts'
import { newId } from '../core/ids.ts'
import { newApiKey } from './api-key.ts'
import type { Database } from './db.ts'
import type { Vault } from './vault.ts'

/** A key as the gate needs it. */
export interface KeyHolder {
  readonly keyId: string
  readonly accountId: string
  readonly plan: PlanId
  readonly status: 'active' | 'revoked'
  readonly accountStatus: 'active' | 'closed'
  /** RFC 3339, or null for a key that does not expire. */
  readonly expiresAt: string | null
}

const ownerOf = (keyId: string, accountId: string): string => `apikey|${keyId}|${accountId}`

/** API keys. The secret leaves once, when it is issued; the state file holds its digest and a sealed copy. */
export function keyStore(db: Database, vault: Vault) {
  const insert = db.prepare(
    `INSERT INTO api_key (id, account_id, name, last4, lookup, sealed, status, created_at) VALUES (?, ?, ?, ?, ?, ?, 'active', ?)`,
  )
  const byLookup = db.prepare<[Buffer], KeyHolder>(
    `SELECT k.id AS keyId, k.account_id AS accountId, a.plan_id AS plan, k.status, a.status AS accountStatus, k.expires_at AS expiresAt
     FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.lookup = ?`,
  )
  // Revoking erases the sealed copy, so a revoked secret cannot be recovered even with every key of ours.
  const revoke = db.prepare(`UPDATE api_key SET status = 'revoked', revoked_at = ?, sealed = NULL WHERE id = ? AND status = 'active'`)
  return {
    issue(accountId: string, name: string, now: string): { readonly keyId: string; readonly secret: string } {
      const [keyId, secret] = [newId('key'), newApiKey()]
      insert.run(keyId, accountId, name, secret.slice(-4), vault.lookup(secret), vault.seal(secret, ownerOf(keyId, accountId)), now)
      return { keyId, secret }
    },
    /** The holder of a secret, revoked and expired ones included; undefined when it was never issued. */
    find: (secret: string): KeyHolder | undefined => byLookup.get(vault.lookup(secret)),
    /** True when this call revoked it. Takes effect on the very next request. */
    revoke: (keyId: string, now: string): boolean => revoke.run(now, keyId).changes === 1,
  }
}

export type KeyStore = ReturnType<typeof keyStore>
