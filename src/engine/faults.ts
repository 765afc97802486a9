/** Cause of an engine error. Errors in a statement or in our own code have no such cause. */
export type EngineFault = 'interrupted' | 'out of memory' | 'shortage' | 'storage'

/**
 * Patterns of "Invalid Input" messages that mean a damaged Parquet file. Examples are a truncated
 * file, a page that cannot be decompressed, and contradictory metadata. Other messages mean an
 * error in the statement or its values.
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
 * Causes of engine errors. An error is recognized by the start of its message, because DuckDB
 * errors differ in nothing else. Damaged Parquet files can cause every error that is classified as
 * `storage`. A bug in the engine can also fail an assertion (INTERNAL). In that case, intact files
 * are verified unnecessarily.
 */
const FAULTS: readonly (readonly [start: RegExp, fault: EngineFault])[] = [
  [/^INTERRUPT/, 'interrupted'],
  [/^Out of Memory/, 'out of memory'],
  // The operating system has no free file handles or memory. Files are not damaged.
  [/^IO Error: .*(Too many open files|Cannot allocate memory)/s, 'shortage'],
  [/^(IO Error|Invalid Error|Corrupt|INTERNAL Error)/, 'storage'],
  [new RegExp(`^Invalid Input Error: (${UNREADABLE.join('|')})`), 'storage'],
]

export function engineFault(error: unknown): EngineFault | null {
  const message = error instanceof Error ? error.message : ''
  return FAULTS.find(([start]) => start.test(message))?.[1] ?? null
}

/**
 * Matches the start of an engine message, for example "Binder Error: " or "Failed to extract
 * statements: Parser Error: ".
 */
const ENGINE_TEXT = /^(Failed to [a-z ]+: )?[A-Z][A-Za-z]*( [A-Za-z]+)* Error: /

/**
 * True if the message of an error comes from the engine. Such messages may contain SQL and file
 * paths, so users never see them.
 */
export const isEngineError = (error: unknown): boolean => error instanceof Error && ENGINE_TEXT.test(error.message)

/** Returns the reason of a failure for users: one line, without a full stop. */
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

/**
 * Marks an error so that `isStorageFault` recognizes it. Returns a new error with the same message.
 * Used for reads that could not open or decode a file.
 */
export const storageFault = (cause: Error): Error => Object.assign(new Error(cause.message, { cause }), { [STORAGE]: true })

/**
 * True if a damaged file may have caused the error. The caller should verify the files that the
 * failed statement read.
 */
export const isStorageFault = (error: unknown): boolean => error instanceof Error && STORAGE in error

/**
 * True if the machine, not the input, caused the error: the disk is full or fails, or memory or
 * file handles ran out. Node errors are recognized by code, DuckDB errors by message.
 */
export function isMachineFault(error: unknown): boolean {
  if (isDiskFull(error) || isOutOfMemory(error) || isDiskError(error) || engineFault(error) === 'shortage') return true
  if (error instanceof RangeError && error.message === 'Array buffer allocation failed') return true
  return error instanceof Error && MACHINE_CODES.test(String((error as NodeJS.ErrnoException).code))
}

/** Error codes of the operating system, and of decompression that runs out of memory. */
const MACHINE_CODES =
  /^(EMFILE|ENFILE|ENOMEM|EIO|EROFS|EACCES|EPERM|Z_MEM_ERROR|ZSTD_error_memory_allocation|ERR_ZLIB_INITIALIZATION_FAILED|ERR_MEMORY_ALLOCATION_FAILED)$/

/**
 * True if the engine reports a disk error. For parts of the served release, the same error also
 * counts as a storage fault, so the part is read again for verification.
 */
const isDiskError = (error: unknown): boolean => error instanceof Error && /^IO Error: .*: Input\/output error/s.test(error.message)

export const isOutOfMemory = (error: unknown): boolean => engineFault(error) === 'out of memory'

/**
 * True if a file could not be written because the disk is full, or because of a quota or a limit on
 * file size.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== undefined) return /^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)$/.test(code)
  return /No space left on device|Disk quota exceeded|File too large|max_temp_directory_size/i.test(message)
}

export type ReadFailure =
  /** Lines of a CSV file have different numbers of cells, or a quote is not closed. */
  | { readonly kind: 'uneven lines' }
  /** Any other error. `reason` is the first line of the engine's message and may contain a path. */
  | { readonly kind: 'other'; readonly reason: string }

/**
 * Classifies the error of reading an external file. If CSV lines are uneven, the message of DuckDB
 * mentions that sniffing the dialect failed.
 */
export function readFailure(error: unknown): ReadFailure {
  const reason = (error instanceof Error ? error.message.split('\n')[0]! : String(error)).replace(ENGINE_TEXT, '')
  return reason.includes('when sniffing') ? { kind: 'uneven lines' } : { kind: 'other', reason }
}
