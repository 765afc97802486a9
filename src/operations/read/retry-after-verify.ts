import { isStorageFault } from '../../engine/index.ts'

/**
 * Runs a read. If a damaged file may have caused an error, verifies the files and runs the read
 * once more. The second run uses the release that is served at that time.
 *
 * @throws errors of the last run. If such an error has no cause, the first error becomes its cause.
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
