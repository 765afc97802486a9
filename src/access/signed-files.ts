import { createHmac, timingSafeEqual } from 'node:crypto'
import type { KeyHolder, KeyStore } from '../accounts/index.ts'
import { type Clock, type Grant, HOUR_MS, Refusal } from '../core/index.ts'

export interface FileName {
  readonly slug: string
  readonly sha256: string
}

export const filePath = ({ slug, sha256 }: FileName): string => `/files/${slug}/${sha256}.parquet`

export interface SignedFile {
  /** Path and query, without the origin. */
  readonly path: string
  readonly expiresAt: Date
}

/** Signs and verifies URLs of files. Revoking a key invalidates the URLs of the key. */
export interface SignedFiles {
  /** The URL is valid for one hour. Permission is checked when the URL is used. */
  signFile(grant: Grant, name: FileName): SignedFile
  /**
   * Verifies a signed URL.
   *
   * @param path decoded request path
   * @throws Refusal invalid_file_url, expired_file_url, revoked_file_url, account_closed,
   * account_suspended
   */
  authenticateSigned(path: string, query: Readonly<Record<string, unknown>>): Grant
}

/** Delta Sharing clients do not renew URLs, so a read must finish within an hour. */
const LIFETIME_MS = HOUR_MS
/** Parameters are named as in Azure SAS, so that clients recognize signed URLs. */
const READ_PERMISSION = 'r'
const PARAMS: ReadonlySet<string> = new Set(['sig', 'se', 'k', 'sp'])

/** @param secrets current secret first, followed by former secrets, which only verify */
export function createSignedFiles(keys: KeyStore, secrets: readonly string[], clock: Clock): SignedFiles {
  const signatureOf = (secret: string, path: string, expires: string, keyId: string): string =>
    createHmac('sha256', secret).update(`file\n${path}\n${expires}\n${keyId}\n${READ_PERMISSION}`).digest('base64url')
  return {
    signFile({ keyId }, name) {
      const path = filePath(name)
      const expires = Math.floor((clock().getTime() + LIFETIME_MS) / 1_000)
      const signature = signatureOf(secrets[0]!, path, String(expires), keyId)
      const query = new URLSearchParams({ se: String(expires), sp: READ_PERMISSION, k: keyId, sig: signature })
      return { path: `${path}?${query}`, expiresAt: new Date(expires * 1_000) }
    },
    authenticateSigned(path, query) {
      const { sig, se, k, sp } = query
      if (typeof sig !== 'string' || typeof se !== 'string' || typeof k !== 'string' || sp !== READ_PERMISSION)
        throw new Refusal('invalid_file_url')
      if (!Object.keys(query).every(name => PARAMS.has(name))) throw new Refusal('invalid_file_url')
      // Checks every secret, so that the response time does not reveal which secret matched.
      const matches = secrets.map(secret => isSame(sig, signatureOf(secret, path, se, k)))
      if (!matches.includes(true)) throw new Refusal('invalid_file_url')
      const now = clock()
      if (now.getTime() >= Number(se) * 1_000) throw new Refusal('expired_file_url')
      return grantOf(keys.holderOf(k, now))
    },
  }
}

/** Compares texts, because several base64 texts decode to the same bytes. */
function isSame(text: string, signature: string): boolean {
  const sent = Buffer.from(text)
  const expected = Buffer.from(signature)
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}

function grantOf(holder: KeyHolder | undefined): Grant {
  if (holder?.accountStatus === 'closed') throw new Refusal('account_closed')
  if (holder?.status !== 'active') throw new Refusal('revoked_file_url')
  const { accountId, keyId, plan, limits, suspendedFor } = holder
  if (suspendedFor !== null) throw new Refusal('account_suspended', { reason: suspendedFor })
  return { accountId, keyId, plan, limits }
}
