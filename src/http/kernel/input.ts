import { z } from 'zod'
import { type Fault, inputRefusal, nearest } from '../../core/index.ts'
import { clip, fault } from '../../read/index.ts'
import type { Endpoint } from './endpoint.ts'

const NOTHING = z.object({})

/** A query string as sent: a repeated name arrives as a list. */
export type SentQuery = Readonly<Record<string, string | readonly string[]>>

/** The parameters an endpoint declares, as read; as sent where it leaves them unparsed. */
export type QueryOf<E extends Endpoint> = E extends { readonly unparsed: true }
  ? SentQuery
  : E extends { readonly query: infer Q extends z.ZodObject }
    ? z.output<Q>
    : Readonly<Record<never, never>>

/** The query string of a call of that endpoint; one that declares no parameter takes none. @throws Refusal invalid_parameter */
export const queryOf = <E extends Endpoint>({ query }: E, given: unknown): QueryOf<E> => readQuery(query ?? NOTHING, given) as QueryOf<E>

/**
 * A query string in its declared shape. Names that are not declared, names sent twice (but for `name[]`) and every wrong value are
 * refused together.
 *
 * @throws Refusal invalid_parameter
 */
export function readQuery<S extends z.ZodObject>(schema: S, query: unknown): z.output<S> {
  const given = query as Readonly<Record<string, unknown>>
  const known = Object.keys(schema.shape)
  const faults = Object.entries(given).flatMap(([name, value]) => nameFaults(name, value, known))
  const parsed = schema.safeParse(Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(schema.shape, name))))
  const named = new Set(faults.map(({ loc }) => loc[1]))
  const wrong = parsed.success
    ? []
    : parsed.error.issues.filter(({ path }) => !named.has(String(path[0]))).map(issue => faultOf(issue, given))
  if (faults.length + wrong.length > 0) throw inputRefusal([...faults, ...wrong])
  return parsed.data as z.output<S>
}

function nameFaults(name: string, value: unknown, known: readonly string[]): readonly Fault[] {
  if (!known.includes(name)) {
    const guess = nearest(name, known)
    const way = guess ? `did you mean ${guess}?` : known.length > 0 ? `known: ${known.join(', ')}` : 'this path takes none'
    return [fault(clip(name), `${clip(name)} is not a parameter here; ${way}`, 'unknown_parameter')]
  }
  if (typeof value === 'string' || name.endsWith('[]')) return []
  return [fault(name, `${name} was sent more than once; send it once`, 'repeated_parameter')]
}

function faultOf(issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>): Fault {
  const name = String(issue.path[0])
  const sent = given[name]
  return fault(
    name,
    `${name} ${issue.message}`,
    sent === undefined ? 'missing' : typeOf(issue),
    typeof sent === 'string' ? sent : undefined,
  )
}

const typeOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'custom') return String(issue.params?.['type'] ?? 'value')
  return issue.code === 'invalid_value' ? 'enum' : issue.code === 'too_big' ? 'too_long' : issue.code
}

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
