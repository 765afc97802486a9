/** A generator of pseudorandom numbers from 0 to 1. A seed gives the same numbers in every run. */
export function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Returns a function that picks random elements of lists. */
export const picker =
  (chance: () => number) =>
  <T>(values: readonly T[]): T =>
    values[Math.floor(chance() * values.length)]!
