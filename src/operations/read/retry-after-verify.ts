import { isStorageFault } from '../../engine/index.ts'

/**
 * Runs a read. If damage may have caused an error, verifies the files and reads once more. The
 * second run uses the newly served release.
 * @throws errors of the last run
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
