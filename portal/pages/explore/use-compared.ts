import type { Refused, Row, Rows } from '../../api/client.ts'
import { useRows } from '../../api/use.ts'
import { cellText } from '../../parts/cell.ts'
import { say } from '../../parts/language.ts'
import { type Compared, compare } from './compare.ts'
import { type Described, pathOf, type Question, queryOf } from './question.ts'

/** Most rows of each release that are compared. */
export const MOST_COMPARED = 5_000

/** A question as of an older release beside the served one. */
export type Comparison =
  | { readonly state: 'none' | 'loading' }
  | { readonly state: 'refused'; readonly refused: Refused }
  /** More rows than are compared: the question must be narrower. */
  | { readonly state: 'too_many' }
  | { readonly state: 'done'; readonly compared: Compared; readonly charged: number; readonly older: Rows }

/** Reads a question of the release it names and of the served one, and says what differs. @param limit most rows of an answer; nothing is read before it is known */
export function useCompared(described: Described | null, question: Question | null, limit: number | null): Comparison {
  const needed = described && question && question.release !== null && limit !== null ? { described, question, limit } : null
  const query = needed && {
    ...queryOf(needed.question),
    // The columns that name a row tell which rows are the same.
    columns: needed.question.columns && [...new Set([...needed.described.schema.grain, ...needed.question.columns])],
    limit: Math.min(MOST_COMPARED, needed.limit),
  }
  const path = needed ? pathOf(needed.described, needed.question) : ''
  const older = useRows(query && { path, query }).value
  const newer = useRows(query && { path, query: { ...query, release: null } }).value
  if (!needed) return { state: 'none' }
  const refused = older.refused ?? newer.refused
  if (refused) return { state: 'refused', refused }
  if (older.state !== 'done' || newer.state !== 'done') return { state: 'loading' }
  const [then, now] = [older.value!, newer.value!]
  if (then.next !== null || now.next !== null) return { state: 'too_many' }
  return {
    state: 'done',
    compared: remembered(then, now, needed.described, needed.question.filters['range'] !== undefined),
    charged: (then.charged ?? 0) + (now.charged ?? 0),
    older: then,
  }
}

let last: { readonly then: Rows; readonly now: Rows; readonly compared: Compared } | undefined

/**
 * The comparison of two answers, made once while both stay the same.
 *
 * @param isRanged rows come and go where their figures change, too
 */
function remembered(then: Rows, now: Rows, { schema }: Described, isRanged: boolean): Compared {
  if (last?.then === then && last.now === now) return last.compared
  const typeOf = (value: Row[string] | undefined) => cellText(value, 'text')
  const compared = compare(then.rows, now.rows, schema.grain, {
    added: isRanged
      ? say({ en: 'This row came later, or into the range.', zh: '此列為之後新增，或數值之後才落入範圍。' })
      : say({ en: 'This row came later.', zh: '此列為之後新增。' }),
    removed: isRanged
      ? say({ en: 'This row is no longer served, or no longer in the range.', zh: '此列現已移除，或數值已不在範圍內。' })
      : say({ en: 'This row is no longer served.', zh: '此列現已移除。' }),
    changed: value => say({ en: `Served now: ${typeOf(value)}.`, zh: `現行值：${typeOf(value)}。` }),
  })
  last = { then, now, compared }
  return compared
}
