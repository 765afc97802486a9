import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import type { Database } from './db.ts'

export interface Vault {
  /**
   * Returns a digest of 32 bytes. Without the pepper, a stolen file is not enough to test guesses.
   */
  lookup(secret: string): Buffer
  /** Also contains the digest with the previous pepper during a rotation. */
  lookups(secret: string): readonly Buffer[]
  /** @param owner identity of the row. Pass the same value to `open` */
  seal(secret: string, owner: string): Buffer
  /** @throws Error if the text was changed, moved to another row, or encrypted with another key */
  open(sealed: Buffer, owner: string): string
}

const MARK_BYTES = 4
const IV_BYTES = 12
const TAG_BYTES = 16

interface SealingKey {
  readonly bytes: Buffer
  /** Identifies the encryption key. First bytes of the key's sha256. */
  readonly mark: Buffer
}

/**
 * @param peppers current pepper first
 * @param encryptionKeys keys of 32 bytes, current key first
 */
export function createVault(peppers: readonly string[], encryptionKeys: readonly Buffer[]): Vault {
  const digest = (pepper: string, secret: string): Buffer => createHmac('sha256', pepper).update(secret).digest()
  const keys: readonly SealingKey[] = encryptionKeys.map(bytes => ({
    bytes,
    mark: createHash('sha256').update(bytes).digest().subarray(0, MARK_BYTES),
  }))
  return {
    lookup: secret => digest(peppers[0]!, secret),
    lookups: secret => peppers.map(pepper => digest(pepper, secret)),
    seal: (secret, owner) => seal(keys[0]!, secret, owner),
    open(sealed, owner) {
      const key = keys.find(({ mark }) => mark.equals(sealed.subarray(0, MARK_BYTES)))
      if (!key) throw new Error('The stored copy was encrypted with another key')
      return unseal(key, sealed, owner)
    },
  }
}

/** Returns key mark, IV, ciphertext and authentication tag, in this order. */
function seal({ bytes, mark }: SealingKey, secret: string, owner: string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', bytes, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(owner))
  return Buffer.concat([mark, iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

function unseal({ bytes }: SealingKey, sealed: Buffer, owner: string): string {
  const iv = sealed.subarray(MARK_BYTES, MARK_BYTES + IV_BYTES)
  // Without this option, Node accepts a tag of four bytes, which can be guessed.
  const decipher = createDecipheriv('aes-256-gcm', bytes, iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(MARK_BYTES + IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
}

const MARK_TEXT = 'twmd'
const MARK_OWNER = 'vault mark'

/**
 * Checks that the secrets belong to the state file. The first start stores a test value.
 *
 * @throws Error with the name of the wrong variable
 */
export function checkVault(db: Database, vault: Vault): void {
  const mark = db.prepare<[], { lookup: Buffer; sealed: Buffer }>('SELECT lookup, sealed FROM vault_mark').get()
  if (!mark) return void markVault(db, vault)
  if (!vault.lookups(MARK_TEXT).some(digest => digest.equals(mark.lookup))) throw new Error(mismatch('KEY_PEPPER'))
  try {
    vault.open(mark.sealed, MARK_OWNER)
  } catch {
    throw new Error(mismatch('KEY_ENCRYPTION_KEY'))
  }
}

/** Stores a known text under the current secrets, so that later starts can check the secrets. */
export function markVault(db: Database, vault: Vault): void {
  db.prepare(
    'INSERT INTO vault_mark (id, lookup, sealed) VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET lookup = excluded.lookup, sealed = excluded.sealed',
  ).run(vault.lookup(MARK_TEXT), vault.seal(MARK_TEXT, MARK_OWNER))
}

const mismatch = (name: string): string =>
  `${name} is not the value with which this state file was created, so every stored key would be refused. Set the former value, or restore secrets.json from the same backup as the state file.`
