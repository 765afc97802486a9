import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { type Config, Refusal, type Words } from '../../core/index.ts'

/** Where the service is reached. */
export interface OwnOrigin {
  /** For example `https://data.example`: that of PUBLIC_URL, or of the address it listens at. */
  readonly origin: () => string
  readonly config: Pick<Config, 'publicUrl'>
}

/** What a page of the portal sends along beside its request. */
export interface SentByPage {
  /** The token of the browser's session; undefined where there is no cookie. */
  readonly token: string | undefined
}

/**
 * What the portal's page sends along. Its mark is a header, which a page of another origin may send only after a preflight, and that is
 * never granted.
 *
 * @returns undefined where no page of the portal sent the request: its cookies mean nothing then
 * @throws Refusal foreign_origin where the browser says that the page is of another origin
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
 * Lets programs in, and pages of this service. A page elsewhere may have its own name point at this machine; then either its origin or the
 * host it asks for gives it away. An address and localhost belong to nobody else.
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
  en: 'The Host of this request is not the name of this service; call it by the address its operator gave. The operator sets PUBLIC_URL to that address, and TRUST_PROXY where a proxy passes the name on.',
  zh: '此請求的 Host 不是本服務的名稱；請使用營運者提供的網址。營運者應將 PUBLIC_URL 設為該網址；若由代理伺服器轉送名稱，請一併設定 TRUST_PROXY。',
}
const OTHER_ORIGIN: Words = {
  en: 'A page of another origin sent this request; agents call without the Origin header, from a program and not from a page.',
  zh: '此請求來自其他來源的頁面；AI 代理應由程式呼叫，不帶 Origin 標頭，而非由網頁呼叫。',
}

const isMarked = ({ headers }: FastifyRequest): boolean => headers['x-portal'] === '1'

/**
 * A browser sends the origin of every page that writes, and marks every request of a page to its own origin. The service's origin is that of
 * PUBLIC_URL, and the host that the browser called. Behind a trusted proxy that host is X-Forwarded-Host, which some proxies accept from
 * clients: if PUBLIC_URL is set, it does not count.
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
 * A browser keeps a cookie to this host by its name, as it is: a neighbouring host may set one for all of the domain whose name begins with
 * another kind of blank.
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
