/** What a statement failed of, where that is neither the statement nor the code that sent it. */
export type EngineFault = 'interrupted' | 'out of memory' | 'storage'

/**
 * The engine tells its errors apart by the beginning of their text alone. Damaged Parquet comes as any of the last four: a file that is
 * gone or short, bytes that decode to nothing sensible, a file that is no Parquet at all, a checksum.
 */
const FAULTS: readonly (readonly [start: RegExp, fault: EngineFault])[] = [
  [/^INTERRUPT/, 'interrupted'],
  [/^Out of Memory/, 'out of memory'],
  [/^(IO Error|Invalid Error|Invalid Input Error|Corrupt)/, 'storage'],
]

/** Null for any other error: a mistake in the statement, or in our own code. */
export function engineFault(error: unknown): EngineFault | null {
  const message = error instanceof Error ? error.message : ''
  return FAULTS.find(([start]) => start.test(message))?.[1] ?? null
}

const STORAGE = Symbol('storage fault')

/** The error of a read that could not open or decode a file, marked as such; its text is the engine's. */
export const storageFault = (cause: Error): Error => Object.assign(new Error(cause.message, { cause }), { [STORAGE]: true })

/** True for an error that damage on disk explains: the files that were read should be verified. */
export const isStorageFault = (error: unknown): boolean => error instanceof Error && STORAGE in error
