import { isStorageFault } from '../../engine/index.ts'

/**
 * Runs a read. If it fails of a storage fault, what it read is verified and it runs once more, on whatever is served by then. Any other
 * error verifies nothing.
 *
 * @throws what the last run throws; its cause, where it has none of its own, is the storage fault
 */
export async function retryAfterVerify<T>(read: () => Promise<T>, verify: () => Promise<unknown>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isStorageFault(error)) throw error
    await verify()
    try {
      return await read()
    } catch (last) {
      if (last instanceof Error) last.cause ??= error
      throw last
    }
  }
}
