import { randomInt } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Characters after the prefix and its underscore, as long as the provider's own. */
const LENGTHS = {
  bps: 24,
  ch: 24,
  cs_live: 58,
  cs_test: 58,
  cus: 14,
  evt: 24,
  evt_test: 40,
  in: 24,
  pm: 24,
  price: 24,
  prod: 14,
  req: 14,
  si: 14,
  sub: 24,
} as const

/** An id nobody has. */
export function newId(prefix: keyof typeof LENGTHS): string {
  const random = Array.from({ length: LENGTHS[prefix] }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${prefix}_${random}`
}
