import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What a limiter counts an address as: an IPv4 address as itself, also in its IPv6 spelling; an IPv6 address as its /64, which one
 * subscriber holds entirely. Text that is no address is returned unchanged.
 */
export function addressBucket(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped || !isIPv6(ip)) return mapped ?? ip
  const [address = ip] = ip.split('%')
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${network.map(group => group.toString(16)).join(':')}::/64`
}
