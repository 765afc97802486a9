/** Answers by name, so that parts of a page that ask the same share one. */
export interface Shared<T> {
  /**
   * The answer of that name, asked for unless it is here or on its way. Whoever takes it leaves it again: what nobody waits for any more is aborted, and
   * then rejects.
   *
   * @param make asks for it, until the signal is aborted
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
 * Keeps answers while a page is open, the latest taken of them.
 *
 * @param most answers that are kept; those taken longest ago go first
 * @param isKept false for an answer that is asked for again next time, as a refusal is
 */
export function createShared<T>(most: number, isKept: (answer: T) => boolean): Shared<T> {
  const entries = new Map<string, Entry<T>>()
  const drop = (name: string, entry: Entry<T>) => entries.get(name) === entry && entries.delete(name)
  const ask = (name: string, make: (signal: AbortSignal) => Promise<T>): Entry<T> => {
    const stop = new AbortController()
    const entry: Entry<T> = { answer: make(stop.signal), stop, users: 0, isSettled: false }
    const settled = (answer?: T) => {
      entry.isSettled = true
      if (answer === undefined || !isKept(answer)) drop(name, entry)
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
