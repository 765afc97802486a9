import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/** Steps below the priority of the thread that runs JavaScript. */
const BELOW = 10

/**
 * Lets the thread that runs JavaScript go before those that statements run on, where processor time is short: whoever is answered from
 * memory, or refused, does not wait for the engine's work. On Linux alone, and once a statement has run: elsewhere all threads stay equal.
 */
export function yieldToCallers(): void {
  const threads = '/proc/self/task'
  try {
    const below = Math.min(getPriority() + BELOW, constants.priority.PRIORITY_LOW)
    for (const thread of readdirSync(threads)) {
      if (readFileSync(`${threads}/${thread}/comm`, 'latin1').startsWith('libuv-worker')) setPriority(Number(thread), below)
    }
  } catch {
    // Another system, or one that forbids it.
  }
}
