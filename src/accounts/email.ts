import { domainToASCII, domainToUnicode } from 'node:url'
import type { Words } from '../core/index.ts'

export interface Email {
  readonly address: string
  /** Lower-case address, which identifies the account. */
  readonly key: string
}

const MAX_LENGTH = 254
/** Excludes quotes, commas and other characters that separate addresses. */
const LOCAL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/
/** Excludes paths, ports and percent signs, which `domainToASCII` would change. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.。-]+$/u
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
/** A domain that ends in a number would be read as an IP address. */
const NUMBER = /^\d+$/
const LATIN_LOOKALIKES =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}ıȷɐ-ʯᴀ-ᶿ]/u
const LATIN = /\p{Script=Latin}/u
const WRITTEN_WITH_LATIN =
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Inherited}]+$/u

const ONE_ADDRESS: Words = { en: 'one plain address, for example analyst@example.com', zh: '單一的電子郵件地址，例如 analyst@example.com' }
const PLAIN_DOMAIN: Words = {
  en: `${ONE_ADDRESS.en}; after the @ comes a domain only: letters, digits, hyphens and dots, without a path, port, space or percent sign`,
  zh: `${ONE_ADDRESS.zh}；@ 之後只能是網域：字母、數字、連字號與點，不含路徑、連接埠、空白或百分號`,
}
const LOOK_ALIKE: Words = {
  en: `${ONE_ADDRESS.en}; its domain mixes scripts or contains look-alikes of Latin letters: use plain Latin letters`,
  zh: `${ONE_ADDRESS.zh}；其網域混用不同文字，或含有形似拉丁字母的字元：請使用一般拉丁字母`,
}

/** Undefined if the text is not a plain address. */
export function readEmail(text: unknown): Email | undefined {
  const parsed = parse(text)
  return 'address' in parsed ? parsed : undefined
}

/** Returns the rest of the sentence "must be ...". */
export function emailMistake(text: unknown): Words {
  const parsed = parse(text)
  return 'address' in parsed ? ONE_ADDRESS : parsed
}

/** @returns the address, or the rest of the sentence "must be ..." */
function parse(text: unknown): Email | Words {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return ONE_ADDRESS
  const [local, domain, ...more] = text.trim().normalize('NFKC').split('@')
  if (local === undefined || domain === undefined || more.length > 0 || !LOCAL.test(local)) return ONE_ADDRESS
  if (!DOMAIN.test(domain)) return PLAIN_DOMAIN
  const ascii = domainToASCII(domain).toLowerCase()
  const unicode = domainToUnicode(ascii)
  if ([domain, unicode].some(name => name.split('.').some(isLookalike))) return LOOK_ALIKE
  if (!isDomain(ascii) || !DOMAIN.test(unicode) || /(^|\.)xn--/.test(unicode) || ascii.length + local.length + 1 > MAX_LENGTH)
    return PLAIN_DOMAIN
  return { address: `${local}@${ascii}`, key: `${local}@${ascii}`.toLowerCase() }
}

function isDomain(ascii: string): boolean {
  const labels = ascii.split('.')
  return labels.length > 1 && labels.every(label => LABEL.test(label)) && !NUMBER.test(labels.at(-1)!)
}

const isLookalike = (label: string): boolean => LATIN_LOOKALIKES.test(label) || (LATIN.test(label) && !WRITTEN_WITH_LATIN.test(label))
