import type { Refusal } from '../../src/core/index.ts'
import { isObject } from './content.ts'
import { daysIn, rangeOf } from './date.ts'
import { bodyRefused } from './feed.ts'

/** A day as one place of the body says it; undefined where what is said there is no single day. */
export interface Statement {
  readonly where: string
  readonly day: string | undefined
}

/** Something wrong with what a body is. Several are told at once. */
export interface Fault {
  readonly rule: string
  readonly message: string
}

const single = (said: unknown): string | undefined => {
  const range = rangeOf(said)
  return range !== undefined && range[0] === range[1] ? range[0] : undefined
}

const written = (where: string, text: unknown): readonly Statement[] => daysIn(String(text ?? '')).map(day => ({ where, day }))

/** Every day a JSON body states: the echoed date and request, then the titles, captions and dates of its tables. */
export function statedDays(value: unknown): readonly Statement[] {
  if (!isObject(value)) return []
  const tables = Array.isArray(value['tables']) ? value['tables'].filter(isObject) : [value]
  const params = isObject(value['params']) ? value['params'] : {}
  const echoed = [
    { where: 'date', said: value['date'] },
    { where: 'params', said: params['date'] },
  ].flatMap(({ where, said }) => (said === undefined ? [] : [{ where, day: single(said) }]))
  const captions = tables.flatMap(table => [...written('title', table['title']), ...written('subtitle', table['subtitle'])])
  const dates = tables.filter(table => table !== value).flatMap(table => written('table date', table['date']))
  return [...echoed, ...captions, ...dates]
}

/** The one day every statement and the asked day agree on, or what is wrong with it. */
export function agreedDay(
  statements: readonly Statement[],
  asked: string | undefined,
): { readonly day: string } | { readonly fault: Fault } {
  const days = new Set([...statements.map(({ day }) => day), ...(asked === undefined ? [] : [asked])])
  const [day] = days
  if (statements.length > 0 && days.size === 1 && day !== undefined) return { day }
  const by = Map.groupBy(statements, ({ where }) => where)
  const said = [...by].map(([where, each]) => `${where} says ${[...new Set(each.map(one => one.day ?? 'no single day'))].join(' and ')}`)
  const told = [...(said.length > 0 ? said : ['the body states no day']), `asked for ${asked ?? 'no day'}`].join(', ')
  return { fault: { rule: 'wrong_day', message: `The body does not prove its day: ${told}. Fetch that day again.` } }
}

/** One refusal that tells every fault, named by the first. */
export const refusedFor = (first: Fault, ...others: readonly Fault[]): Refusal =>
  bodyRefused(first.rule, [first, ...others].map(({ message }) => message).join(' '), { rules: [first, ...others].map(({ rule }) => rule) })
