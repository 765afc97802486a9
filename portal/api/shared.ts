/** Cache of answers. Components with the same request share one answer. */
export interface Shared<T> {
  /**
   * Returns a cached answer, or requests one. Each caller must call `leave` later. When no caller
   * is left, the request is aborted and the answer rejects.
   *
   * @param make requests the answer. The signal aborts the request
   */
  take(name: string, make: (signal: AbortSignal) => Promise<T>): Taken<T>
  clear(): void
}

export interface Taken<T> {
  readonly answer: Promise<T>
  readonly leave: () => void
}

interface Entry<T> {
  readonly answer: Promise<T>
  readonly stop: AbortController
  users: number
  isSettled: boolean
}

/**
 * Evicts the least recently used answers.
 *
 * @param most maximum number of cached answers
 * @param isCacheable false if the next caller must request the answer again
 */
export function createShared<T>(most: number, isCacheable: (answer: T) => boolean): Shared<T> {
  const entries = new Map<string, Entry<T>>()
  const drop = (name: string, entry: Entry<T>) => entries.get(name) === entry && entries.delete(name)
  const ask = (name: string, make: (signal: AbortSignal) => Promise<T>): Entry<T> => {
    const stop = new AbortController()
    const entry: Entry<T> = { answer: make(stop.signal), stop, users: 0, isSettled: false }
    const settled = (answer?: T) => {
      entry.isSettled = true
      if (answer === undefined || !isCacheable(answer)) drop(name, entry)
    }
    entry.answer.then(settled, () => settled())
    return entry
  }
  return {
    take(name, make) {
      const entry = entries.get(name) ?? ask(name, make)
      entries.delete(name)
      entries.set(name, entry)
      entry.users += 1
      for (const [old, { isSettled }] of entries) {
        if (entries.size <= most) break
        if (isSettled) entries.delete(old)
      }
      let isTaken = true
      const leave = () => {
        if (!isTaken) return
        isTaken = false
        entry.users -= 1
        if (entry.users > 0 || entry.isSettled) return
        drop(name, entry)
        entry.stop.abort()
      }
      return { answer: entry.answer, leave }
    },
    clear: () => entries.clear(),
  }
}
