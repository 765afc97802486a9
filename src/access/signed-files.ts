import { createHmac, timingSafeEqual } from 'node:crypto'
import { PLANS } from '../../catalog/index.ts'
import type { KeyHolder, KeyStore } from '../accounts/index.ts'
import { type Clock, type Grant, HOUR_MS, Refusal } from '../core/index.ts'

/** A file of rows: the dataset it belongs to, and the sha256 of its bytes as hex. */
export interface FileName {
  readonly slug: string
  readonly sha256: string
}

/** Where a file is read, without an origin. */
export const filePath = ({ slug, sha256 }: FileName): string => `/files/${slug}/${sha256}.parquet`

/** A URL that reads one file for a while, whoever sends it. */
export interface SignedFile {
  /** Path and query, without an origin. */
  readonly path: string
  readonly expiresAt: Date
}

/** URLs by which files are read without a key: signed for one key, and worth as long as that key is. */
export interface SignedFiles {
  /** Signs a file's URL for the caller's key, for an hour. Whether the caller may read it is looked at when it is read. */
  signFile(grant: Grant, name: FileName): SignedFile
  /**
   * Who a signed URL was made for, as the key and its account are now.
   *
   * @param path as it was sent, with its escapes decoded
   * @param query every parameter that was sent
   * @throws Refusal invalid_file_url, expired_file_url, revoked_file_url, account_closed
   */
  authenticateSigned(path: string, query: Readonly<Record<string, unknown>>): Grant
}

/** How long a URL is good for. Clients that read a table keep its URLs and do not ask for new ones. */
const GOOD_FOR_MS = HOUR_MS
/** What is allowed, in the parameter that signed URLs of object stores have: to read. Clients know a signed URL by it. */
const TO_READ = 'r'
const PARAMS: ReadonlySet<string> = new Set(['sig', 'se', 'k', 'sp'])

/**
 * @param secrets the one that signs, then those it replaces, whose signatures are good until they expire
 */
export function createSignedFiles(keys: KeyStore, secrets: readonly string[], clock: Clock): SignedFiles {
  const signatureOf = (secret: string, path: string, expires: string, keyId: string): string =>
    createHmac('sha256', secret).update(`file\n${path}\n${expires}\n${keyId}\n${TO_READ}`).digest('base64url')
  return {
    signFile({ keyId }, name) {
      const path = filePath(name)
      const expires = Math.floor((clock().getTime() + GOOD_FOR_MS) / 1_000)
      const signature = signatureOf(secrets[0]!, path, String(expires), keyId)
      const query = new URLSearchParams({ se: String(expires), sp: TO_READ, k: keyId, sig: signature })
      return { path: `${path}?${query}`, expiresAt: new Date(expires * 1_000) }
    },
    authenticateSigned(path, query) {
      const { sig, se, k, sp } = query
      if (typeof sig !== 'string' || typeof se !== 'string' || typeof k !== 'string' || sp !== TO_READ)
        throw new Refusal('invalid_file_url')
      if (!Object.keys(query).every(name => PARAMS.has(name))) throw new Refusal('invalid_file_url')
      // Every secret is tried, so that the time tells nothing of which one fits.
      const fits = secrets.map(secret => isSame(sig, signatureOf(secret, path, se, k)))
      if (!fits.includes(true)) throw new Refusal('invalid_file_url')
      const now = clock()
      if (now.getTime() >= Number(se) * 1_000) throw new Refusal('expired_file_url')
      return grantOf(keys.holderOf(k, now))
    },
  }
}

/** Texts are compared, and not what they decode to: several texts of base64 decode to the same bytes. */
function isSame(text: string, signature: string): boolean {
  const [sent, made] = [Buffer.from(text), Buffer.from(signature)]
  return sent.length === made.length && timingSafeEqual(sent, made)
}

function grantOf(holder: KeyHolder | undefined): Grant {
  if (holder?.accountStatus === 'closed') throw new Refusal('account_closed')
  if (holder?.status !== 'active') throw new Refusal('revoked_file_url')
  const { accountId, keyId, plan } = holder
  return { accountId, keyId, plan, rowLimit: PLANS[plan].rowLimit }
}
