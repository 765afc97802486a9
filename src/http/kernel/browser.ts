import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { type Config, Refusal, type Words } from '../../core/index.ts'

export interface OwnOrigin {
  /**
   * Returns the public address of the service, for example `https://data.example`. Comes from
   * PUBLIC_URL, or from the listening address.
   */
  readonly origin: () => string
  readonly config: Pick<Config, 'publicUrl'>
}

/** Data that a portal page sends with its requests. */
export interface SentByPage {
  /** Token of the browser's session. Undefined if there is no cookie. */
  readonly token: string | undefined
}

/**
 * Reads the data that a portal page sends. Portal pages mark their requests with a header. A page
 * of another origin could send this header only after a preflight, and the service never grants
 * such a preflight.
 *
 * @returns undefined if the request was not sent by a portal page. Cookies are then ignored
 * @throws Refusal foreign_origin if the browser reports a page of another origin
 */
export function sentByPage(request: FastifyRequest, own: OwnOrigin): SentByPage | undefined {
  if (!isMarked(request)) return undefined
  if (isForeign(request, own)) throw new Refusal('foreign_origin')
  return { token: cookieOf(request, cookieName(own.origin())) }
}

/**
 * Does the same as `sentByPage`, but returns undefined instead of throwing for a page of another
 * origin.
 */
export const sentByOwnPage = (request: FastifyRequest, own: OwnOrigin): SentByPage | undefined =>
  isForeign(request, own) ? undefined : sentByPage(request, own)

/**
 * Refuses requests from pages of other services. A foreign page can make its own name resolve to
 * this machine (DNS rebinding), but then its origin or its Host header differs. An IP address and
 * localhost cannot be rebound.
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
 * True for a request from a page of another origin. Browsers send the origin with every write. For
 * every request, they report whether it is same-origin. The service accepts the origins of
 * PUBLIC_URL and of the request's Host. Behind a trusted proxy, the host comes from
 * X-Forwarded-Host, which some proxies accept from clients. If PUBLIC_URL is set, X-Forwarded-Host
 * is ignored.
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
 * True if an origin belongs to this host. If the service is reached over https, the origin must be
 * https too, because a page that was loaded without https may have been altered in transit.
 */
const isOfHost = (origin: string, host: string, secure: boolean): boolean =>
  URL.canParse(origin) && new URL(origin).host === host && (!secure || isSecure(origin))

/**
 * Returns the name of the session cookie. With the prefix `__Host-`, browsers send the cookie only
 * over https and only to this host.
 */
const cookieName = (origin: string): string => (isSecure(origin) ? '__Host-twmd-session' : 'twmd-session')

const isSecure = (origin: string): boolean => origin.startsWith('https:')

/**
 * Returns the value of a cookie. Browsers compare the name of a `__Host-` cookie exactly, but
 * another host of the same domain can set a cookie whose name starts with unusual whitespace.
 * Therefore only spaces and tabs are trimmed.
 */
function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pair = headers.cookie?.split(';').find(one => one.replace(/^[ \t]+/, '').startsWith(`${name}=`))
  return pair?.slice(pair.indexOf('=') + 1).replace(/[ \t]+$/, '')
}

/**
 * Returns a `Set-Cookie` header that stores a token for the pages of this service. Scripts cannot
 * read the cookie.
 *
 * @param seconds lifetime of the cookie
 */
export function keepToken(token: string, seconds: number, origin: string): string {
  const only = isSecure(origin) ? '; Secure' : ''
  return `${cookieName(origin)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${only}`
}

/** Returns a `Set-Cookie` header that deletes the token. */
export const forgetToken = (origin: string): string => keepToken('', 0, origin)
