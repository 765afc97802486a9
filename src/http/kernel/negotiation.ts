import type { FastifyReply } from 'fastify'

export interface Acceptable {
  /** The value in lower case. */
  readonly value: string
  /** Weight from 0 (not accepted) to 1. */
  readonly weight: number
}

/** Maximum number of values that are parsed from an `Accept` header. Further values are ignored. */
const MOST = 32

/**
 * Returns the values of an `Accept`, `Accept-Language` or `Accept-Encoding` header, most preferred
 * first. Equally preferred values are in the order sent. Rejected values are omitted.
 */
export function acceptable(header: string | undefined): readonly Acceptable[] {
  if (header === undefined) return []
  return weighed(header)
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
}

/** Returns all values of an `Accept` header in the order sent, including values with weight 0. */
export const weighed = (header: string): readonly Acceptable[] =>
  header
    .split(',', MOST)
    .map(member => {
      const [value = '', ...parameters] = member.split(';').map(part => part.trim().toLowerCase())
      const weight = Number(parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? 1)
      return { value, weight: weight >= 0 && weight <= 1 ? weight : 0 }
    })
    .filter(({ value }) => value !== '')

/** Adds names of request headers to the `Vary` header of a response. */
export function vary(reply: FastifyReply, names: readonly string[]): void {
  const present = reply.getHeader('vary')
  reply.header('vary', present === undefined ? names.join(', ') : [...new Set([...String(present).split(', '), ...names])].join(', '))
}
