import { expect } from 'vitest'
import { TwmdError } from '../../clients/typescript/src/index.ts'

/** All values of an iterator. */
export const all = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
/** The error of a call that the client rejects. */
export const refused = async (call: Promise<unknown>): Promise<TwmdError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(TwmdError)
  return error as TwmdError
}
