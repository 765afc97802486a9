import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Returns the bucket in which requests from an address are counted. An IPv4 address is its own
 * bucket, also if written in IPv6 notation. An IPv6 address belongs to the bucket of its /64
 * network, which one subscriber uses. Other text is returned unchanged.
 */
export const addressBucket = (ip: string): string => ipv4Of(ip) ?? ipv6Network(ip, 4) ?? ip

/**
 * Returns the network that contains an address, in the size that one customer usually rents: /24
 * for IPv4, /48 for IPv6. Other text is returned unchanged.
 */
export const addressNetwork = (ip: string): string => ipv4Of(ip)?.replace(/\.\d+$/, '.0/24') ?? ipv6Network(ip, 3) ?? ip

/** Parses an IPv4 address. Also accepts the IPv6 notation (`::ffff:1.2.3.4`). */
function ipv4Of(ip: string): string | undefined {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] ?? ip
  return /^\d+\.\d+\.\d+\.\d+$/.test(plain) ? plain : undefined
}

function ipv6Network(ip: string, groups: number): string | undefined {
  if (!isIPv6(ip)) return undefined
  const [address = ip] = ip.split('%')
  const network = ipaddr.IPv6.parse(address).parts.slice(0, groups)
  return `${network.map(group => group.toString(16)).join(':')}::/${groups * 16}`
}

/** The only range of IPv6 whose addresses IANA assigns to networks on the internet. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/**
 * Networks that contain no hosts on the internet, although their addresses look public. IPv6:
 * networks of IANA's special-purpose registry (protocol assignments, documentation, 6to4, AS112).
 * IPv4: Azure's platform address, which returns metadata of the virtual machine.
 */
const SPECIAL_PURPOSE = {
  ipv4: ['168.63.129.16/32'],
  ipv6: ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
} as const

/**
 * True if an address is on the public internet. False for private networks, this machine, the
 * metadata services of clouds and other reserved ranges, and for text that is not an address.
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
