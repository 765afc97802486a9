import type { Dataset } from '../../../catalog/index.ts'
import { estimatedBytes, maxRows, type ReadPlan } from '../../read/index.ts'

/** Bytes per row of each dataset, learned from answers. */
export interface RowWidths {
  /** Estimates the maximum size of an answer in bytes. */
  estimate(plan: ReadPlan): number
  learn(dataset: Dataset, rows: number, bytes: number): void
}

/**
 * Factor for datasets without an answer so far. High estimates limit such reads to one or two at
 * the same time.
 */
const UNKNOWN_FACTOR = 8
/**
 * Smaller estimates (in bytes) are never increased, so that several small reads can run
 * concurrently.
 */
const SMALL_BYTES = 2 ** 19
/** Smaller answers are ignored, because their metadata can be larger than the rows. */
const MIN_ROWS = 100
/** Applied per answer, so that the effect of old answers decreases. */
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
