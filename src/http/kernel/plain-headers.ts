import { acceptedFormat } from './accepted-format.ts'

/** What a plain request says in its headers. */
export interface PlainHeaders {
  /** The API key; undefined for none. */
  readonly key: string | undefined
  /** What codings are taken, as sent; undefined where that is not said. */
  readonly codings: string | undefined
}

/** Where a request is sent. */
interface Place {
  /** Pages of other origins may read answers. */
  readonly shared: boolean
  /** A proxy is trusted to say where requests come from. */
  readonly trusted: boolean
}

/** What is read of a request here. */
type Kind = 'host' | 'key' | 'bearer' | 'codings' | 'accept' | 'origin' | 'forwarded' | 'other'

/** Headers that mean something to reads; whoever sends another of these is not plain. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['host', 'host'],
  ['x-api-key', 'key'],
  ['authorization', 'bearer'],
  ['accept-encoding', 'codings'],
  ['accept', 'accept'],
  ['origin', 'origin'],
  ['x-forwarded-for', 'forwarded'],
  ...[
    ...['if-none-match', 'content-length', 'transfer-encoding', 'content-encoding', 'content-type', 'expect', 'upgrade', 'trailer'],
    ...['x-self-serve-token', 'x-admin-token', 'x-diagnostics-secret', 'x-diagnostics-probe', 'x-account-email'],
    ...['payment-signature', 'stripe-signature'],
  ].map((name): [string, Kind] => [name, 'other']),
])

/** Headers by their name as it is sent, which hardly varies; null for one without meaning. */
const spelled = new Map<string, Kind | null>()
const MOST_SPELLINGS = 512

function kindOf(name: string): Kind | null {
  const known = spelled.get(name)
  if (known !== undefined) return known
  const kind = KINDS.get(name.toLowerCase()) ?? null
  if (spelled.size < MOST_SPELLINGS) spelled.set(name, kind)
  return kind
}

/**
 * The headers of a request that is plain: one host, one key, JSON taken, no body and nothing that needs an answer of its own. Undefined for
 * any other.
 *
 * @param raw names and values in turn, as they were sent
 */
export function plainHeaders(raw: readonly string[], { shared, trusted }: Place): PlainHeaders | undefined {
  let [host, key, bearer, codings, accept]: (string | undefined)[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const value = raw[at + 1]!
    switch (kindOf(raw[at]!)) {
      case null:
        break
      case 'host':
        if (host !== undefined) return undefined
        host = value
        break
      case 'key':
        if (key !== undefined) return undefined
        key = value
        break
      case 'bearer':
        if (bearer !== undefined) return undefined
        bearer = value
        break
      case 'codings':
        if (codings !== undefined) return undefined
        codings = value
        break
      case 'accept':
        if (accept !== undefined) return undefined
        accept = value
        break
      case 'origin':
        if (shared) return undefined
        break
      case 'forwarded':
        if (!trusted) return undefined
        break
      default:
        return undefined
    }
  }
  if (host === undefined || (accept !== undefined && acceptedFormat(accept) !== 'json')) return undefined
  if (bearer === undefined) return { key, codings }
  const token = /^Bearer +(\S+)$/i.exec(bearer)?.[1]
  return token === undefined || (key !== undefined && key !== token) ? undefined : { key: token, codings }
}
