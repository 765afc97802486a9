import { domainToASCII, domainToUnicode } from 'node:url'

/** One bare address, safe to hand to a mail server. */
export interface Email {
  /** As typed, the domain in ASCII. */
  readonly address: string
  /** Lower case; accounts are found by it. */
  readonly key: string
}

const LONGEST = 254
/** The local part in plain characters: mail software finds further recipients in quotes, commas, brackets and line breaks. */
const LOCAL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/
/** Letters, digits, hyphens and dots of any script: the URL parser behind `domainToASCII` cuts off paths and ports, drops tabs and decodes percent signs. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.。-]+$/u
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
/** A domain that ends in a number is an IP address, however it is spelled. */
const NUMBER = /^\d+$/
/** Scripts whose letters pass for Latin ones, and the letters of phonetic alphabets. */
const IMITATES = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}ıȷɐ-ʯᴀ-ᶿ]/u
const LATIN = /\p{Script=Latin}/u
/** Scripts that are written together with Latin letters. */
const BESIDE_LATIN =
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Inherited}]+$/u

const ONE_ADDRESS = 'one plain address, for example analyst@example.com'
const DOMAIN_ALONE = `${ONE_ADDRESS}; after the @ stands a domain alone: letters, digits, hyphens and dots, without a path, port, blank or percent sign`
const LOOK_ALIKE = `${ONE_ADDRESS}; its domain holds letters that look like Latin ones, or mixes scripts: type it in plain Latin letters`

/** The address in a text, or undefined when it is not exactly one plain address. */
export function readEmail(text: unknown): Email | undefined {
  const read = reading(text)
  return typeof read === 'string' ? undefined : read
}

/** What a text that is no address would have to be, after "must be". It repeats nothing of the text. */
export function emailMistake(text: unknown): string {
  const read = reading(text)
  return typeof read === 'string' ? read : ONE_ADDRESS
}

/** The address, or what the text would have to be. */
function reading(text: unknown): Email | string {
  if (typeof text !== 'string' || text.length > LONGEST) return ONE_ADDRESS
  const [local, domain, ...more] = text.trim().normalize('NFKC').split('@')
  if (local === undefined || domain === undefined || more.length > 0 || !LOCAL.test(local)) return ONE_ADDRESS
  if (!DOMAIN.test(domain)) return DOMAIN_ALONE
  const ascii = domainToASCII(domain).toLowerCase()
  // A domain may be sent in its ASCII spelling; what people see is the other one.
  const shown = domainToUnicode(ascii)
  if ([domain, shown].some(one => one.split('.').some(imitates))) return LOOK_ALIKE
  if (!isDomain(ascii) || !DOMAIN.test(shown) || /(^|\.)xn--/.test(shown) || ascii.length + local.length + 1 > LONGEST) return DOMAIN_ALONE
  return { address: `${local}@${ascii}`, key: `${local}@${ascii}`.toLowerCase() }
}

function isDomain(ascii: string): boolean {
  const labels = ascii.split('.')
  return labels.length > 1 && labels.every(label => LABEL.test(label)) && !NUMBER.test(labels.at(-1)!)
}

/** True for a label with letters that pass for Latin ones, or Latin letters among those of a script that is not written with them. */
const imitates = (label: string): boolean => IMITATES.test(label) || (LATIN.test(label) && !BESIDE_LATIN.test(label))
