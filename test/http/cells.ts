import { expect } from 'vitest'

/**
 * Runs the assertions of one cell of a matrix. A failure is recorded under the cell's name and the
 * other cells still run.
 *
 * @param name what is checked, for example the route and the credential
 */
export async function cell(name: string, check: () => unknown): Promise<void> {
  let failure: string | null = null
  try {
    await check()
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error)
  }
  expect.soft(failure, name).toBeNull()
}
