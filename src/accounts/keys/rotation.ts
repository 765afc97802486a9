import { mailOwnerOf } from '../mail/outbox.ts'
import type { Database } from '../state/db.ts'
import { ownerOf } from './keys.ts'
import type { Vault } from './vault.ts'
import { markVault } from './vault-mark.ts'

interface SealedKey {
  readonly id: string
  readonly accountId: string
  readonly sealed: Buffer
}

interface SealedMail {
  readonly id: number
  readonly to: string
  readonly sealed: Buffer
}

/**
 * Gives every active key a digest under the pepper in use and a copy under the encryption key in use, in one transaction; mails on
 * their way are sealed anew as well. Afterwards the former values may be taken out of the environment. Keys themselves do not change and go on working throughout.
 *
 * @returns how many keys were sealed anew
 * @throws Error when a copy opens under neither key; then nothing is changed
 */
export function rotateVault(db: Database, vault: Vault): number {
  const sealed = db.prepare<[], SealedKey>('SELECT id, account_id AS accountId, sealed FROM api_key WHERE sealed IS NOT NULL')
  const update = db.prepare('UPDATE api_key SET lookup = ?, sealed = ? WHERE id = ?')
  const waiting = db.prepare<[], SealedMail>("SELECT id, to_address AS 'to', sealed FROM mail_outbox WHERE sealed IS NOT NULL")
  const updateMail = db.prepare('UPDATE mail_outbox SET sealed = ? WHERE id = ?')
  const rotate = db.transaction((): number => {
    const keys = sealed.all()
    for (const key of keys) {
      const owner = ownerOf(key.id, key.accountId)
      const secret = vault.open(key.sealed, owner)
      update.run(vault.lookup(secret), vault.seal(secret, owner), key.id)
    }
    for (const { id, to, sealed: body } of waiting.all()) {
      const owner = mailOwnerOf(to)
      updateMail.run(vault.seal(vault.open(body, owner), owner), id)
    }
    markVault(db, vault)
    return keys.length
  })
  return rotate.immediate()
}
