import { Refusal } from '../../core/index.ts'

/**
 * Runs a read. One that fails by a fault, and is not refused, may have met damage: that is looked for, and the read runs once more, of
 * whatever is served by then.
 *
 * @throws what the last run throws
 */
export async function withSecondTry<T>(read: () => Promise<T>, lookForDamage: () => Promise<unknown>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Refusal) throw error
    await lookForDamage()
    return read()
  }
}
