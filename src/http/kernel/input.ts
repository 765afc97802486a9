import type { z } from 'zod'
import { type Fault, inputRefusal } from '../../core/index.ts'

/**
 * A body or a set of headers in its declared shape.
 *
 * @param from where it was sent, the first word of every fault's `loc`
 * @throws Refusal invalid_parameter naming every mistake; what was sent is not repeated, since it may be secret
 */
export function readInput<T>(schema: z.ZodType<T>, value: unknown, from: 'body' | 'header' | 'path' | 'query'): T {
  const parsed = schema.safeParse(value ?? {})
  if (parsed.success) return parsed.data
  throw inputRefusal(parsed.error.issues.flatMap(issue => faultsOf(issue, from)))
}

function faultsOf(issue: z.core.$ZodIssue, from: string): readonly Fault[] {
  const at = [from, ...issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, 10)
      .map(key => ({ loc: [...at, key.slice(0, 100)], msg: `${key.slice(0, 100)} is not taken here`, type: 'unknown_parameter' }))
  }
  return [{ loc: at, msg: `${at.slice(1).join('.') || from}: ${issue.message}`, type: issue.code }]
}
