import type { Dataset } from '../../../catalog/index.ts'
import { estimatedBytes, maxRows, type ReadPlan } from '../../read/index.ts'

/**
 * Bytes per row of each dataset. They are learned from answers, because texts can be much longer
 * than a typical cell.
 */
export interface RowWidths {
  /** Returns the estimated maximum bytes of an answer to a read plan. */
  estimate(plan: ReadPlan): number
  /** Updates the learned bytes per row from an answer. */
  learn(dataset: Dataset, rows: number, bytes: number): void
}

/**
 * Before the first answer of a dataset, its cells are assumed to be this many times the typical
 * size. Large estimates fill the answer memory, so only one or two first answers run concurrently.
 */
const UNKNOWN_FACTOR = 8
/**
 * Before the first answer of a dataset, an estimate below this many bytes is not multiplied, so
 * that small first answers run concurrently. The plan's concurrency slots limit their number.
 */
const SMALL_BYTES = 2 ** 19
/**
 * Minimum rows of an answer from which the width of a row is learned. With fewer rows, the envelope
 * can be larger than the rows, and the width would be too high.
 */
const MIN_ROWS = 100
/**
 * Factor by which each answer reduces the learned width, so that wide rows of the past lose their
 * effect.
 */
const DECAY = 31 / 32

export function createRowWidths(): RowWidths {
  const widest = new Map<Dataset, number>()
  return {
    estimate(plan) {
      const likely = estimatedBytes(plan)
      const width = widest.get(plan.dataset)
      if (width === undefined) return likely < SMALL_BYTES ? likely : UNKNOWN_FACTOR * likely
      return Math.max(likely, Math.ceil(width * maxRows(plan)))
    },
    learn(dataset, rows, bytes) {
      if (rows >= MIN_ROWS) widest.set(dataset, Math.max(bytes / rows, DECAY * (widest.get(dataset) ?? 0)))
    },
  }
}
