import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Rate limit bucket of an address: an IPv4 address (also in IPv6 notation) itself, an IPv6 address
 * its /64, which belongs to one subscriber. Other text is returned unchanged.
 */
export const addressBucket = (ip: string): string => ipv4Of(ip) ?? ipv6Network(ip, 4) ?? ip

/**
 * Network of an address, which is usually rented as one: /24 for IPv4, /48 for IPv6. Other text is
 * returned unchanged.
 */
export const addressNetwork = (ip: string): string => ipv4Of(ip)?.replace(/\.\d+$/, '.0/24') ?? ipv6Network(ip, 3) ?? ip

/** Parses an IPv4 address, also in IPv6 notation. */
function ipv4Of(ip: string): string | undefined {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] ?? ip
  return /^\d+\.\d+\.\d+\.\d+$/.test(plain) ? plain : undefined
}

/** The network of an IPv6 address's first groups of 16 bits. */
function ipv6Network(ip: string, groups: number): string | undefined {
  if (!isIPv6(ip)) return undefined
  const [address = ip] = ip.split('%')
  const network = ipaddr.IPv6.parse(address).parts.slice(0, groups)
  return `${network.map(group => group.toString(16)).join(':')}::/${groups * 16}`
}

/**
 * True for a globally reachable address: not private, loopback or otherwise reserved. False for
 * other text.
 */
export const isPublicAddress = (ip: string): boolean => ipaddr.isValid(ip) && ipaddr.parse(ip).range() === 'unicast'
