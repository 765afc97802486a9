import { z } from 'zod'
import { type Fault, inputRefusal, nearestParam, type Words, withoutSecrets } from '../../core/index.ts'
import { clip, fault, repeated, WITH_COMMAS } from '../../read/index.ts'
import type { Endpoint } from './endpoint.ts'
import { type Requirement, requirementOf } from './requirements.ts'

const NOTHING = z.object({})

/** A list if the name was sent several times. */
export type SentQuery = Readonly<Record<string, string | readonly string[]>>

/** Parsed, unless the endpoint declares `unparsed`. */
export type QueryOf<E extends Endpoint> = E extends { readonly unparsed: true }
  ? SentQuery
  : E extends { readonly query: infer Q extends z.ZodObject }
    ? z.output<Q>
    : Readonly<Record<never, never>>

/** If no parameters are declared, none is accepted. @throws Refusal invalid_parameter */
export const queryOf = <E extends Endpoint>({ query }: E, given: unknown): QueryOf<E> => readQuery(query ?? NOTHING, given) as QueryOf<E>

/**
 * Lists all faults: undeclared names, repeated names (except `name[]`) and invalid values.
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
    : parsed.error.issues.filter(({ path }) => !named.has(String(path[0]))).map(issue => faultOf(issue, given, schema))
  if (faults.length + wrong.length > 0) throw inputRefusal([...faults, ...wrong])
  return parsed.data as z.output<S>
}

function nameFaults(name: string, value: unknown, known: readonly string[]): readonly Fault[] {
  if (!known.includes(name)) {
    const guess = nearestParam(name, known)
    const way: Words = guess
      ? { en: `did you mean ${guess}?`, zh: `您是指 ${guess} 嗎？` }
      : known.length > 0
        ? { en: `accepted: ${known.join(', ')}`, zh: `可用的參數：${known.join('、')}` }
        : { en: 'this path accepts no parameters', zh: '此路徑不接受參數' }
    const words = { en: `${clip(name)} is not a parameter of this path; ${way.en}`, zh: `${clip(name)} 不是此路徑的參數；${way.zh}` }
    return [fault(clip(name), words, 'unknown_parameter')]
  }
  if (typeof value === 'string' || name.endsWith('[]')) return []
  return [fault(name, repeated(name, known.includes(`${name}[]`) ? WITH_COMMAS : null), 'repeated_parameter')]
}

function faultOf(issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>, schema: z.ZodObject): Fault {
  const name = String(issue.path[0])
  const sent = given[name]
  const { words, type } = requirementOf(issue, sent === undefined && { example: exampleOf(schema, [name], `${name}=`) })
  return fault(name, about(name, words), type, typeof sent === 'string' ? sent : undefined)
}

/**
 * Undefined for nested values.
 * @param before the prefix of the name
 */
function exampleOf(schema: z.ZodType, [name, ...deeper]: readonly PropertyKey[], before = ''): string | undefined {
  if (!(schema instanceof z.ZodObject) || name === undefined || deeper.length > 0) return undefined
  const example = (schema.shape[String(name)] as z.ZodType | undefined)?.meta()?.['example']
  return example === undefined ? undefined : `${before}${example}`
}

const about = (name: string, { en, zh }: Words): Words => ({ en: `${name} ${en}`, zh: `${name} ${zh}` })

/**
 * @param from the first word of every fault's `loc`
 * @param others additional faults for the same refusal
 * @throws Refusal invalid_parameter with all faults. Faults never repeat values, which may be
 * secret
 */
export function readInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  from: 'body' | 'header' | 'path' | 'query',
  others: readonly Fault[] = [],
): T {
  const given = value ?? {}
  const parsed = schema.safeParse(given)
  if (parsed.success && others.length === 0) return parsed.data
  const issues = parsed.error?.issues ?? []
  throw inputRefusal([...issues.flatMap(issue => faultsOf(issue, from, given, schema)), ...others])
}

function faultsOf(issue: z.core.$ZodIssue, from: string, given: unknown, schema: z.ZodType): readonly Fault[] {
  const at = [from, ...issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, 10).map(key => notTaken(at, withoutSecrets(key).slice(0, 100), namesAt(schema, issue.path)))
  const missing =
    issue.path.reduce<unknown>((inside, step) => (inside as Record<PropertyKey, unknown> | undefined)?.[step], given) === undefined
  const required = requirementOf(issue, missing && { example: exampleOf(schema, issue.path) })
  const { words, type } = (required.type === 'int_range' && rangeAt(schema, issue.path)) || required
  return [{ loc: at, words: about(at.slice(1).join('.') || THE[from]!, words), type }]
}

/** Undefined for nested values, or if a bound is missing. */
function rangeAt(schema: z.ZodType, [name, ...deeper]: readonly PropertyKey[]): Requirement | undefined {
  if (!(schema instanceof z.ZodObject) || name === undefined || deeper.length > 0) return undefined
  let at: unknown = schema.shape[String(name)]
  while (at instanceof z.ZodOptional || at instanceof z.ZodNullable || at instanceof z.ZodDefault) at = at.unwrap()
  const [least, most] = at instanceof z.ZodNumber ? [at.minValue, at.maxValue] : [null, null]
  if (least === null || most === null || !Number.isSafeInteger(most)) return undefined
  const words = { en: `must be an integer from ${least} to ${most}`, zh: `必須是 ${least} 至 ${most} 的整數` }
  return { words, type: 'int_range' }
}

const THE: Readonly<Record<string, string>> = { body: 'body', header: 'headers', path: 'path', query: 'query' }

const namesAt = (schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] =>
  schema instanceof z.ZodObject && path.length === 0 ? Object.keys(schema.shape) : []

function notTaken(at: Fault['loc'], name: string, known: readonly string[]): Fault {
  const guess = nearestParam(name, known)
  const way: Words = guess ? { en: `; did you mean ${guess}?`, zh: `；您是指 ${guess} 嗎？` } : knownOnes(known)
  const words = { en: `${name} is not a field of this request${way.en}`, zh: `${name} 不是此請求的欄位${way.zh}` }
  return { loc: [...at, name], words, type: 'unknown_parameter' }
}

const knownOnes = (known: readonly string[]): Words =>
  known.length === 0 ? { en: '', zh: '' } : { en: `; accepted: ${known.join(', ')}`, zh: `；可用的欄位：${known.join('、')}` }
