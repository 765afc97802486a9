import type { FastifyReply } from 'fastify'

export interface Acceptable {
  /** In lower case. */
  readonly value: string
  /** From 0 (not accepted) to 1. */
  readonly weight: number
}

/** Further values of the header are ignored. */
const MOST = 32

/**
 * Parses an `Accept`, `Accept-Language` or `Accept-Encoding` header, most preferred first. Omits
 * rejected values.
 */
export function acceptable(header: string | undefined): readonly Acceptable[] {
  if (header === undefined) return []
  return weighed(header)
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
}

/** Returns all values in the order sent, including weight 0. */
export const weighed = (header: string): readonly Acceptable[] =>
  header
    .split(',', MOST)
    .map(member => {
      const [value = '', ...parameters] = member.split(';').map(part => part.trim().toLowerCase())
      const weight = Number(parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? 1)
      return { value, weight: weight >= 0 && weight <= 1 ? weight : 0 }
    })
    .filter(({ value }) => value !== '')

/** Adds request headers to `Vary`. */
export function vary(reply: FastifyReply, names: readonly string[]): void {
  const present = reply.getHeader('vary')
  reply.header('vary', present === undefined ? names.join(', ') : [...new Set([...String(present).split(', '), ...names])].join(', '))
}
