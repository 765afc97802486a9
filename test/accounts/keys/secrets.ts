import { randomBytes } from 'node:crypto'

export type Secrets = Readonly<Record<'KEY_PEPPER' | 'KEY_ENCRYPTION_KEY', string>>

/** Creates random secrets. */
export const made = (): Secrets => ({
  KEY_PEPPER: randomBytes(24).toString('hex'),
  KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
})

/** Each variable with the new value first and the former value second, as a rotation requires. */
export const both = (next: Secrets, former: Secrets): Secrets => ({
  KEY_PEPPER: `${next.KEY_PEPPER},${former.KEY_PEPPER}`,
  KEY_ENCRYPTION_KEY: `${next.KEY_ENCRYPTION_KEY},${former.KEY_ENCRYPTION_KEY}`,
})
