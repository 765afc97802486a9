import type { LookupAddress, LookupOptions } from 'node:dns'
import { NOTFOUND } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from '../core/index.ts'

const TIMEOUT_MS = 2_000
const ATTEMPTS = 2

/**
 * Queries name servers directly, because the lookup of the system blocks a thread of Node.
 *
 * @param signal cancels running lookups
 * @param servers default: the name servers of the system
 * @returns a lookup that fails with `ENOTFOUND` if a name has no addresses
 */
export const createNameLookup =
  (signal: AbortSignal, servers?: readonly string[]): LookupFunction =>
  (name, options, callback) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: ATTEMPTS })
    if (servers) resolver.setServers(servers)
    signal.addEventListener('abort', () => resolver.cancel(), { once: true })
    void Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]).then(([v4, v6]) => {
      const addresses = [...addressesOf(v4, 4), ...addressesOf(v6, 6)]
      respond(addresses, options, callback)
    })
  }

const addressesOf = (result: PromiseSettledResult<readonly string[]>, family: 4 | 6): readonly LookupAddress[] =>
  result.status === 'fulfilled' ? result.value.map(address => ({ address, family })) : []

function respond(addresses: readonly LookupAddress[], { all }: LookupOptions, callback: Parameters<LookupFunction>[2]): void {
  const [first] = addresses
  if (!first) callback(Object.assign(new Error('The host name has no address.'), { code: NOTFOUND }), [])
  else if (all) callback(null, [...addresses])
  else callback(null, first.address, first.family)
}

/** Removes private addresses. Fails with `ENOTFOUND` if no address remains. */
export const publicOnly =
  (lookup: LookupFunction): LookupFunction =>
  (name, options, callback) =>
    lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error) callback(error, [])
      else
        respond(
          (addresses as readonly LookupAddress[]).filter(({ address }) => isPublicAddress(address)),
          options,
          callback,
        )
    })
