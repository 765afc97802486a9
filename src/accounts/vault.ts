import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

/** What the state file keeps of a secret: a digest to find it by, and a copy only the encryption key opens. */
export interface Vault {
  /** 32 bytes; without the pepper a stolen state file cannot even confirm a guessed secret. */
  lookup(secret: string): Buffer
  /** @param owner ties the copy to its row: moved to another row it does not open */
  seal(secret: string, owner: string): Buffer
  /** @throws Error when the copy was changed, moved, or sealed under another key */
  open(sealed: Buffer, owner: string): string
}

const [IV, TAG] = [12, 16]

/** @param encryptionKey 32 bytes */
export function openVault(pepper: string, encryptionKey: Buffer): Vault {
  return {
    lookup: secret => createHmac('sha256', pepper).update(secret).digest(),
    seal(secret, owner) {
      const iv = randomBytes(IV)
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, iv, { authTagLength: TAG }).setAAD(Buffer.from(owner))
      return Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, owner) {
      // Without an explicit tag length Node takes a four-byte tag, which a guess can forge.
      const decipher = createDecipheriv('aes-256-gcm', encryptionKey, sealed.subarray(0, IV), { authTagLength: TAG })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(-TAG))
      return Buffer.concat([decipher.update(sealed.subarray(IV, -TAG)), decipher.final()]).toString('utf8')
    },
  }
}
