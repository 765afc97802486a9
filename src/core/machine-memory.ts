import { totalmem } from 'node:os'

/** Bytes of memory that the process may use: of the machine, or what its container allows where that is less. */
export function machineMemory(): number {
  // 0 where nothing constrains the process; beyond the machine's memory where a container's limit is not set.
  return Math.min(process.constrainedMemory() || totalmem(), totalmem())
}
