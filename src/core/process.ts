import { totalmem } from 'node:os'

/**
 * Returns the bytes of memory available to the process: the smaller of the container's limit and
 * the machine's memory.
 */
export function machineMemory(): number {
  // constrainedMemory() is 0 without a limit. In a container without a limit, it is larger than the
  // machine's memory.
  return Math.min(process.constrainedMemory() || totalmem(), totalmem())
}

/** True if another process with this pid is running. False for the pid of this process. */
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
  /** Start of the running process. If no process runs, start of the previous one. */
  readonly startedAt: Date
  readonly restarts: number
  /** Latest unexpected exit or reported failure. Null if there was none. */
  readonly lastFailure: { readonly at: Date; readonly message: string } | null
}
