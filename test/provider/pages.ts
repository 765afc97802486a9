import type { Form } from './form.ts'
import { noSuch } from './refusals.ts'

interface Entry {
  readonly id: string
  readonly created: number
}

/**
 * One page of a list, newest first.
 *
 * @param entries newest first
 * @throws Refused when it should begin or end at an id that is not there
 */
export function page<T extends Entry>(entries: readonly T[], form: Form, url: string, kind: string, render: (entry: T) => object) {
  const { limit = '10', starting_after: after, ending_before: before } = form as Readonly<Record<string, string | undefined>>
  const at = (id: string, param: string): number => {
    const index = entries.findIndex(entry => entry.id === id)
    if (index < 0) throw noSuch(kind, id, param)
    return index
  }
  const rest = after !== undefined ? entries.slice(at(after, 'starting_after') + 1) : entries
  const span = before !== undefined ? rest.slice(0, at(before, 'ending_before')) : rest
  const data = before !== undefined ? span.slice(-Number(limit)) : span.slice(0, Number(limit))
  return { object: 'list', data: data.map(render), has_more: span.length > data.length, url }
}

/** True when a moment is what `created` asks for. */
export function within(created: number, asked: string | Form | undefined): boolean {
  if (asked === undefined) return true
  if (typeof asked === 'string') return created === Number(asked)
  const { gt = '-1', gte = '0', lt = 'Infinity', lte = 'Infinity' } = asked as Readonly<Record<string, string>>
  return created > Number(gt) && created >= Number(gte) && created < Number(lt) && created <= Number(lte)
}

/** Texts of a list parameter. */
export const listed = (asked: string | Form | undefined): readonly string[] | undefined =>
  asked === undefined ? undefined : (Object.values(asked) as string[])
