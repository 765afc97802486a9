import type { Config } from './config.ts'
import type { Secrets } from './secrets.ts'

const SECRET_PATTERN = /sk_live_[0-9A-Za-z]{8,}|sst_[\w-]{8,}|whsec_[\w+/=-]{8,}/g

/**
 * Prefixes of secrets. Searching them is cheaper than matching the pattern, and most texts contain
 * none.
 */
const PREFIXES = ['sk_live_', 'sst_', 'whsec_']

/**
 * Minimum length of a configured secret to redact. A shorter secret could be part of an ordinary
 * word.
 */
const MIN_LENGTH = 8

/** Secrets to redact. Each service in this process adds one list. */
const registered = new Set<readonly string[]>()
let registeredPattern: RegExp | null = null

/**
 * Redacts all registered secrets, case-insensitively. Also redacts API keys, session tokens and
 * webhook secrets, which it recognizes by their form. JSON stays valid, including JSON nested in a
 * string.
 */
export function withoutSecrets(text: string): string {
  const shaped = PREFIXES.some(beginning => text.includes(beginning)) ? text.replace(SECRET_PATTERN, '[redacted]') : text
  return registeredPattern === null ? shaped : shaped.replace(registeredPattern, '[redacted]')
}

/** Redacts secrets, then truncates the text. After truncation, a secret would not be recognized. */
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
  // Longest first, so that a secret is redacted completely if it starts with another secret.
  const all = [...new Set([...registered].flat())].sort((one, other) => other.length - one.length)
  registeredPattern = all.length === 0 ? null : new RegExp(all.map(form => form.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('|'), 'gi')
}

/**
 * Returns all forms in which a secret can appear in a text: plain, without base64 padding,
 * URL-encoded, form-encoded with a bare +, and each of these in JSON and in nested JSON.
 */
const formsOf = (secret: string): readonly string[] =>
  [secret, secret.replace(/=+$/, '')]
    .flatMap(variant => [variant, encodeURIComponent(variant), variant.replaceAll('+', ' ')])
    .flatMap(form => [form, inJson(form), inJson(inJson(form))])

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * Redacts all configured secrets: current and former tokens and keys, passwords, and credentials
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

/** Returns the password of a URL in two forms, encoded and decoded. */
function passwordsIn(address: string): readonly string[] {
  const password = URL.parse(address)?.password ?? ''
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}
