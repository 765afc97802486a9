import { isIP } from 'node:net'
import { isPublicAddress, type Words } from '../core/index.ts'

const LONGEST = 2_000
/** Ports an endpoint may have; the empty text is the port of the scheme. */
const PORTS = ['', '443', '8443']

const ONE_URL: Words = {
  en: 'must be an https URL of at most 2,000 characters, for example https://hooks.example.com/twmd',
  zh: '必須是 https 網址，最多 2,000 個字元，例如 https://hooks.example.com/twmd',
}
const NO_CREDENTIALS: Words = {
  en: 'must not hold a user name or a password; messages are signed instead',
  zh: '不可包含使用者名稱或密碼；訊息以簽章驗證',
}
const NO_FRAGMENT: Words = { en: 'must not hold a fragment, which is never sent', zh: '不可包含片段（# 之後的部分），該部分不會送出' }
const THESE_PORTS: Words = { en: 'must be on port 443 or 8443', zh: '必須使用 443 或 8443 連接埠' }
const PUBLIC: Words = { en: 'must be at a public address', zh: '必須位於公開的網路位址' }

/** What readers of URLs differ in: a scheme without slashes, backslashes for slashes, blanks and control characters that some drop. */
const ONE_READING = /^https?:\/\/[^/\\\s\p{Cc}][^\\\s\p{Cc}]*$/iu

/** What is wrong with the URL of an endpoint, after its name; null where nothing is. @param privateHosts http, any port and private addresses are taken as well */
export function targetMistake(text: string, privateHosts: boolean): Words | null {
  if (text.length > LONGEST || !ONE_READING.test(text) || !URL.canParse(text)) return ONE_URL
  const { protocol, username, password, hash, port, hostname } = new URL(text)
  if (protocol !== 'https:' && !(privateHosts && protocol === 'http:')) return ONE_URL
  if (username !== '' || password !== '') return NO_CREDENTIALS
  if (hash !== '') return NO_FRAGMENT
  if (privateHosts) return null
  if (!PORTS.includes(port)) return THESE_PORTS
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isPublicAddress(host)) return PUBLIC
  return null
}
