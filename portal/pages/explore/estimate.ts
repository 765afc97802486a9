import { useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DryRun } from '../../../clients/typescript/src/index.ts'
import type { Asked } from '../../api/use.ts'
import { useAnswer } from '../../api/use.ts'
import { type Described, pathOf, type Question, queryOf } from './question.ts'

/** Rows of the longest answer there is. */
export const MOST_ROWS = 100_000

/** What a question would come to as one answer, asked for once it has not changed for a moment. @param format of the answer */
export function useEstimate(described: Described | null, question: Question | null, format: string): Asked<DryRun> {
  const settled = useSettled(question)
  const request =
    described && settled
      ? { path: pathOf(described, settled), query: { ...queryOf(settled), limit: MOST_ROWS, format, dry_run: true } }
      : null
  return useAnswer<DryRun>(request).value
}

/** Most rows of an answer, as the last estimate said; null before the first. A form half filled in has none, and what is shown stays as it is. */
export function useRowLimit(estimate: DryRun | null): number | null {
  const known = useRef<number | null>(null)
  known.current = estimate?.row_limit ?? known.current
  return known.current
}

const PAUSE_MS = 250

/** A value once it has stayed the same for a moment; the first one at once. */
function useSettled<T>(value: T): T {
  const [settled, settle] = useState(value)
  const isFirst = useSignal(true)
  useEffect(() => {
    if (isFirst.peek()) {
      isFirst.value = value === null
      settle(() => value)
      return
    }
    const timer = setTimeout(() => settle(() => value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
