import { domainToASCII } from 'node:url'

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
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
/** A domain that ends in a number is an IP address, however it is spelled. */
const NUMBER = /^\d+$/

/** The address in a text, or undefined when it is not exactly one plain address. */
export function readEmail(text: unknown): Email | undefined {
  if (typeof text !== 'string' || text.length > LONGEST) return undefined
  const trimmed = text.trim().normalize('NFKC')
  const [local, domain, ...more] = trimmed.split('@')
  if (local === undefined || domain === undefined || more.length > 0 || !LOCAL.test(local) || mixesScripts(domain)) return undefined
  const ascii = domainToASCII(domain).toLowerCase()
  const labels = ascii.split('.')
  if (
    labels.length < 2 ||
    !labels.every(label => LABEL.test(label)) ||
    NUMBER.test(labels.at(-1)!) ||
    ascii.length + local.length + 1 > LONGEST
  )
    return undefined
  return { address: `${local}@${ascii}`, key: `${local}@${ascii}`.toLowerCase() }
}

/** True for a label that mixes Latin letters with look-alikes from another alphabet. */
const mixesScripts = (domain: string): boolean =>
  domain.split('.').some(label => /[a-z]/i.test(label) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u.test(label)) ||
  /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(domain)
