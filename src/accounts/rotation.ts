import type { Database } from './db.ts'
import { ownerOf } from './keys.ts'
import type { Vault } from './vault.ts'
import { markVault } from './vault-mark.ts'

interface SealedKey {
  readonly id: string
  readonly accountId: string
  readonly sealed: Buffer
}

/**
 * Gives every active key a digest under the pepper in use and a copy under the encryption key in use, in one transaction. Afterwards
 * the former values may be taken out of the environment. Keys themselves do not change and go on working throughout.
 *
 * @returns how many keys were sealed anew
 * @throws Error when a copy opens under neither key; then nothing is changed
 */
export function rotateVault(db: Database, vault: Vault): number {
  const sealed = db.prepare<[], SealedKey>('SELECT id, account_id AS accountId, sealed FROM api_key WHERE sealed IS NOT NULL')
  const update = db.prepare('UPDATE api_key SET lookup = ?, sealed = ? WHERE id = ?')
  const rotate = db.transaction((): number => {
    const keys = sealed.all()
    for (const key of keys) {
      const owner = ownerOf(key.id, key.accountId)
      const secret = vault.open(key.sealed, owner)
      update.run(vault.lookup(secret), vault.seal(secret, owner), key.id)
    }
    markVault(db, vault)
    return keys.length
  })
  return rotate.immediate()
}
