import type { Refusal } from '../../src/core/index.ts'
import { isObject } from './content.ts'
import { daysIn, rangeOf } from './date.ts'
import { bodyRefused } from './feed.ts'

/** A day as one place of the body says it; undefined where what stands there is no single day. */
export interface Statement {
  readonly where: string
  readonly day: string | undefined
}

/** Something wrong with what a body is. Several are reported at once. */
export interface Fault {
  readonly rule: string
  readonly message: string
}

const single = (cell: unknown): string | undefined => {
  const range = rangeOf(cell)
  return range !== undefined && range[0] === range[1] ? range[0] : undefined
}

const written = (where: string, text: unknown): readonly Statement[] => daysIn(String(text ?? '')).map(day => ({ where, day }))

/** Every day a JSON body states: the echoed date and request, then the titles, captions and dates of its tables. */
export function statedDays(value: unknown): readonly Statement[] {
  if (!isObject(value)) return []
  const tables = Array.isArray(value['tables']) ? value['tables'].filter(isObject) : [value]
  const params = isObject(value['params']) ? value['params'] : {}
  const echoed = [
    { where: 'date', cell: value['date'] },
    { where: 'params', cell: params['date'] },
  ].flatMap(({ where, cell }) => (cell === undefined ? [] : [{ where, day: single(cell) }]))
  const captions = tables.flatMap(table => [...written('title', table['title']), ...written('subtitle', table['subtitle'])])
  const dates = tables.filter(table => table !== value).flatMap(table => written('table date', table['date']))
  return [...echoed, ...captions, ...dates]
}

/** The one day every statement and the requested day agree on, or what is wrong with it. */
export function agreedDay(
  statements: readonly Statement[],
  requestedDay: string | undefined,
): { readonly day: string } | { readonly fault: Fault } {
  const days = new Set([...statements.map(({ day }) => day), ...(requestedDay === undefined ? [] : [requestedDay])])
  const [day] = days
  if (statements.length > 0 && days.size === 1 && day !== undefined) return { day }
  const by = Map.groupBy(statements, ({ where }) => where)
  const statedBy = [...by].map(
    ([where, each]) => `${where} says ${[...new Set(each.map(one => one.day ?? 'no single day'))].join(' and ')}`,
  )
  const found = [...(statedBy.length > 0 ? statedBy : ['the body states no day']), `asked for ${requestedDay ?? 'no day'}`].join(', ')
  return { fault: { rule: 'wrong_day', message: `The body does not prove its day: ${found}. Fetch that day again.` } }
}

/** One refusal that names every fault, named by the first. */
export const refusedFor = (first: Fault, ...others: readonly Fault[]): Refusal =>
  bodyRefused(first.rule, [first, ...others].map(({ message }) => message).join(' '), { rules: [first, ...others].map(({ rule }) => rule) })
