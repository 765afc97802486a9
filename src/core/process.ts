import { totalmem } from 'node:os'

/**
 * Bytes of memory available to the process: the container's limit, or the machine's memory if that
 * is smaller.
 */
export function machineMemory(): number {
  // constrainedMemory() is 0 without a limit, and in a container without a limit it is larger than
  // the machine's memory.
  return Math.min(process.constrainedMemory() || totalmem(), totalmem())
}

/** True if another process with this pid is running. False for our own pid. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** State of a child process that the service supervises. */
export interface WorkerState {
  /** Command of the process, for example `watch`. */
  readonly name: string
  readonly running: boolean
  /** Start of the current or most recent process. */
  readonly startedAt: Date
  /** Number of restarts. */
  readonly restarts: number
  /** Most recent unexpected exit or reported failure. Null if there was none. */
  readonly lastFailure: { readonly at: Date; readonly message: string } | null
}
