import type { FastifyReply } from 'fastify'

/** A value of an `Accept` header, with its weight. */
export interface Acceptable {
  /** In lower case. */
  readonly value: string
  /** From 0 (not accepted) to 1. */
  readonly weight: number
}

/** Maximum number of members of an `Accept` header that are parsed. Further ones are ignored. */
const MOST = 32

/**
 * Values of an `Accept`, `Accept-Language` or `Accept-Encoding` header, most preferred first.
 * Equally preferred values are in the order sent. Rejected values are omitted.
 */
export function acceptable(header: string | undefined): readonly Acceptable[] {
  if (header === undefined) return []
  return weighed(header)
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
}

/** All values of an `Accept` header, in the order sent, including those with weight 0. */
export const weighed = (header: string): readonly Acceptable[] =>
  header
    .split(',', MOST)
    .map(member => {
      const [value = '', ...parameters] = member.split(';').map(part => part.trim().toLowerCase())
      const weight = Number(parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? 1)
      return { value, weight: weight >= 0 && weight <= 1 ? weight : 0 }
    })
    .filter(({ value }) => value !== '')

/** Adds request headers that affect the response to its `Vary`. */
export function vary(reply: FastifyReply, names: readonly string[]): void {
  const present = reply.getHeader('vary')
  reply.header('vary', present === undefined ? names.join(', ') : [...new Set([...String(present).split(', '), ...names])].join(', '))
}
