import { isIP } from 'node:net'
import { isPublicAddress, type Words } from '../core/index.ts'

const MAX_LENGTH = 2_000
/** An empty text means the default port of the scheme. */
const ALLOWED_PORTS = ['', '443', '8443']

const ONE_URL: Words = {
  en: 'must be an https URL of at most 2,000 characters, for example https://hooks.example.com/twmd',
  zh: '必須是 https 網址，最多 2,000 個字元，例如 https://hooks.example.com/twmd',
}
const NO_CREDENTIALS: Words = {
  en: 'must not contain a user name or password: messages are signed instead',
  zh: '不可包含使用者名稱或密碼；請改以簽章驗證訊息',
}
const NO_FRAGMENT: Words = { en: 'must not contain a fragment, which is never sent', zh: '不可包含片段（# 之後的部分），該部分不會送出' }
const PORT_NOT_ALLOWED: Words = { en: 'must use port 443 or 8443', zh: '必須使用 443 或 8443 連接埠' }
const PUBLIC_ADDRESS: Words = { en: 'must have a public address', zh: '必須位於公開的網路位址' }

/** Matches URLs that all parsers interpret in the same way. */
const UNAMBIGUOUS_URL = /^https?:\/\/[^/\\\s\p{Cc}][^\\\s\p{Cc}]*$/iu

/**
 * Null if the URL is allowed.
 *
 * @param privateHosts true to allow http, any port and private addresses
 */
export function targetMistake(text: string, privateHosts: boolean): Words | null {
  if (text.length > MAX_LENGTH || !UNAMBIGUOUS_URL.test(text) || !URL.canParse(text)) return ONE_URL
  const { protocol, username, password, hash, port, hostname } = new URL(text)
  if (protocol !== 'https:' && !(privateHosts && protocol === 'http:')) return ONE_URL
  if (username !== '' || password !== '') return NO_CREDENTIALS
  if (hash !== '') return NO_FRAGMENT
  if (privateHosts) return null
  if (!ALLOWED_PORTS.includes(port)) return PORT_NOT_ALLOWED
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isPublicAddress(host)) return PUBLIC_ADDRESS
  return null
}
