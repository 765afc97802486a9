import { Refusal } from '../core/index.ts'

/** Lets so many of one name run at once; the rest wait their turn. */
export interface KeyedSemaphore {
  /**
   * Resolves with a function that ends the turn.
   *
   * @throws Refusal concurrency_limited when the line is full or the wait too long
   */
  acquire(name: string, atOnce: number): Promise<() => void>
}

interface Line {
  /** As the latest to come in was allowed: a plan may have changed since the line formed. */
  atOnce: number
  running: number
  readonly waiting: (() => void)[]
}

/** @param mostWaiting how many of one name may stand in line; a burst is served in turn rather than refused */
export function createKeyedSemaphore(mostWaiting = 64, waitMs = 10_000): KeyedSemaphore {
  const lines = new Map<string, Line>()
  const leave = (name: string, line: Line): void => {
    const next = line.running <= line.atOnce ? line.waiting.shift() : undefined
    if (next) return next()
    if (--line.running === 0) lines.delete(name)
  }
  return {
    async acquire(name, atOnce) {
      const line = lines.get(name) ?? { atOnce, running: 0, waiting: [] }
      lines.set(name, line)
      line.atOnce = atOnce
      if (line.running < atOnce) line.running++
      else await turn(line, mostWaiting, waitMs, atOnce)
      let inside = true
      return () => {
        if (inside) leave(name, line)
        inside = false
      }
    },
  }
}

function turn(line: Line, mostWaiting: number, waitMs: number, atOnce: number): Promise<void> {
  const refusal = (): Refusal => new Refusal('concurrency_limited', { retry_after: 1, allowed_at_once: atOnce })
  if (line.waiting.length >= mostWaiting) throw refusal()
  return new Promise((resolve, reject) => {
    const go = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      line.waiting.splice(line.waiting.indexOf(go), 1)
      reject(refusal())
    }, waitMs)
    line.waiting.push(go)
  })
}
