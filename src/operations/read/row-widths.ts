import type { Dataset } from '../../../catalog/index.ts'
import { estimatedBytes, maxRows, type ReadPlan } from '../../read/index.ts'

/**
 * Bytes per row of each dataset, learned from answers because texts can be much longer than a
 * typical cell.
 */
export interface RowWidths {
  /** Estimated maximum bytes of a plan's answer. */
  estimate(plan: ReadPlan): number
  estimate(plan: ReadPlan): number
  /** Learns from an answer. */
  learn(dataset: Dataset, rows: number, bytes: number): void
}

/**
 * Until a dataset was answered once, its cells are assumed to be this many times the typical size.
 * This limits concurrent first answers to one or two.
 */
const UNKNOWN_FACTOR = 8
/** Smaller answers use the typical size; the plan's slots bound how many there are. */
const SMALL_BYTES = 2 ** 19
/** In answers with fewer rows the envelope can be the larger part. */
const MIN_ROWS = 100
/** Decay per answer, so that old wide rows lose their effect. */
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
