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

/** Why a statement could not read a file of somebody else's. */
export type ReadFailure =
  /** Lines of a CSV file that do not have one cell for every heading, or a quote that is never closed. */
  | { readonly kind: 'uneven lines' }
  /** Anything else, in the engine's words: one line, which may hold the path it was given. */
  | { readonly kind: 'other'; readonly reason: string }

/** The engine reports lines that do not fit together as a failure to find out how the file is written. */
export function readFailure(error: unknown): ReadFailure {
  const reason = error instanceof Error ? error.message.split('\n')[0]! : String(error)
  return reason.includes('when sniffing') ? { kind: 'uneven lines' } : { kind: 'other', reason }
}
