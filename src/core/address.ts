import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What a limiter counts an address as: an IPv4 address as itself, also in its IPv6 spelling; an IPv6 address as its /64, which one
 * subscriber holds entirely. Text that is no address is returned unchanged.
 */
export const addressBucket = (ip: string): string => ipv4Of(ip) ?? ipv6Network(ip, 4) ?? ip

/** The network around an address, which is usually rented as one: the /24 of an IPv4 address, the /48 of an IPv6 address. Text that is no address is returned unchanged. */
export const addressNetwork = (ip: string): string => ipv4Of(ip)?.replace(/\.\d+$/, '.0/24') ?? ipv6Network(ip, 3) ?? ip

/** The IPv4 address in a text, also in its IPv6 spelling; undefined for any other text. */
function ipv4Of(ip: string): string | undefined {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] ?? ip
  return /^\d+\.\d+\.\d+\.\d+$/.test(plain) ? plain : undefined
}

/** The first groups of an IPv6 address as a network; undefined for any other text. */
function ipv6Network(ip: string, groups: number): string | undefined {
  if (!isIPv6(ip)) return undefined
  const [address = ip] = ip.split('%')
  const network = ipaddr.IPv6.parse(address).parts.slice(0, groups)
  return `${network.map(group => group.toString(16)).join(':')}::/${groups * 16}`
}

/** True for an address that anyone on the internet may have: not of a private network, of the machine itself, or of any other reserved range. Text that is no address is not one. */
export const isPublicAddress = (ip: string): boolean => ipaddr.isValid(ip) && ipaddr.parse(ip).range() === 'unicast'
