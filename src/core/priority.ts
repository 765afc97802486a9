import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const NICENESS = 10
const THREADS = '/proc/self/task'

/**
 * Lowers the priority of engine threads on Linux. Call after the first statement, which starts the
 * threads.
 */
export const yieldToCallers = (): void =>
  lowerPriority(thread => readFileSync(`${THREADS}/${thread}/comm`, 'latin1').startsWith('libuv-worker'))

/**
 * Lowers the priority of this process on Linux, so that it does not delay reads of a service on the
 * same machine. Threads that start later have the same priority.
 */
export const yieldToService = (): void => lowerPriority(() => true)

function lowerPriority(isMeant: (thread: string) => boolean): void {
  try {
    const lowered = Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW)
    for (const thread of readdirSync(THREADS)) if (isMeant(thread)) setPriority(Number(thread), lowered)
  } catch {
    // The system is not Linux, or the process may not change priorities.
  }
}
