import { FOUND_TYPES, type FoundType } from '../../catalog/index.ts'
import type { Entity } from './entity.ts'
import { FIELDS, type Field } from './field.ts'

export interface Hit {
  readonly entity: Entity
  /** 0 to 1, in steps of 0.0001. */
  readonly score: number
  readonly matchedOn: Field
}

/** Everything one query found, in order. */
export interface Ranking {
  /** Hits of each type. */
  readonly facets: Readonly<Record<FoundType, number>>
  /** Hits of one type, or of all, from the best on. */
  page(type: FoundType | 'all', offset: number, limit: number): readonly Hit[]
}

/** Scores are whole numbers here, so that equal ones are equal. */
const STEPS = 10_000
/** More things than an index holds. */
const PLACES = 2 ** 24

/** Collects hits by the number of the thing; of several scores of one thing the best counts. Scores are at least 1. */
export function openTally(entities: readonly Entity[]) {
  const scores = new Uint16Array(entities.length)
  const fields = new Uint8Array(entities.length)
  let found = 0
  return {
    get isEmpty(): boolean {
      return found === 0
    },
    note(of: number, score: number, field: Field): void {
      if (score <= scores[of]!) return
      if (scores[of] === 0) found++
      scores[of] = score
      fields[of] = FIELDS.indexOf(field)
    },
    /** The order is total: score, then type, then id, which is how things are numbered. */
    rank(): Ranking {
      const order = new Float64Array(found)
      const facets = Object.fromEntries(FOUND_TYPES.map(type => [type, 0])) as Record<FoundType, number>
      for (let of = 0, at = 0; at < found; of++) {
        if (scores[of] === 0) continue
        order[at++] = (STEPS - scores[of]!) * PLACES + of
        facets[entities[of]!.type]++
      }
      order.sort()
      const hitOf = (of: number): Hit => ({ entity: entities[of]!, score: scores[of]! / STEPS, matchedOn: FIELDS[fields[of]!]! })
      return { facets, page: (type, offset, limit) => pageOf(order, entities, type, offset, limit).map(hitOf) }
    },
  }
}

/** Numbers of the things on one page. */
function pageOf(order: Float64Array, entities: readonly Entity[], type: FoundType | 'all', offset: number, limit: number): number[] {
  const page: number[] = []
  let skip = type === 'all' ? 0 : offset
  for (let at = type === 'all' ? offset : 0; at < order.length && page.length < limit; at++) {
    const of = order[at]! % PLACES
    if (type !== 'all' && (entities[of]!.type !== type || skip-- > 0)) continue
    page.push(of)
  }
  return page
}
