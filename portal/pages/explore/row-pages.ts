import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Refused, type Row, type Rows, rowsOf } from '../../api/client.ts'
import { readAsVisitorFirst } from '../../api/visitor-first.ts'
import { type Described, pathOf, type Question, queryOf } from './question.ts'

/** Rows per page. Fewer if the plan does not allow as many. */
const PAGE = 1_000
/** Milliseconds between checks of the visible rows. */
const PAUSE_MS = 120
/** Number of rows. If the user scrolls further between two checks, nothing is loaded yet. */
const FAR = 300
/** Number of rows to load before and after the visible rows. */
const AHEAD = 150

export interface Paged {
  readonly state: 'idle' | 'loading' | 'done' | 'refused'
  /** Rows by index. Undefined if not loaded. */
  readonly rows: readonly (Row | undefined)[]
  /** Total number of rows. If unknown, a lower bound. */
  readonly count: number
  /** Answer of the first page, with release, freshness and gaps. */
  readonly first: Rows | null
  readonly refused: Refused | null
  readonly reads: number
  readonly charged: number
  readonly remaining: number | null
}

const NONE: Paged = { state: 'idle', rows: [], count: 0, first: null, refused: null, reads: 0, charged: 0, remaining: null }

/**
 * Loads a query page by page, as rows become visible. All pages come from one release.
 *
 * @param limit maximum rows per response. Null loads nothing yet
 * @param total number of rows, if known
 */
export function useRowPages(
  described: Described | null,
  question: Question | null,
  limit: number | null,
  total: number | null,
): { readonly paged: Signal<Paged>; readonly view: (first: number, last: number) => void } {
  const paged = useSignal<Paged>(NONE)
  const requested = useRef(new Set<number>())
  const stop = useRef(new AbortController())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const seen = useRef({ first: 0, last: 0 })
  const latest = useRef<(before: number) => void>(() => {})
  const size = limit === null ? null : Math.min(PAGE, limit)

  const read = async (page: number) => {
    if (!described || !question || size === null || requested.current.has(page)) return
    requested.current.add(page)
    const { signal } = stop.current
    const release = question.release ?? paged.peek().first?.release ?? null
    const query = { ...queryOf(question), limit: size, offset: page * size, release }
    paged.value = { ...paged.peek(), state: 'loading', refused: null }
    try {
      const answer = await readAsVisitorFirst({ path: pathOf(described, question), query }, signal)
      const before = paged.peek()
      if (!answer.ok) {
        requested.current.delete(page)
        paged.value = { ...before, state: 'refused', refused: answer.refused }
        return
      }
      const found = rowsOf(answer)
      const rows = before.rows.slice()
      found.rows.forEach((row, place) => {
        rows[page * size + place] = row
      })
      const seen = page * size + found.rows.length
      const count = total ?? (found.next ? Math.max(before.count, seen + size) : seen)
      const remaining = answer.headers.get('x-credits-remaining')
      paged.value = {
        state: 'done',
        rows,
        count: Math.max(found.next ? count : 0, seen),
        first: before.first ?? found,
        refused: null,
        reads: before.reads + 1,
        charged: before.charged + (found.charged ?? 0),
        remaining: remaining === null ? null : Number(remaining),
      }
    } catch {
      // Another query aborted this load.
    }
  }

  useEffect(() => {
    stop.current = new AbortController()
    requested.current = new Set()
    paged.value = question ? { ...NONE, state: 'loading' } : NONE
    if (question && size !== null) void read(0)
    return () => {
      // The scheduled load belongs to this query, not to the next one.
      clearTimeout(timer.current)
      timer.current = undefined
      stop.current.abort()
    }
  }, [described, question, size])

  useEffect(() => {
    const { first, count } = paged.peek()
    if (first && total !== null && count < total && first.next) paged.value = { ...paged.peek(), count: total }
  }, [total, paged.value.first])

  const view = (first: number, last: number) => {
    seen.current = { first, last }
    if (timer.current === undefined) timer.current = setTimeout((before: number) => latest.current(before), PAUSE_MS, first)
  }
  /**
   * Loads the visible rows, and some before and after them. Waits while the user scrolls fast.
   *
   * @param before first visible row at the previous check
   */
  const follow = (before: number) => {
    timer.current = undefined
    const { first, last } = seen.current
    if (size === null || paged.peek().first === null) return
    if (Math.abs(first - before) > FAR) {
      timer.current = setTimeout((before: number) => latest.current(before), PAUSE_MS, first)
      return
    }
    const end = Math.min(last + AHEAD, paged.peek().count - 1)
    for (let page = Math.floor(first / size); page <= Math.floor(end / size); page++) void read(page)
  }
  latest.current = follow
  return { paged, view }
}
