import { domainToASCII, domainToUnicode } from 'node:url'
import type { Words } from '../core/index.ts'

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

const ONE_ADDRESS: Words = { en: 'one plain address, for example analyst@example.com', zh: '單一的電子郵件地址，例如 analyst@example.com' }
const DOMAIN_ALONE: Words = {
  en: `${ONE_ADDRESS.en}; after the @ stands a domain alone: letters, digits, hyphens and dots, without a path, port, blank or percent sign`,
  zh: `${ONE_ADDRESS.zh}；@ 之後只能是網域：字母、數字、連字號與點，不含路徑、連接埠、空白或百分號`,
}
const LOOK_ALIKE: Words = {
  en: `${ONE_ADDRESS.en}; its domain holds letters that look like Latin ones, or mixes scripts: type it in plain Latin letters`,
  zh: `${ONE_ADDRESS.zh}；其網域含有形似拉丁字母的字元，或混用不同文字：請以一般拉丁字母輸入`,
}

/** The address in a text, or undefined when it is not exactly one plain address. */
export function readEmail(text: unknown): Email | undefined {
  const read = reading(text)
  return 'address' in read ? read : undefined
}

/** What a text that is no address would have to be, after "must be". It repeats nothing of the text. */
export function emailMistake(text: unknown): Words {
  const read = reading(text)
  return 'address' in read ? ONE_ADDRESS : read
}

/** The address, or what the text would have to be. */
function reading(text: unknown): Email | Words {
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
