import type { Dataset } from '../../../catalog/index.ts'
import { estimatedBytes, maxRows, type ReadPlan } from '../../read/index.ts'

/** What rows of each dataset take of memory, learnt from answers: texts may be far longer than a typical cell. */
export interface RowWidths {
  /** Bytes that the answer of a plan may take at most until it has left, about. */
  foresee(plan: ReadPlan): number
  /** Tells how many bytes the rows of an answer took. */
  learn(dataset: Dataset, rows: number, bytes: number): void
}

/** How much larger than typical cells rows may be of which nothing is known: no more than one answer of them or two begin before the first is known. */
const UNKNOWN = 8
/** Answers of fewer bytes than these are taken to be as long as typical cells: how many of an account are made at a time is bounded by its plan. */
const LEAST_UNKNOWN = 2 ** 19
/** Of fewer rows the envelope may be the larger part. */
const LEAST_ROWS = 100
/** A narrower answer takes off so much of what is known: the widest row of long ago is forgotten. */
const FADING = 31 / 32

export function createRowWidths(): RowWidths {
  const widest = new Map<Dataset, number>()
  return {
    foresee(plan) {
      const [likely, width] = [estimatedBytes(plan), widest.get(plan.dataset)]
      if (width === undefined) return likely < LEAST_UNKNOWN ? likely : UNKNOWN * likely
      return Math.max(likely, Math.ceil(width * maxRows(plan)))
    },
    learn(dataset, rows, bytes) {
      if (rows >= LEAST_ROWS) widest.set(dataset, Math.max(bytes / rows, FADING * (widest.get(dataset) ?? 0)))
    },
  }
}
