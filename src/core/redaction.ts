import type { Config } from './config.ts'
import type { Secrets } from './secrets.ts'

const SHAPED = /sk_live_[0-9A-Za-z]{8,}|sst_[\w-]{8,}|whsec_[\w+/=-]{8,}/g

/** How each of these begins. A text without any is looked through for nothing else. */
const BEGINNINGS = ['sk_live_', 'sst_', 'whsec_']

/** A configured secret of fewer characters is too likely to be part of an ordinary word. */
const LEAST = 8

/** What services of this process keep secret, a list each. */
const withheld = new Set<readonly string[]>()
/** Any of it, as texts have it; null while there is none. */
let known: RegExp | null = null

/**
 * A text with everything struck out that is shaped like a key, a session's token or a webhook's secret, and every secret that a service of
 * this process was configured with, in capitals or not, whole only. JSON stays JSON, also JSON within JSON.
 */
export function withoutSecrets(text: string): string {
  const shaped = BEGINNINGS.some(beginning => text.includes(beginning)) ? text.replace(SHAPED, '[redacted]') : text
  return known === null ? shaped : shaped.replace(known, '[redacted]')
}

/** The beginning of a text, with secrets struck out before it is cut: what is left of a secret would not be known for one. */
export const clipped = (text: string, most: number): string => {
  if (text.length <= most) return text
  const safe = withoutSecrets(text)
  return safe.length > most ? `${safe.slice(0, most)}…` : safe
}

/**
 * Lets texts be without these secrets from now on.
 *
 * @returns ends it
 */
export function withhold(secrets: readonly string[]): () => void {
  const forms = secrets.filter(secret => secret.length >= LEAST).flatMap(formsOf)
  withheld.add(forms)
  compile()
  return () => {
    withheld.delete(forms)
    compile()
  }
}

function compile(): void {
  // The longest first: of two of which one begins the other, the whole is struck out.
  const all = [...new Set([...withheld].flat())].sort((one, other) => other.length - one.length)
  known = all.length === 0 ? null : new RegExp(all.map(form => form.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('|'), 'gi')
}

/**
 * How a secret may stand in a text: as it is, without the padding of base64, which ends the name of a parameter, as an address has it, as a
 * form reads it that was sent with a bare +, and each of these in JSON.
 */
const formsOf = (secret: string): readonly string[] =>
  [secret, secret.replace(/=+$/, '')]
    .flatMap(one => [one, encodeURIComponent(one), one.replaceAll('+', ' ')])
    .flatMap(form => [form, inJson(form), inJson(inJson(form))])

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * Lets texts be without all that a service is configured with in secret: tokens, keys and their former values, passwords and credentials of
 * other services.
 *
 * @returns ends it
 */
export const withholdConfigured = ({ mail, stripe, traces }: Config, secrets: Secrets): (() => void) =>
  withhold([
    ...Object.values(secrets).flatMap(secret => secret.split(',').map(part => part.trim())),
    ...(stripe ? [stripe.secretKey, ...stripe.webhookSecrets] : []),
    ...passwordsIn(mail.url),
    ...Object.values(traces?.headers ?? {}).map(value => value.split(' ').at(-1)!),
  ])

/** The password of an address, as it is written and as it is meant; none where there is no password. */
function passwordsIn(address: string): readonly string[] {
  const password = URL.parse(address)?.password ?? ''
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}
