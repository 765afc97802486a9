import { useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DryRun } from '../../../clients/typescript/src/index.ts'
import type { Loaded } from '../../api/use.ts'
import { useAnswer } from '../../api/use.ts'
import { type Described, pathOf, type Question, queryOf } from './question.ts'

/** Maximum rows of any plan in one response. */
export const MOST_ROWS = 100_000

/**
 * Estimates the size of the complete answer. Waits for a pause in typing.
 *
 * @param format format of the answer
 */
export function useEstimate(described: Described | null, question: Question | null, format: string): Loaded<DryRun> {
  const settled = useSettled(question)
  const request =
    described && settled
      ? { path: pathOf(described, settled), query: { ...queryOf(settled), limit: MOST_ROWS, format, dry_run: true } }
      : null
  return useAnswer<DryRun>(request).value
}

/**
 * Returns the maximum number of rows in a response. Null before the first estimate. An incomplete
 * form has no estimate, so the previous limit is returned.
 */
export function useRowLimit(estimate: DryRun | null): number | null {
  const limit = useRef<number | null>(null)
  limit.current = estimate?.row_limit ?? limit.current
  return limit.current
}

const PAUSE_MS = 250

/** Returns a value after it has not changed for a moment. Returns the first value immediately. */
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
