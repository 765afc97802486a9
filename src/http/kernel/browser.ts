import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../core/index.ts'

/** What a page of the portal sends along beside its request. */
export interface SentByPage {
  /** The token of the browser's session; undefined where there is no cookie. */
  readonly token: string | undefined
}

/**
 * What the portal's page sends along. Its mark is a header, which a page of another origin may send only after a preflight, and that is
 * never granted.
 *
 * @param origin of the service
 * @returns undefined where no page of the portal sent the request: its cookies mean nothing then
 * @throws Refusal foreign_origin where the browser says that the page is of another origin
 */
export function sentByPage(request: FastifyRequest, origin: string): SentByPage | undefined {
  if (!isMarked(request)) return undefined
  if (isForeign(request, origin)) throw new Refusal('foreign_origin')
  return { token: cookieOf(request, cookieName(origin)) }
}

/** The same without a refusal: a page of another origin is no page of the portal. */
export const sentByOwnPage = (request: FastifyRequest, origin: string): SentByPage | undefined =>
  isForeign(request, origin) ? undefined : sentByPage(request, origin)

const isMarked = ({ headers }: FastifyRequest): boolean => headers['x-portal'] === '1'

/** A browser names the origin of every page that writes, and tells of every request whether it is the page's own. The host it reached us by is ours, too. */
function isForeign({ headers }: FastifyRequest, own: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return true
  return origin !== undefined && origin !== own && !isOfHost(origin, host, isSecure(own))
}

/** A page that came without https may be anybody's, wherever the service is reached by https. */
const isOfHost = (origin: string, host: string | undefined, secure: boolean): boolean =>
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
