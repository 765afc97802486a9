import { ownerOf } from '../accounts/index.ts'
import { mailOwnerOf } from '../mail/index.ts'
import type { Database } from '../state/index.ts'
import { answerOwnerOf, markVault, type Vault } from '../state/index.ts'
import { endpointOwnerOf } from '../webhooks/index.ts'

interface SealedKey {
  readonly id: string
  readonly accountId: string
  readonly sealed: Buffer
}

interface SealedAnswer {
  readonly name: Buffer
  readonly sealed: Buffer
}

interface SealedEndpoint {
  readonly id: string
  readonly accountId: string
  readonly sealed: Buffer
  readonly former: Buffer | null
}

interface SealedMail {
  readonly id: number
  readonly to: string
  readonly sealed: Buffer
}

/**
 * Encrypts stored secrets with the current key, in one transaction.
 *
 * @returns number of encrypted API keys
 * @throws Error if a value cannot be decrypted. In that case, nothing is changed
 */
export function rotateVault(db: Database, vault: Vault): number {
  const sealedKeys = db.prepare<[], SealedKey>('SELECT id, account_id AS accountId, sealed FROM api_key WHERE sealed IS NOT NULL')
  const update = db.prepare('UPDATE api_key SET lookup = ?, sealed = ? WHERE id = ?')
  const sealedMail = db.prepare<[], SealedMail>("SELECT id, to_address AS 'to', sealed FROM mail_outbox WHERE sealed IS NOT NULL")
  const updateMail = db.prepare('UPDATE mail_outbox SET sealed = ? WHERE id = ?')
  const sealedAnswers = db.prepare<[], SealedAnswer>('SELECT name, sealed FROM kept_answer WHERE sealed IS NOT NULL')
  const updateAnswer = db.prepare('UPDATE kept_answer SET sealed = ? WHERE name = ?')
  const sealedEndpoints = db.prepare<[], SealedEndpoint>('SELECT id, account_id AS accountId, sealed, former FROM webhook_endpoint')
  const updateEndpoint = db.prepare('UPDATE webhook_endpoint SET sealed = ?, former = ? WHERE id = ?')
  const rotate = db.transaction((): number => {
    const keys = sealedKeys.all()
    for (const key of keys) {
      const owner = ownerOf(key.id, key.accountId)
      const secret = vault.open(key.sealed, owner)
      update.run(vault.lookup(secret), vault.seal(secret, owner), key.id)
    }
    for (const { id, to, sealed: body } of sealedMail.all()) {
      const owner = mailOwnerOf(to)
      updateMail.run(vault.seal(vault.open(body, owner), owner), id)
    }
    for (const { name, sealed: answer } of sealedAnswers.all()) {
      const owner = answerOwnerOf(name)
      updateAnswer.run(vault.seal(vault.open(answer, owner), owner), name)
    }
    for (const { id, accountId, sealed: secret, former } of sealedEndpoints.all()) {
      const owner = endpointOwnerOf(id, accountId)
      const [current, previous] = [secret, former].map(copy => copy && vault.seal(vault.open(copy, owner), owner))
      updateEndpoint.run(current, previous, id)
    }
    markVault(db, vault)
    return keys.length
  })
  return rotate.immediate()
}
