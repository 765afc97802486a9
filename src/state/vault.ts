import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import type { Database } from './db.ts'

/** What the state file stores of a secret: a digest to find it by, and a copy that only the encryption key opens. */
export interface Vault {
  /** 32 bytes; without the pepper a stolen state file cannot even confirm a guessed secret. */
  lookup(secret: string): Buffer
  /** Digests under the pepper in use and, during a rotation, the previous one. */
  lookups(secret: string): readonly Buffer[]
  /** @param owner ties the copy to its row: moved to another row it does not open */
  seal(secret: string, owner: string): Buffer
  /** @throws Error when the copy was changed, moved, or sealed under another encryption key */
  open(sealed: Buffer, owner: string): string
}

const [MARK, IV, TAG] = [4, 12, 16]

interface SealingKey {
  readonly bytes: Buffer
  /** First bytes of its sha256: tells which key opens a copy, and nothing about the key. */
  readonly mark: Buffer
}

/**
 * @param peppers the one in use first; during a rotation the previous one second
 * @param encryptionKeys 32 bytes each, in the same order
 */
export function createVault(peppers: readonly string[], encryptionKeys: readonly Buffer[]): Vault {
  const digest = (pepper: string, secret: string): Buffer => createHmac('sha256', pepper).update(secret).digest()
  const keys: readonly SealingKey[] = encryptionKeys.map(bytes => ({
    bytes,
    mark: createHash('sha256').update(bytes).digest().subarray(0, MARK),
  }))
  return {
    lookup: secret => digest(peppers[0]!, secret),
    lookups: secret => peppers.map(pepper => digest(pepper, secret)),
    seal: (secret, owner) => seal(keys[0]!, secret, owner),
    open(sealed, owner) {
      const key = keys.find(({ mark }) => mark.equals(sealed.subarray(0, MARK)))
      if (!key) throw new Error('The stored copy was sealed under another encryption key')
      return unseal(key, sealed, owner)
    },
  }
}

/** Mark of the key, iv, ciphertext, tag. */
function seal({ bytes, mark }: SealingKey, secret: string, owner: string): Buffer {
  const iv = randomBytes(IV)
  const cipher = createCipheriv('aes-256-gcm', bytes, iv, { authTagLength: TAG }).setAAD(Buffer.from(owner))
  return Buffer.concat([mark, iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

function unseal({ bytes }: SealingKey, sealed: Buffer, owner: string): string {
  const iv = sealed.subarray(MARK, MARK + IV)
  // Without an explicit tag length Node takes a four-byte tag, which a guess can forge.
  const decipher = createDecipheriv('aes-256-gcm', bytes, iv, { authTagLength: TAG })
  decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(-TAG))
  return Buffer.concat([decipher.update(sealed.subarray(MARK + IV, -TAG)), decipher.final()]).toString('utf8')
}

const [WORD, OWNER] = ['twmd', 'vault mark']

/**
 * Checks that the configured secrets are those the state file was made with. The first start writes the mark that later ones compare.
 *
 * @throws Error naming the variable that does not match, before any key is refused for it
 */
export function checkVault(db: Database, vault: Vault): void {
  const mark = db.prepare<[], { lookup: Buffer; sealed: Buffer }>('SELECT lookup, sealed FROM vault_mark').get()
  if (!mark) return void markVault(db, vault)
  if (!vault.lookups(WORD).some(digest => digest.equals(mark.lookup))) throw new Error(mismatch('KEY_PEPPER'))
  try {
    vault.open(mark.sealed, OWNER)
  } catch {
    throw new Error(mismatch('KEY_ENCRYPTION_KEY'))
  }
}

/** Writes the mark of the secrets in use; the last step of a rotation. */
export function markVault(db: Database, vault: Vault): void {
  db.prepare(
    'INSERT INTO vault_mark (id, lookup, sealed) VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET lookup = excluded.lookup, sealed = excluded.sealed',
  ).run(vault.lookup(WORD), vault.seal(WORD, OWNER))
}

const mismatch = (name: string): string =>
  `${name} is not the one this state file was made with; every stored key would be refused. Set the former value, or restore secrets.json from the backup made with the state file.`
