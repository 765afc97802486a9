import type { LookupAddress, LookupOptions } from 'node:dns'
import { NOTFOUND } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from '../core/index.ts'

/** How long a name server is waited for at first, and how often one is asked. */
const [TIMEOUT_MS, TRIES] = [2_000, 2]

/**
 * Asks name servers for the addresses of a name. The system's own look-up holds a thread for as long as a name server lets it wait, and
 * there are four, which files are read by, too; it also knows names of this machine alone, which this one does not.
 *
 * @param signal ends look-ups that run
 * @param servers those of the system when absent
 * @returns a look-up that fails with the code `ENOTFOUND` for a name without addresses, whatever the name servers said
 */
export const createNameLookup =
  (signal: AbortSignal, servers?: readonly string[]): LookupFunction =>
  (name, options, done) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
    if (servers) resolver.setServers(servers)
    signal.addEventListener('abort', () => resolver.cancel(), { once: true })
    void Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]).then(([v4, v6]) => {
      const addresses = [...addressesOf(v4, 4), ...addressesOf(v6, 6)]
      answer(addresses, options, done)
    })
  }

const addressesOf = (answer: PromiseSettledResult<readonly string[]>, family: 4 | 6): readonly LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map(address => ({ address, family })) : []

function answer(addresses: readonly LookupAddress[], { all }: LookupOptions, done: Parameters<LookupFunction>[2]): void {
  const [first] = addresses
  if (!first) done(Object.assign(new Error('The name has no address.'), { code: NOTFOUND }), [])
  else if (all) done(null, [...addresses])
  else done(null, first.address, first.family)
}

/** A lookup without addresses that are not public. It fails with `ENOTFOUND` if none is left. */
export const publicOnly =
  (lookup: LookupFunction): LookupFunction =>
  (name, options, done) =>
    lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error) done(error, [])
      else
        answer(
          (addresses as readonly LookupAddress[]).filter(({ address }) => isPublicAddress(address)),
          options,
          done,
        )
    })
