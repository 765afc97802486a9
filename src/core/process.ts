import { totalmem } from 'node:os'

/** Returns bytes: the container's limit or the machine's memory, whichever is smaller. */
export function machineMemory(): number {
  // constrainedMemory() is 0 if no limit is set. Containers without a limit report more than the
  // machine has.
  return Math.min(process.constrainedMemory() || totalmem(), totalmem())
}

/** False for the pid of this process. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** State of a child process of the service. */
export interface WorkerState {
  /** Command, for example `watch`. */
  readonly name: string
  readonly running: boolean
  /** Start of the running process, or of the previous process if none runs. */
  readonly startedAt: Date
  readonly restarts: number
  /** Latest unexpected exit or reported failure. */
  readonly lastFailure: { readonly at: Date; readonly message: string } | null
}
