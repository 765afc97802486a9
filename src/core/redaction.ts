import type { Config } from './config.ts'
import type { Secrets } from './secrets.ts'

const SECRET_PATTERN = /sk_live_[0-9A-Za-z]{8,}|sst_[\w-]{8,}|whsec_[\w+/=-]{8,}/g

/** Prefixes of secrets, for a fast check before the pattern. */
const PREFIXES = ['sk_live_', 'sst_', 'whsec_']

/**
 * Minimum length of a configured secret to redact. Shorter ones could be parts of ordinary words.
 */
const MIN_LENGTH = 8

/** Secrets of the services in this process, one list per service. */
const registered = new Set<readonly string[]>()
/** Matches any registered secret. Null if there are none. */
let registeredPattern: RegExp | null = null

/**
 * Redacts API keys, session tokens and webhook secrets by their form, and all registered secrets,
 * case-insensitively. JSON stays valid, including nested JSON.
 */
export function withoutSecrets(text: string): string {
  const shaped = PREFIXES.some(beginning => text.includes(beginning)) ? text.replace(SECRET_PATTERN, '[redacted]') : text
  return registeredPattern === null ? shaped : shaped.replace(registeredPattern, '[redacted]')
}

/** Truncates a text after redacting secrets, because a truncated secret would not be recognized. */
export const clipped = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text
  const safe = withoutSecrets(text)
  return safe.length > maxLength ? `${safe.slice(0, maxLength)}…` : safe
}

/** Redacts these secrets from subsequent output. @returns a function that ends the redaction */
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
  // Longest first, so that a secret that starts with another one is redacted completely.
  const all = [...new Set([...registered].flat())].sort((one, other) => other.length - one.length)
  registeredPattern = all.length === 0 ? null : new RegExp(all.map(form => form.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('|'), 'gi')
}

/**
 * All forms of a secret in a text: plain, without base64 padding, URL-encoded, form-encoded with a
 * bare +, and each of these in JSON and in nested JSON.
 */
const formsOf = (secret: string): readonly string[] =>
  [secret, secret.replace(/=+$/, '')]
    .flatMap(variant => [variant, encodeURIComponent(variant), variant.replaceAll('+', ' ')])
    .flatMap(form => [form, inJson(form), inJson(inJson(form))])

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * Redacts all configured secrets: tokens, keys and their former values, passwords and credentials
 * for other services.
 *
 * @returns a function that ends the redaction
 */
export const registerConfiguredSecrets = ({ mail, stripe, traces }: Config, secrets: Secrets): (() => void) =>
  registerSecrets([
    ...Object.values(secrets).flatMap(secret => secret.split(',').map(part => part.trim())),
    ...(stripe ? [stripe.secretKey, ...stripe.webhookSecrets] : []),
    ...passwordsIn(mail.url),
    ...Object.values(traces?.headers ?? {}).map(value => value.split(' ').at(-1)!),
  ])

/** Password of a URL, encoded and decoded. */
function passwordsIn(address: string): readonly string[] {
  const password = URL.parse(address)?.password ?? ''
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}
