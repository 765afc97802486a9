import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { type Config, Refusal, type Words } from '../../core/index.ts'

/** Public address of the service. */
export interface OwnOrigin {
  /** For example `https://data.example`: from PUBLIC_URL or the listening address. */
  readonly origin: () => string
  readonly config: Pick<Config, 'publicUrl'>
}

/** Data that a portal page sends with its request. */
export interface SentByPage {
  /** The token of the browser's session; undefined where there is no cookie. */
  readonly token: string | undefined
}

/**
 * Reads the data that the portal's page sends. Its mark is a header, which a page of another origin
 * can send only after a preflight, and preflights are never granted.
 *
 * @returns undefined if no portal page sent the request: its cookies are then ignored
 * @throws Refusal foreign_origin if the browser reports a page of another origin
 */
export function sentByPage(request: FastifyRequest, own: OwnOrigin): SentByPage | undefined {
  if (!isMarked(request)) return undefined
  if (isForeign(request, own)) throw new Refusal('foreign_origin')
  return { token: cookieOf(request, cookieName(own.origin())) }
}

/** The same without a refusal: a page of another origin is no page of the portal. */
export const sentByOwnPage = (request: FastifyRequest, own: OwnOrigin): SentByPage | undefined =>
  isForeign(request, own) ? undefined : sentByPage(request, own)

/**
 * Admits programs, and pages of this service. A foreign page can point its own name at this machine
 * (DNS rebinding), but its origin or its Host header then differs. An IP address and localhost
 * cannot be rebound.
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
  zh: '此請求來自其他來源的頁面。請由程式呼叫本服務，不帶 Origin 標頭。',
}

const isMarked = ({ headers }: FastifyRequest): boolean => headers['x-portal'] === '1'

/**
 * Browsers send the origin with every write, and with every request whether it is same-origin. Own
 * origins are that of PUBLIC_URL and the Host of the request. Behind a trusted proxy that host is
 * X-Forwarded-Host, which some proxies accept from clients. If PUBLIC_URL is set, it is ignored.
 */
function isForeign({ headers, host }: FastifyRequest, { origin: ownOrigin, config }: OwnOrigin): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  const own = ownOrigin()
  if (site !== undefined && site !== 'same-origin') return true
  if (origin === undefined || origin === own) return false
  const isForwarded = host !== headers.host
  return (isForwarded && config.publicUrl !== undefined) || !isOfHost(origin, host, isSecure(own))
}

/** A page that came without https may be anybody's, wherever the service is reached by https. */
const isOfHost = (origin: string, host: string, secure: boolean): boolean =>
  URL.canParse(origin) && new URL(origin).host === host && (!secure || isSecure(origin))

/** Browsers keep a cookie of the first name to https and to this very host. */
const cookieName = (origin: string): string => (isSecure(origin) ? '__Host-twmd-session' : 'twmd-session')

const isSecure = (origin: string): boolean => origin.startsWith('https:')

/**
 * Browsers compare the name of a host-bound cookie exactly. A neighbouring host can set a domain
 * cookie whose name starts with another kind of blank, so only spaces and tabs are trimmed.
 */
function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pair = headers.cookie?.split(';').find(one => one.replace(/^[ \t]+/, '').startsWith(`${name}=`))
  return pair?.slice(pair.indexOf('=') + 1).replace(/[ \t]+$/, '')
}

/**
 * `Set-Cookie` that keeps a token where no script reads it, for the pages of this service alone.
 *
 * @param seconds it is kept
 */
export function keepToken(token: string, seconds: number, origin: string): string {
  const only = isSecure(origin) ? '; Secure' : ''
  return `${cookieName(origin)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${only}`
}

/** `Set-Cookie` that forgets the token. */
export const forgetToken = (origin: string): string => keepToken('', 0, origin)
