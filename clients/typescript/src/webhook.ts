export interface WebhookEvent<Data = unknown> {
  readonly type: string
  readonly timestamp: string
  readonly data: Data
}

/** Error for an invalid webhook. Respond with status 400. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
  readonly code: 'missing_header' | 'wrong_time' | 'wrong_signature' | 'wrong_secret' | 'wrong_body'

  constructor(code: WebhookRefused['code'], message: string) {
    super(message)
    this.code = code
  }
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null }

export interface VerifyOptions {
  /** Maximum difference between the signature's time and now, in seconds. Default: 300. */
  readonly tolerance?: number | undefined
  /** Current time in milliseconds. Default: the clock of this machine. */
  readonly now?: number | undefined
}

/**
 * Verifies a webhook by Standard Webhooks. An event may arrive repeatedly with the same
 * `webhook-id`. Process each id only once.
 *
 * @param secret the endpoint's secret, `whsec_…`; a list during a rotation
 * @param body the unmodified bytes
 * @throws WebhookRefused
 */
export async function verifyWebhook<Data = unknown>(
  secret: string | readonly string[],
  headers: Headers,
  body: string | Uint8Array,
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent<Data>> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => headerOf(headers, name)) as [
    string,
    string,
    string,
  ]
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookRefused('wrong_time', 'webhook-timestamp is not a time in seconds.')
  if (Math.abs(now / 1_000 - Number(timestamp)) > tolerance)
    throw new WebhookRefused('wrong_time', 'The signature is too old, or the clocks differ. Check this machine’s clock.')
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), content)
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : secret).map(keyOf))
  if (!(await isSigned(keys, signatures, signed))) throw new WebhookRefused('wrong_signature', 'No signature matches the secret.')
  try {
    return JSON.parse(new TextDecoder().decode(content)) as WebhookEvent<Data>
  } catch {
    throw new WebhookRefused('wrong_body', 'The body is not JSON.')
  }
}

/** True if a signature is valid. Compares in constant time. */
async function isSigned(keys: readonly CryptoKey[], signatures: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  for (const signature of signatures.split(' ')) {
    const [version, encoded = ''] = signature.split(/,(.*)/s)
    const bytes = version === 'v1' ? decoded(encoded) : undefined
    // Several base64 texts can decode to the same bytes. Only the canonical text is accepted.
    if (!bytes || btoa(String.fromCharCode(...bytes)) !== encoded) continue
    for (const key of keys) if (await crypto.subtle.verify('HMAC', key, bytes, signed)) return true
  }
  return false
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = decoded(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0) throw new WebhookRefused('wrong_secret', 'Invalid secret: expected whsec_ and base64.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function headerOf(headers: Headers, name: string): string {
  const value = typeof headers.get === 'function' ? (headers.get as (name: string) => string | null)(name) : named(headers, name)
  if (typeof value !== 'string' || value === '') throw new WebhookRefused('missing_header', `The header ${name} is missing.`)
  return value
}

const named = (headers: object, name: string): unknown => Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1]

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), char => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}
