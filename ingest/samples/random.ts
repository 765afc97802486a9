/** Length in days and amplitude. Longer waves are larger, as in prices. */
const WAVES = [
  [256, 0.24],
  [64, 0.12],
  [16, 0.06],
  [4, 0.03],
  [1, 0.015],
] as const

/**
 * Returns pseudorandom numbers in [0, 1). A seed gives the same sequence on every machine.
 *
 * @param seed any text, for example a ticker and a day
 */
export function random(seed: string): () => number {
  let state = hash(seed)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    return scramble(state)
  }
}

/** Returns the value of a smooth path on a day, within ±0.465. Depends only on seed and day. */
export const wander = (seed: string, day: number): number => pathOf(seed)(day)

/** Returns the path as a function, which is cheaper than `wander` for many days. */
export function pathOf(seed: string): (day: number) => number {
  const start = hash(seed)
  return day => {
    let sum = 0
    for (let wave = 0; wave < WAVES.length; wave++) sum += WAVES[wave]![1] * between(start + wave * 7_919, day / WAVES[wave]![0])
    return sum
  }
}

function between(seed: number, position: number): number {
  const point = Math.floor(position)
  const gone = position - point
  const from = scramble(seed + Math.imul(point, 0x6d2b79f5))
  const to = scramble(seed + Math.imul(point + 1, 0x6d2b79f5))
  return 2 * (from + (to - from) * gone * gone * (3 - 2 * gone)) - 1
}

function scramble(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 15), state | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

/** 32-bit FNV-1a of UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value
}
