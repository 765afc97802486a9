import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const NICENESS = 10

/**
 * Lowers the priority of engine threads on Linux. Call after the first statement, which starts the
 * threads.
 */
export function yieldToCallers(): void {
  const threads = '/proc/self/task'
  try {
    const lowered = Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW)
    for (const thread of readdirSync(threads)) {
      if (readFileSync(`${threads}/${thread}/comm`, 'latin1').startsWith('libuv-worker')) setPriority(Number(thread), lowered)
    }
  } catch {
    // The system is not Linux, or the process may not change priorities.
  }
}
