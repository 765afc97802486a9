import { Refusal } from '../core/index.ts'

/**
 * Runs a read. One that fails, and is not refused, may have met damage: what it read is verified, and the read runs once more, of whatever
 * is served by then.
 *
 * @throws what the last run throws
 */
export async function retryAfterVerify<T>(read: () => Promise<T>, verify: () => Promise<unknown>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Refusal) throw error
    await verify()
    return read()
  }
}
