import type { Config } from './config.ts'
import type { Secrets } from './secrets.ts'

const SECRET_PATTERN = /sk_live_[0-9A-Za-z]{8,}|sst_[\w-]{8,}|whsec_[\w+/=-]{8,}/g

/** A search for these prefixes is cheaper than the pattern. */
const PREFIXES = ['sk_live_', 'sst_', 'whsec_']

/** Shorter secrets could be part of an ordinary word. */
const MIN_LENGTH = 8

const registered = new Set<readonly string[]>()
let registeredPattern: RegExp | null = null

/** Redacts registered secrets, API keys, session tokens and webhook secrets. JSON stays valid. */
export function withoutSecrets(text: string): string {
  const shaped = PREFIXES.some(beginning => text.includes(beginning)) ? text.replace(SECRET_PATTERN, '[redacted]') : text
  return registeredPattern === null ? shaped : shaped.replace(registeredPattern, '[redacted]')
}

/** Redacts secrets before cutting the text, because a truncated secret would not be recognized. */
export const clipped = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text
  const safe = withoutSecrets(text)
  return safe.length > maxLength ? `${safe.slice(0, maxLength)}…` : safe
}

/**
 * Redacts the secrets from all later output.
 * @returns a function that ends the redaction
 */
export function registerSecrets(secrets: readonly string[]): () => void {
  const forms = secrets.filter(secret => secret.length >= MIN_LENGTH).flatMap(formsOf)
  registered.add(forms)
  updatePattern()
  return () => {
    registered.delete(forms)
    updatePattern()
  }
}

function updatePattern(): void {
  // Matches the longest secrets first, because a secret may start with another secret.
  const all = [...new Set([...registered].flat())].sort((one, other) => other.length - one.length)
  registeredPattern = all.length === 0 ? null : new RegExp(all.map(form => form.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('|'), 'gi')
}

/** Returns a secret in all encodings: plain, URL-encoded, form-encoded and JSON. */
const formsOf = (secret: string): readonly string[] =>
  [secret, secret.replace(/=+$/, '')]
    .flatMap(variant => [variant, encodeURIComponent(variant), variant.replaceAll('+', ' ')])
    .flatMap(form => [form, inJson(form), inJson(inJson(form))])

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

export const registerConfiguredSecrets = ({ mail, stripe, traces }: Config, secrets: Secrets): (() => void) =>
  registerSecrets([
    ...Object.values(secrets).flatMap(secret => secret.split(',').map(part => part.trim())),
    ...(stripe ? [stripe.secretKey, ...stripe.webhookSecrets] : []),
    ...passwordsIn(mail.url),
    ...Object.values(traces?.headers ?? {}).map(value => value.split(' ').at(-1)!),
  ])

function passwordsIn(address: string): readonly string[] {
  const password = URL.parse(address)?.password ?? ''
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}
