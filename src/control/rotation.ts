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
 * Rewrites the digest and the sealed copy of every active key under the secrets in use, and reseals mail that waits to be sent, answers kept to be
 * repeated and secrets of webhook endpoints, all in one transaction. Afterwards the previous values can be removed from the environment. The keys themselves do not change and keep working
 * throughout.
 *
 * @returns how many keys were resealed
 * @throws Error when a copy opens under neither encryption key; nothing is changed then
 */
export function rotateVault(db: Database, vault: Vault): number {
  const sealed = db.prepare<[], SealedKey>('SELECT id, account_id AS accountId, sealed FROM api_key WHERE sealed IS NOT NULL')
  const update = db.prepare('UPDATE api_key SET lookup = ?, sealed = ? WHERE id = ?')
  const waiting = db.prepare<[], SealedMail>("SELECT id, to_address AS 'to', sealed FROM mail_outbox WHERE sealed IS NOT NULL")
  const updateMail = db.prepare('UPDATE mail_outbox SET sealed = ? WHERE id = ?')
  const answers = db.prepare<[], SealedAnswer>('SELECT name, sealed FROM kept_answer WHERE sealed IS NOT NULL')
  const updateAnswer = db.prepare('UPDATE kept_answer SET sealed = ? WHERE name = ?')
  const endpoints = db.prepare<[], SealedEndpoint>('SELECT id, account_id AS accountId, sealed, former FROM webhook_endpoint')
  const updateEndpoint = db.prepare('UPDATE webhook_endpoint SET sealed = ?, former = ? WHERE id = ?')
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
    for (const { name, sealed: answer } of answers.all()) {
      const owner = answerOwnerOf(name)
      updateAnswer.run(vault.seal(vault.open(answer, owner), owner), name)
    }
    for (const { id, accountId, sealed: secret, former } of endpoints.all()) {
      const owner = endpointOwnerOf(id, accountId)
      const [next, before] = [secret, former].map(copy => copy && vault.seal(vault.open(copy, owner), owner))
      updateEndpoint.run(next, before, id)
    }
    markVault(db, vault)
    return keys.length
  })
  return rotate.immediate()
}
