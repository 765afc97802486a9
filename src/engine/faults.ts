/** Causes of an engine failure that is not an error in the statement or in our code. */
export type EngineFault = 'interrupted' | 'out of memory' | 'shortage' | 'storage'

/**
 * Messages of "Invalid Input" errors that mean damaged Parquet: a truncated or foreign file, a page
 * that cannot be decompressed or decoded, contradictory metadata. Other messages mean an error in
 * the statement or its values.
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
 * DuckDB errors differ only in the start of their message. Damaged Parquet can cause each of these
 * errors: a missing or short file, undecodable bytes, a wrong checksum, a failed assertion
 * (INTERNAL), invalid input. A bug in the engine also fails assertions; the files are then verified
 * unnecessarily.
 */
const FAULTS: readonly (readonly [start: RegExp, fault: EngineFault])[] = [
  [/^INTERRUPT/, 'interrupted'],
  [/^Out of Memory/, 'out of memory'],
  // Resource shortages of the system. They do not mean damage.
  [/^IO Error: .*(Too many open files|Cannot allocate memory)/s, 'shortage'],
  [/^(IO Error|Invalid Error|Corrupt|INTERNAL Error)/, 'storage'],
  [new RegExp(`^Invalid Input Error: (${UNREADABLE.join('|')})`), 'storage'],
]

/** Classifies an error. Null for an error in the statement or in our code. */
export function engineFault(error: unknown): EngineFault | null {
  const message = error instanceof Error ? error.message : ''
  return FAULTS.find(([start]) => start.test(message))?.[1] ?? null
}

/**
 * How engine messages start, for example "Binder Error: " or "Failed to extract statements: Parser
 * Error: ".
 */
const ENGINE_TEXT = /^(Failed to [a-z ]+: )?[A-Z][A-Za-z]*( [A-Za-z]+)* Error: /

/**
 * True for a message of the engine. It may contain SQL and paths, so it is never shown to users.
 */
export const isEngineError = (error: unknown): boolean => error instanceof Error && ENGINE_TEXT.test(error.message)

/** The reason of a failure, for users: one line without a full stop. */
export function failureReason(error: unknown): string {
  if (isDiskFull(error)) return 'the disk is full'
  if (isEngineError(error)) return ENGINE_REASONS[engineFault(error) ?? 'statement']
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!
}

const ENGINE_REASONS: Readonly<Record<EngineFault | 'statement', string>> = {
  interrupted: 'the query was interrupted',
  'out of memory': 'the query needs more memory than its limit',
  shortage: 'the machine has no free memory or file handles',
  storage: 'a data file is missing, damaged or not writable',
  statement: 'the query engine refused a statement, which is a bug in twmd',
}

const STORAGE = Symbol('storage fault')

/** Marks the error of a read that could not open or decode a file. Keeps the engine's message. */
export const storageFault = (cause: Error): Error => Object.assign(new Error(cause.message, { cause }), { [STORAGE]: true })

/** True if damage on disk may have caused the error. If so, verify the files that were read. */
export const isStorageFault = (error: unknown): boolean => error instanceof Error && STORAGE in error

/**
 * True if the machine failed and not the input: disk full, a process limit, out of memory, a disk
 * error. Node errors are recognized by code, DuckDB errors by message.
 */
export function isMachineFault(error: unknown): boolean {
  if (isDiskFull(error) || isOutOfMemory(error) || isDiskError(error) || engineFault(error) === 'shortage') return true
  if (error instanceof RangeError && error.message === 'Array buffer allocation failed') return true
  return error instanceof Error && MACHINE_CODES.test(String((error as NodeJS.ErrnoException).code))
}

/** Error codes of the system, and of decompression without enough memory. */
const MACHINE_CODES =
  /^(EMFILE|ENFILE|ENOMEM|EIO|EROFS|EACCES|EPERM|Z_MEM_ERROR|ZSTD_error_memory_allocation|ERR_ZLIB_INITIALIZATION_FAILED|ERR_MEMORY_ALLOCATION_FAILED)$/

/**
 * True if the engine reports a disk error. For a served part, it is also a storage fault, so that
 * verification reads the part again.
 */
const isDiskError = (error: unknown): boolean => error instanceof Error && /^IO Error: .*: Input\/output error/s.test(error.message)

/** True if a statement exceeded the engine's memory limit. */
export const isOutOfMemory = (error: unknown): boolean => engineFault(error) === 'out of memory'

/** True if a file could not be written because of disk space, quota, or a limit on file size. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== undefined) return /^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)$/.test(code)
  return /No space left on device|Disk quota exceeded|File too large|max_temp_directory_size/i.test(message)
}

/** Reason why a statement could not read an external file. */
export type ReadFailure =
  /** CSV lines with a different number of cells than the header, or an unclosed quote. */
  | { readonly kind: 'uneven lines' }
  /**
   * Any other error, with the first line of the engine's message. This line may contain the path.
   */
  | { readonly kind: 'other'; readonly reason: string }

/**
 * Classifies the error of reading an external file. For uneven CSV lines, DuckDB reports that it
 * could not determine the dialect.
 */
export function readFailure(error: unknown): ReadFailure {
  const reason = (error instanceof Error ? error.message.split('\n')[0]! : String(error)).replace(ENGINE_TEXT, '')
  return reason.includes('when sniffing') ? { kind: 'uneven lines' } : { kind: 'other', reason }
}
