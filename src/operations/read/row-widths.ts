import type { Dataset } from '../../../catalog/index.ts'
import { estimatedBytes, maxRows, type ReadPlan } from '../../read/index.ts'

/**
 * Row size of each dataset, in bytes. The size is learned from answers, because texts can be much
 * longer than a typical cell.
 */
export interface RowWidths {
  /** Estimates the maximum size of the answer to a read plan, in bytes. */
  estimate(plan: ReadPlan): number
  learn(dataset: Dataset, rows: number, bytes: number): void
}

/**
 * Until a dataset has its first answer, its cells are assumed to be this many times larger than
 * typical cells. Such large estimates use up the memory for answers, so only one or two of these
 * reads run concurrently.
 */
const UNKNOWN_FACTOR = 8
/**
 * Until a dataset has its first answer, estimates below this size are not increased. So several
 * small reads can run concurrently. The plan's concurrency slots limit their number.
 */
const SMALL_BYTES = 2 ** 19
/**
 * Minimum number of rows from which a row size is learned. In smaller answers, the envelope (the
 * metadata around the rows) can be larger than the rows, so the computed size would be too high.
 */
const MIN_ROWS = 100
/**
 * Each answer multiplies the learned size by this factor. So earlier answers with large rows lose
 * their effect.
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
