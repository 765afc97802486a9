import { expect } from 'vitest'

/**
 * Runs the assertions for one cell of a matrix, for example one route with one credential. Records
 * a failure under the cell's name, so that the other cells still run.
 *
 * @param name names the cell, for example by route and credential
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
