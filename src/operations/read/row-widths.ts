import type { Dataset } from '../../../catalog/index.ts'
import { estimatedBytes, maxRows, type ReadPlan } from '../../read/index.ts'

/** Row sizes, learned from earlier answers. */
export interface RowWidths {
  /** Estimates the maximum size of an answer in bytes. */
  estimate(plan: ReadPlan): number
  learn(dataset: Dataset, rows: number, bytes: number): void
}

/**
 * Factor for datasets without an earlier answer. The estimates for such datasets are high, so only
 * one or two such reads run at the same time.
 */
const UNKNOWN_FACTOR = 8
/**
 * Smaller estimates (in bytes) are used without the factor, so that several small reads can run at
 * the same time.
 */
const SMALL_BYTES = 2 ** 19
/** Answers with fewer rows are ignored, because their metadata can be larger than the rows. */
const MIN_ROWS = 100
/** Reduces the learned size after each answer, so that old large answers lose their effect. */
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
