import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Refused, type Row, type Rows, rowsOf } from '../../api/client.ts'
import { look } from '../../api/look.ts'
import { type Described, pathOf, type Question, queryOf } from './question.ts'

/** Rows of a page, where the plan's answers have as many. */
const PAGE = 1_000
/** Milliseconds between two looks at which rows are in view. */
const PAUSE_MS = 120
/** Rows by which a view moves between two looks where somebody passes by instead of reading. */
const FAR = 300
/** Rows beyond the view that are asked for before they come into it. */
const AHEAD = 150

/** Rows of a question as far as they have been looked at. */
export interface Paged {
  readonly state: 'idle' | 'loading' | 'done' | 'refused'
  /** By place; those of pages not asked for are left out. */
  readonly rows: readonly (Row | undefined)[]
  /** Rows in all; as far as is known where that is not told. */
  readonly count: number
  /** Answer of the first page: release, freshness and gaps. */
  readonly first: Rows | null
  readonly refused: Refused | null
  readonly reads: number
  /** Credits of all pages so far. */
  readonly charged: number
  readonly remaining: number | null
}

const NONE: Paged = { state: 'idle', rows: [], count: 0, first: null, refused: null, reads: 0, charged: 0, remaining: null }

/**
 * Reads a question page by page, as places come into view. All pages are of the release that the first one came from.
 *
 * @param limit most rows of an answer; nothing is read before it is known
 * @param total rows in all, where they are known beforehand
 */
export function useRowPages(
  described: Described | null,
  question: Question | null,
  limit: number | null,
  total: number | null,
): { readonly paged: Signal<Paged>; readonly view: (first: number, last: number) => void } {
  const paged = useSignal<Paged>(NONE)
  const asked = useRef(new Set<number>())
  const stop = useRef(new AbortController())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const seen = useRef({ first: 0, last: 0 })
  const latest = useRef<(before: number) => void>(() => {})
  const size = limit === null ? null : Math.min(PAGE, limit)

  const read = async (page: number) => {
    if (!described || !question || size === null || asked.current.has(page)) return
    asked.current.add(page)
    const { signal } = stop.current
    const release = question.release ?? paged.peek().first?.release ?? null
    const query = { ...queryOf(question), limit: size, offset: page * size, release }
    paged.value = { ...paged.peek(), state: 'loading', refused: null }
    try {
      const answer = await look({ path: pathOf(described, question), query }, signal)
      const before = paged.peek()
      if (!answer.ok) {
        asked.current.delete(page)
        paged.value = { ...before, state: 'refused', refused: answer.refused }
        return
      }
      const found = rowsOf(answer)
      const rows = before.rows.slice()
      found.rows.forEach((row, place) => {
        rows[page * size + place] = row
      })
      const seen = page * size + found.rows.length
      const known = total ?? (found.next ? Math.max(before.count, seen + size) : seen)
      const remaining = answer.headers.get('x-credits-remaining')
      paged.value = {
        state: 'done',
        rows,
        count: Math.max(found.next ? known : 0, seen),
        first: before.first ?? found,
        refused: null,
        reads: before.reads + 1,
        charged: before.charged + (found.charged ?? 0),
        remaining: remaining === null ? null : Number(remaining),
      }
    } catch {
      // Aborted: another question took its place.
    }
  }

  useEffect(() => {
    stop.current = new AbortController()
    asked.current = new Set()
    paged.value = question ? { ...NONE, state: 'loading' } : NONE
    if (question && size !== null) void read(0)
    return () => {
      // What was about to be read belongs to this question: under the next one it would be another's rows.
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
  /** Reads what is in view and a little beyond, unless a scroll bar is dragged past it. @param before the first place in view a moment ago */
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
