import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/** Niceness of the threads that run statements, relative to the JavaScript thread. */
const NICENESS = 10

/**
 * Lowers the priority of the threads that run statements. If the processor is busy, responses from
 * memory and refusals then do not wait for the engine. Works only on Linux, and only after a
 * statement has started the threads.
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
