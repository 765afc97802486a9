/** What a statement failed of, where that is neither the statement nor the code that sent it. */
export type EngineFault = 'interrupted' | 'out of memory' | 'shortage' | 'storage'

/**
 * Invalid input is damaged Parquet where its text is one of these: a file that is cut off or no Parquet at all, a page that does not
 * decompress or decode, metadata that contradicts itself. Any other is a mistake in the statement, or in a value it was given.
 */
const UNREADABLE = [
  'Failed to read (Parquet )?file ',
  'No magic bytes found',
  "File '[^']*' too small to be a Parquet file",
  "File '[^']*': metadata is corrupt",
  'Parquet file ',
  'Malformed Parquet schema',
  'Invalid (string encoding|decimal encoding|JSON) (found )?in Parquet file',
  'Incorrect stats size for type',
  'Mismatch in parquet read',
  'Page size mismatch',
  'DELTA_(BINARY_PACKED|BYTE_ARRAY|LENGTH_BYTE_ARRAY) ',
  'Invalid unicode ',
]

/**
 * The engine tells its errors apart by the beginning of their text alone. Damaged Parquet comes as any of the last five: a file that is
 * gone or short, bytes that decode to nothing sensible, a checksum, an assertion of the engine's own that metadata breaks, invalid input.
 * A mistake in the engine breaks assertions too; the files are verified for it once more than they need to be.
 */
const FAULTS: readonly (readonly [start: RegExp, fault: EngineFault])[] = [
  [/^INTERRUPT/, 'interrupted'],
  [/^Out of Memory/, 'out of memory'],
  // The system's words: nothing can be known of the file now.
  [/^IO Error: .*(Too many open files|Cannot allocate memory)/s, 'shortage'],
  [/^(IO Error|Invalid Error|Corrupt|INTERNAL Error)/, 'storage'],
  [new RegExp(`^Invalid Input Error: (${UNREADABLE.join('|')})`), 'storage'],
]

/** Null for any other error: a mistake in the statement, or in our own code. */
export function engineFault(error: unknown): EngineFault | null {
  const message = error instanceof Error ? error.message : ''
  return FAULTS.find(([start]) => start.test(message))?.[1] ?? null
}

/** How every text of the engine begins: "Binder Error: ", "Failed to extract statements: Parser Error: ". */
const ENGINE_TEXT = /^(Failed to [a-z ]+: )?[A-Z][A-Za-z]*( [A-Za-z]+)* Error: /

/** True for an error in the engine's words, which hold SQL and paths: no answer and no command repeats them. */
export const isEngineError = (error: unknown): boolean => error instanceof Error && ENGINE_TEXT.test(error.message)

/** Why work failed, as one line without full stop that a caller may read. */
export function failureReason(error: unknown): string {
  if (isDiskFull(error)) return 'the disk is full'
  if (isEngineError(error)) return ENGINE_REASONS[engineFault(error) ?? 'statement']
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!
}

const ENGINE_REASONS: Readonly<Record<EngineFault | 'statement', string>> = {
  interrupted: 'the query was interrupted',
  'out of memory': 'the query needs more memory than it may use',
  shortage: 'the machine has no memory or open files left',
  storage: 'a data file is missing, damaged or not writable',
  statement: 'the query engine refused a statement, which is a mistake in this program',
}

const STORAGE = Symbol('storage fault')

/** The error of a read that could not open or decode a file, marked as such; its text is the engine's. */
export const storageFault = (cause: Error): Error => Object.assign(new Error(cause.message, { cause }), { [STORAGE]: true })

/** True for an error that damage on disk explains: the files that were read should be verified. */
export const isStorageFault = (error: unknown): boolean => error instanceof Error && STORAGE in error

/**
 * True for a failure of the machine rather than of what was read: no room on the disk, a limit of this process, too little memory, a disk
 * that does not give the bytes. Node says it by a code, the engine in words.
 */
export function isMachineFault(error: unknown): boolean {
  if (isDiskFull(error) || isOutOfMemory(error) || isDiskError(error) || engineFault(error) === 'shortage') return true
  if (error instanceof RangeError && error.message === 'Array buffer allocation failed') return true
  return error instanceof Error && MACHINE_CODES.test(String((error as NodeJS.ErrnoException).code))
}

/** Of the system, and of unpacking that found no memory to work in. */
const MACHINE_CODES =
  /^(EMFILE|ENFILE|ENOMEM|EIO|EROFS|EACCES|EPERM|Z_MEM_ERROR|ZSTD_error_memory_allocation|ERR_ZLIB_INITIALIZATION_FAILED|ERR_MEMORY_ALLOCATION_FAILED)$/

/**
 * True where the engine says that the disk did not give the bytes. Of a served part it is a storage fault all the same: verifying reads the
 * part again.
 */
const isDiskError = (error: unknown): boolean => error instanceof Error && /^IO Error: .*: Input\/output error/s.test(error.message)

/** True where the engine's memory limit was too small for a statement. */
export const isOutOfMemory = (error: unknown): boolean => engineFault(error) === 'out of memory'

/** True where a file could not be written because there is no room for it. A limit on the size of files shows the same way. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== undefined) return /^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)$/.test(code)
  return /No space left on device|Disk quota exceeded|File too large|max_temp_directory_size/i.test(message)
}

/** Why a statement could not read a file of somebody else's. */
export type ReadFailure =
  /** Lines of a CSV file that do not have one cell for every heading, or a quote that is never closed. */
  | { readonly kind: 'uneven lines' }
  /** Anything else that the engine says of the file: one line, which may hold the path it was given. */
  | { readonly kind: 'other'; readonly reason: string }

/** The engine reports lines that do not fit together as a failure to find out how the file is written. */
export function readFailure(error: unknown): ReadFailure {
  const reason = (error instanceof Error ? error.message.split('\n')[0]! : String(error)).replace(ENGINE_TEXT, '')
  return reason.includes('when sniffing') ? { kind: 'uneven lines' } : { kind: 'other', reason }
}
