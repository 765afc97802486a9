import { FIELDS, type Field } from './field.ts'

/** What the words of one query found: each thing once, of its summed weight and the most telling field. Weights compare within one query. */
export interface Found {
  readonly size: number
  note(of: number, weight: number, field: number): void
  /** Hands over every thing, its weight as a share of the greatest. */
  each(take: (of: number, share: number, field: Field) => void): void
}

/** @param things how many there are in the index */
export function openFound(things: number): Found {
  const weights = new Float64Array(things)
  const fields = new Uint8Array(things).fill(FIELDS.length - 1)
  let size = 0
  return {
    get size() {
      return size
    },
    note(of, weight, field) {
      if (weights[of] === 0) size++
      weights[of]! += weight
      if (field < fields[of]!) fields[of] = field
    },
    each(take) {
      if (size === 0) return
      const best = weights.reduce((most, weight) => Math.max(most, weight), Number.MIN_VALUE)
      for (let of = 0; of < things; of++) if (weights[of]! > 0) take(of, weights[of]! / best, FIELDS[fields[of]!]!)
    },
  }
}
