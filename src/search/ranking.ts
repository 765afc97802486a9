import { FOUND_TYPES, type FoundType } from '../../catalog/index.ts'
import type { SearchEntity } from './entity.ts'

/** Most important field first. */
export const FIELDS = ['code', 'name', 'description'] as const
export type Field = (typeof FIELDS)[number]

export const WEIGHTS: Readonly<Record<Field, number>> = { code: 4, name: 3, description: 1 }

export interface WordHits {
  readonly size: number
  add(ordinal: number, weight: number, field: number): void
  visit(visitor: (ordinal: number, share: number, field: Field) => void): void
}

export function createWordHits(entities: number): WordHits {
  const weights = new Float64Array(entities)
  const fields = new Uint8Array(entities).fill(FIELDS.length - 1)
  let size = 0
  return {
    get size() {
      return size
    },
    add(ordinal, weight, field) {
      if (weights[ordinal] === 0) size++
      weights[ordinal]! += weight
      if (field < fields[ordinal]!) fields[ordinal] = field
    },
    visit(visitor) {
      if (size === 0) return
      const best = weights.reduce((max, weight) => Math.max(max, weight), Number.MIN_VALUE)
      for (let ordinal = 0; ordinal < entities; ordinal++)
        if (weights[ordinal]! > 0) visitor(ordinal, weights[ordinal]! / best, FIELDS[fields[ordinal]!]!)
    },
  }
}

export interface Hit {
  readonly entity: SearchEntity
  /** From 0 to 1, in steps of 0.0001. */
  readonly score: number
  readonly matchedOn: Field
}

export interface Ranking {
  readonly facets: Readonly<Record<FoundType, number>>
  page(type: FoundType | 'all', offset: number, limit: number): readonly Hit[]
}

const STEPS = 10_000
const MOST_ENTITIES = 2 ** 24

/** Collects scores from 1 to 10,000. Only the best score of an entity counts. */
export function createScoreboard(entities: readonly SearchEntity[]) {
  const scores = new Uint16Array(entities.length)
  const fields = new Uint8Array(entities.length)
  let hits = 0
  return {
    get isEmpty(): boolean {
      return hits === 0
    },
    add(ordinal: number, score: number, field: Field): void {
      if (score <= scores[ordinal]!) return
      if (scores[ordinal] === 0) hits++
      scores[ordinal] = score
      fields[ordinal] = FIELDS.indexOf(field)
    },
    /** Sorts by score, then type, then id. */
    rank(): Ranking {
      const order = new Float64Array(hits)
      const facets = Object.fromEntries(FOUND_TYPES.map(type => [type, 0])) as Record<FoundType, number>
      for (let ordinal = 0, rank = 0; rank < hits; ordinal++) {
        if (scores[ordinal] === 0) continue
        order[rank++] = (STEPS - scores[ordinal]!) * MOST_ENTITIES + ordinal
        facets[entities[ordinal]!.type]++
      }
      order.sort()
      const hitOf = (ordinal: number): Hit => ({
        entity: entities[ordinal]!,
        score: scores[ordinal]! / STEPS,
        matchedOn: FIELDS[fields[ordinal]!]!,
      })
      return { facets, page: (type, offset, limit) => pageOf(order, entities, type, offset, limit).map(hitOf) }
    },
  }
}

function pageOf(order: Float64Array, entities: readonly SearchEntity[], type: FoundType | 'all', offset: number, limit: number): number[] {
  const page: number[] = []
  let skip = type === 'all' ? 0 : offset
  for (let rank = type === 'all' ? offset : 0; rank < order.length && page.length < limit; rank++) {
    const ordinal = order[rank]! % MOST_ENTITIES
    if (type !== 'all' && (entities[ordinal]!.type !== type || skip-- > 0)) continue
    page.push(ordinal)
  }
  return page
}
