import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { type Config, Refusal, type Words } from '../../core/index.ts'

export interface OwnOrigin {
  /** For example `https://data.example`. */
  readonly origin: () => string
  readonly config: Pick<Config, 'publicUrl'>
}

export interface SentByPage {
  /** Token of the browser's session. Undefined if there is no cookie. */
  readonly token: string | undefined
}

/**
 * Portal pages send a special header. The service never permits other origins to send this header.
 * @returns undefined if no portal page sent the request
 * @throws Refusal foreign_origin if the browser reports a page of another origin
 */
export function sentByPage(request: FastifyRequest, own: OwnOrigin): SentByPage | undefined {
  if (!isMarked(request)) return undefined
  if (isForeign(request, own)) throw new Refusal('foreign_origin')
  return { token: cookieOf(request, cookieName(own.origin())) }
}

/** Returns undefined for a page of another origin, instead of throwing. */
export const sentByOwnPage = (request: FastifyRequest, own: OwnOrigin): SentByPage | undefined =>
  isForeign(request, own) ? undefined : sentByPage(request, own)

/**
 * Prevents DNS rebinding, in which the host name of a foreign page resolves to this machine. IP
 * addresses and localhost cannot be rebound.
 *
 * @throws Refusal foreign_origin
 */
export function refuseForeign(request: FastifyRequest, own: OwnOrigin): void {
  const host = request.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const isOwn = isIP(host) > 0 || host === 'localhost' || host === new URL(own.origin()).hostname
  if (!isOwn) throw new Refusal('foreign_origin', {}, OTHER_HOST)
  if (isForeign(request, own)) throw new Refusal('foreign_origin', {}, OTHER_ORIGIN)
}

const OTHER_HOST: Words = {
  en: 'The Host header is not the address of this service. Use the address that the operator published. Operators: set PUBLIC_URL to that address, and TRUST_PROXY if there is a proxy.',
  zh: 'Host 標頭不是本服務的網址。請使用營運者公布的網址。營運者請將 PUBLIC_URL 設為該網址；若有代理伺服器，請一併設定 TRUST_PROXY。',
}
const OTHER_ORIGIN: Words = {
  en: 'The request came from a page of another origin. Call the service from a program, without an Origin header.',
  zh: '此請求來自其他網站的頁面。請由程式呼叫本服務，不帶 Origin 標頭。',
}

const isMarked = ({ headers }: FastifyRequest): boolean => headers['x-portal'] === '1'

/**
 * Accepts the origins of PUBLIC_URL and of the Host header. If PUBLIC_URL is set, ignores
 * X-Forwarded-Host, which some proxies accept from clients.
 */
function isForeign({ headers, host }: FastifyRequest, { origin: ownOrigin, config }: OwnOrigin): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  const own = ownOrigin()
  if (site !== undefined && site !== 'same-origin') return true
  if (origin === undefined || origin === own) return false
  const isForwarded = host !== headers.host
  return (isForwarded && config.publicUrl !== undefined) || !isOfHost(origin, host, isSecure(own))
}

/**
 * Over https, the page must have an https origin too. A page over http may have been altered in
 * transit.
 */
const isOfHost = (origin: string, host: string, secure: boolean): boolean =>
  URL.canParse(origin) && new URL(origin).host === host && (!secure || isSecure(origin))

/** Browsers send a `__Host-` cookie only to this host and only over https. */
const cookieName = (origin: string): string => (isSecure(origin) ? '__Host-twmd-session' : 'twmd-session')

const isSecure = (origin: string): boolean => origin.startsWith('https:')

/** Trims only spaces and tabs. Cookies of other hosts could start with other whitespace. */
function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pair = headers.cookie?.split(';').find(one => one.replace(/^[ \t]+/, '').startsWith(`${name}=`))
  return pair?.slice(pair.indexOf('=') + 1).replace(/[ \t]+$/, '')
}

/**
 * Scripts cannot read the cookie.
 * @param seconds lifetime of the cookie
 */
export function keepToken(token: string, seconds: number, origin: string): string {
  const only = isSecure(origin) ? '; Secure' : ''
  return `${cookieName(origin)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${only}`
}

export const forgetToken = (origin: string): string => keepToken('', 0, origin)
