import type { Refused, Row, Rows } from '../../api/client.ts'
import { useRows } from '../../api/use.ts'
import { cellText } from '../../parts/cell.ts'
import { say } from '../../parts/language.ts'
import { type Compared, compare } from './compare.ts'
import { type Described, pathOf, type Question, queryOf } from './question.ts'

export const MOST_COMPARED = 5_000

/** Comparison of an older release with the served one. */
export type Comparison =
  | { readonly state: 'none' | 'loading' }
  | { readonly state: 'refused'; readonly refused: Refused }
  /** The query has too many rows to compare. */
  | { readonly state: 'too_many' }
  | { readonly state: 'done'; readonly compared: Compared; readonly charged: number; readonly older: Rows }

/**
 * Compares a query's rows in an older release and in the served one.
 *
 * @param limit maximum rows per response. Null loads nothing yet
 */
export function useCompared(described: Described | null, question: Question | null, limit: number | null): Comparison {
  const needed = described && question && question.release !== null && limit !== null ? { described, question, limit } : null
  const query = needed && {
    ...queryOf(needed.question),
    // The key columns are always needed, to match rows.
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
 * Compares two answers. Returns the previous result if both answers are unchanged.
 *
 * @param isRanged true if the query has a numeric range, which can also add and remove rows
 */
function remembered(then: Rows, now: Rows, { schema }: Described, isRanged: boolean): Compared {
  if (last?.then === then && last.now === now) return last.compared
  const typeOf = (value: Row[string] | undefined) => cellText(value, 'text')
  const compared = compare(then.rows, now.rows, schema.grain, {
    added: isRanged
      ? say({ en: 'Added after that release, or in the range only now.', zh: '該版本之後才新增，或數值之後才進入範圍。' })
      : say({ en: 'Added later.', zh: '該版本之後才新增。' }),
    removed: isRanged
      ? say({ en: 'Removed after that release, or no longer in the range.', zh: '已移除，或數值已不在範圍內。' })
      : say({ en: 'Removed since.', zh: '已移除。' }),
    changed: value => say({ en: `Current value: ${typeOf(value)}.`, zh: `目前的值：${typeOf(value)}。` }),
  })
  last = { then, now, compared }
  return compared
}
