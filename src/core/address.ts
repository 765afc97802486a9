import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Rate limit bucket of an address. An IPv4 address (also in IPv6 notation) is its own bucket. An
 * IPv6 address belongs to the bucket of its /64, which is assigned to one subscriber. Other text is
 * returned unchanged.
 */
export const addressBucket = (ip: string): string => ipv4Of(ip) ?? ipv6Network(ip, 4) ?? ip

/**
 * Network that contains an address, of the size that one customer usually rents: /24 for IPv4, /48
 * for IPv6. Other text is returned unchanged.
 */
export const addressNetwork = (ip: string): string => ipv4Of(ip)?.replace(/\.\d+$/, '.0/24') ?? ipv6Network(ip, 3) ?? ip

/** Parses an IPv4 address, also in IPv6 notation. */
function ipv4Of(ip: string): string | undefined {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] ?? ip
  return /^\d+\.\d+\.\d+\.\d+$/.test(plain) ? plain : undefined
}

/** Network of an IPv6 address: its first groups of 16 bits. */
function ipv6Network(ip: string, groups: number): string | undefined {
  if (!isIPv6(ip)) return undefined
  const [address = ip] = ip.split('%')
  const network = ipaddr.IPv6.parse(address).parts.slice(0, groups)
  return `${network.map(group => group.toString(16)).join(':')}::/${groups * 16}`
}

/** Global unicast range of IPv6, the only range that IANA assigns to networks on the internet. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/**
 * Networks in the unicast ranges that contain no internet hosts. IPv6: IANA's special-purpose
 * registry (protocol assignments, documentation, 6to4, AS112). IPv4: Azure's platform address,
 * which returns metadata of the virtual machine.
 */
const SPECIAL_PURPOSE = {
  ipv4: ['168.63.129.16/32'],
  ipv6: ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
} as const

/**
 * True for a global unicast address outside of reserved ranges, such as private networks, this
 * machine and the metadata services of clouds. False for text that is not an address.
 */
export function isPublicAddress(ip: string): boolean {
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.parse(ip)
  const isAssigned = address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
  return (
    isAssigned &&
    address.range() === 'unicast' &&
    !SPECIAL_PURPOSE[address.kind()].some(network => address.match(ipaddr.parseCIDR(network)))
  )
}
