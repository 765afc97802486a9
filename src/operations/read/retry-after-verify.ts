import { isStorageFault } from '../../engine/index.ts'

/**
 * Runs a read. After a storage fault, verifies its files and repeats it once on whatever is then
 * served.
 *
 * @throws errors of the last run; without a cause of its own, its cause is the storage fault
 */
export async function retryAfterVerify<T>(read: () => Promise<T>, verify: () => Promise<unknown>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isStorageFault(error)) throw error
    await verify()
    try {
      return await read()
    } catch (secondError) {
      if (secondError instanceof Error) secondError.cause ??= error
      throw secondError
    }
  }
}
