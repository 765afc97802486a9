/** Credits by name, kept in memory. A name whose credits come to nothing is forgotten. */
export function createCounter() {
  const sums = new Map<string, number>()
  return {
    of: (name: string): number => sums.get(name) ?? 0,
    /** @param credits below zero takes them away again */
    add(name: string, credits: number): void {
      const sum = (sums.get(name) ?? 0) + credits
      if (sum === 0) sums.delete(name)
      else sums.set(name, sum)
    },
  }
}
