import type { Industry, Tile } from './tiles.ts'

export interface Rect {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/**
 * Divides a rectangle in proportion to values. The parts are as square as possible (Bruls, Huizing,
 * van Wijk: Squarified Treemaps, 2000).
 *
 * @param values positive, in descending order
 * @returns the rectangles in the order of the values
 */
export function squarified(values: readonly number[], { left, top, width, height }: Rect): readonly Rect[] {
  const total = values.reduce((sum, value) => sum + value, 0)
  const scale = total === 0 ? 0 : (width * height) / total
  const rects: Rect[] = []
  let [x, y, free, across] = [left, top, width, height]
  let row: number[] = []
  const place = () => {
    const area = row.reduce((sum, value) => sum + value, 0)
    const isColumn = free >= across
    const thickness = area / Math.max(isColumn ? across : free, Number.EPSILON)
    let offset = 0
    for (const value of row) {
      const length = value / Math.max(thickness, Number.EPSILON)
      rects.push(
        isColumn
          ? { left: x, top: y + offset, width: thickness, height: length }
          : { left: x + offset, top: y, width: length, height: thickness },
      )
      offset += length
    }
    if (isColumn) [x, free] = [x + thickness, free - thickness]
    else [y, across] = [y + thickness, across - thickness]
    row = []
  }
  for (const value of values) {
    const area = value * scale
    const side = Math.min(free, across)
    if (row.length > 0 && worst([...row, area], side) > worst(row, side)) place()
    row.push(area)
  }
  if (row.length > 0) place()
  return rects
}

/** Returns the largest ratio between the sides of a rectangle in a row. */
function worst(areas: readonly number[], side: number): number {
  const sum = areas.reduce((total, area) => total + area, 0)
  const [most, least] = [Math.max(...areas), Math.min(...areas)]
  return Math.max((side * side * most) / (sum * sum), (sum * sum) / (side * side * least))
}

/** A security on the map. Null `tile`: all small securities of an industry together. */
export interface PlacedTile extends Rect {
  readonly tile: Tile | null
  /** Number of securities that the tile represents. */
  readonly count: number
}

export interface PlacedIndustry extends Rect {
  readonly industry: Industry
  readonly tiles: readonly PlacedTile[]
}

export const HEAD = 24
/** Minimum area of a tile in square pixels, large enough for a finger. */
const LEAST_AREA = 1_800
/** Minimum area of an industry in square pixels. */
const LEAST_INDUSTRY = 6_500

/** Returns the positions of industries and securities, in pixels. */
export function placed(industries: readonly Industry[], width: number, height: number): readonly PlacedIndustry[] {
  const grouped = withoutSmall(industries, width * height)
  const rects = squarified(
    grouped.map(({ size }) => size),
    { left: 0, top: 0, width, height },
  )
  return grouped.map((industry, index) => {
    const rect = rects[index]!
    const inner = { left: 0, top: HEAD, width: rect.width, height: Math.max(0, rect.height - HEAD) }
    return { ...rect, industry, tiles: tilesIn(industry, inner) }
  })
}

const sizeOf = (items: readonly { readonly size: number }[]): number => items.reduce((sum, { size }) => sum + size, 0)

/** Combines small groups into one at the end. A single small group remains. */
function withoutSmall(industries: readonly Industry[], area: number): readonly Industry[] {
  const sorted = [...industries].sort((a, b) => b.size - a.size)
  const total = sizeOf(sorted)
  const isLarge = ({ size }: Industry) => (size / total) * area >= LEAST_INDUSTRY
  const [large, small] = [sorted.filter(isLarge), sorted.filter(industry => !isLarge(industry))]
  if (sizeOf(small) === 0) return large
  if (small.length === 1) return sorted
  const tiles = small.flatMap(industry => industry.tiles).sort((a, b) => b.size - a.size)
  return [...large, { kind: 'small', name: null, size: sizeOf(small), change: null, tiles }]
}

function tilesIn({ tiles, size }: Industry, rect: Rect): readonly PlacedTile[] {
  const area = rect.width * rect.height
  const isLarge = (tile: Tile) => size > 0 && (tile.size / size) * area >= LEAST_AREA
  const [large, small] = [tiles.filter(isLarge), tiles.filter(tile => !isLarge(tile) && tile.size > 0)]
  // The combined securities share one tile, which shows their number.
  const rest = small.length === 0 ? 0 : Math.max(sizeOf(small), (size * LEAST_AREA) / Math.max(area, 1))
  const items = [
    ...large.map(tile => ({ tile, size: tile.size, count: 1 })),
    ...(rest > 0 ? [{ tile: null, size: rest, count: small.length }] : []),
  ]
  const sorted = items.sort((a, b) => b.size - a.size)
  const rects = squarified(
    sorted.map(item => item.size),
    rect,
  )
  return sorted.map(({ tile, count }, index) => ({ ...rects[index]!, tile, count }))
}
