import { totalmem } from 'node:os'

/** Returns the container's memory limit or the machine's memory in bytes, whichever is smaller. */
export function machineMemory(): number {
  // constrainedMemory() is 0 without a limit. In a container, the value can exceed the machine's
  // memory.
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

export interface WorkerState {
  /** Command, for example `watch`. */
  readonly name: string
  readonly running: boolean
  /** Start of the running process. If none runs, start of the previous process. */
  readonly startedAt: Date
  readonly restarts: number
  readonly lastFailure: { readonly at: Date; readonly message: string } | null
}
