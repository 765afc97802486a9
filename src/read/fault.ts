import type { Fault } from '../core/index.ts'

/** A mistake in a query parameter. What was sent is repeated up to 100 characters. */
export const fault = (name: string, msg: string, type: string, input?: string): Fault => ({
  loc: ['query', name],
  msg,
  type,
  ...(input === undefined ? {} : { input: clip(input) }),
})

/** Text cut to 100 characters. */
export const clip = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
