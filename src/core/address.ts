import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Returns the address (IPv4) or the /64 network (IPv6) for counting requests. Returns other text
 * unchanged.
 */
export const addressBucket = (ip: string): string => ipv4Of(ip) ?? ipv6Network(ip, 4) ?? ip

/**
 * Returns the network that one customer typically rents: /24 (IPv4) or /48 (IPv6). Returns other
 * text unchanged.
 */
export const addressNetwork = (ip: string): string => ipv4Of(ip)?.replace(/\.\d+$/, '.0/24') ?? ipv6Network(ip, 3) ?? ip

/** Also accepts IPv6 notation (`::ffff:1.2.3.4`). */
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

/** IANA assigns all public IPv6 addresses in this range. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/**
 * Ranges that look public but contain no internet hosts. The IPv6 ranges are from IANA's
 * special-purpose registry. The IPv4 address returns metadata of Azure machines.
 */
const SPECIAL_PURPOSE = {
  ipv4: ['168.63.129.16/32'],
  ipv6: ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
} as const

/**
 * False for private and reserved ranges, cloud metadata services, and text that is not an address.
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
