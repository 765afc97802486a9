import { isStorageFault } from '../../engine/index.ts'

/**
 * Runs a read. After a storage fault, verifies its files and repeats the read once, on the release
 * that is served then.
 *
 * @throws errors of the last run; if such an error has no cause, the storage fault becomes its
 * cause
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
