import type { FastifyReply } from 'fastify'

export interface Acceptable {
  /** In lower case. */
  readonly value: string
  /** 0 means not accepted, 1 is the maximum. */
  readonly weight: number
}

/** Further values of a header are ignored. */
const MOST = 32

/**
 * Parses `Accept`, `Accept-Language` or `Accept-Encoding`. Most preferred first, without rejected
 * values. Equally preferred values stay in the order of the header.
 */
export function acceptable(header: string | undefined): readonly Acceptable[] {
  if (header === undefined) return []
  return weighed(header)
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
}

/** In the order of the header, including values with weight 0. */
export const weighed = (header: string): readonly Acceptable[] =>
  header
    .split(',', MOST)
    .map(member => {
      const [value = '', ...parameters] = member.split(';').map(part => part.trim().toLowerCase())
      const weight = Number(parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? 1)
      return { value, weight: weight >= 0 && weight <= 1 ? weight : 0 }
    })
    .filter(({ value }) => value !== '')

export function vary(reply: FastifyReply, names: readonly string[]): void {
  const present = reply.getHeader('vary')
  reply.header('vary', present === undefined ? names.join(', ') : [...new Set([...String(present).split(', '), ...names])].join(', '))
}
