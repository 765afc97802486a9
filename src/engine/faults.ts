/** Cause of an engine error. Errors in a statement have no cause. */
export type EngineFault = 'interrupted' | 'out of memory' | 'shortage' | 'storage'

/**
 * "Invalid Input" messages that mean a damaged Parquet file. Other messages mean an error in the
 * statement.
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
 * DuckDB errors differ only in their message. Damaged files can cause every error classified as
 * `storage`. A bug in the engine can also cause INTERNAL, and intact files are then verified.
 */
const FAULTS: readonly (readonly [start: RegExp, fault: EngineFault])[] = [
  [/^INTERRUPT/, 'interrupted'],
  [/^Out of Memory/, 'out of memory'],
  // The operating system has no free file handles or memory. Files are intact.
  [/^IO Error: .*(Too many open files|Cannot allocate memory)/s, 'shortage'],
  [/^(IO Error|Invalid Error|Corrupt|INTERNAL Error)/, 'storage'],
  [new RegExp(`^Invalid Input Error: (${UNREADABLE.join('|')})`), 'storage'],
]

export function engineFault(error: unknown): EngineFault | null {
  const message = error instanceof Error ? error.message : ''
  return FAULTS.find(([start]) => start.test(message))?.[1] ?? null
}

/** For example "Binder Error: " or "Failed to extract statements: Parser Error: ". */
const ENGINE_TEXT = /^(Failed to [a-z ]+: )?[A-Z][A-Za-z]*( [A-Za-z]+)* Error: /

/** Engine messages may contain SQL and file paths, so users never see them. */
export const isEngineError = (error: unknown): boolean => error instanceof Error && ENGINE_TEXT.test(error.message)

/** Reason of a failure for users: one line, without a full stop. */
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

/** Marks an error of a file that could not be opened or decoded. */
export const storageFault = (cause: Error): Error => Object.assign(new Error(cause.message, { cause }), { [STORAGE]: true })

/**
 * True if a damaged file may have caused the error. The caller should verify the files that were
 * read.
 */
export const isStorageFault = (error: unknown): boolean => error instanceof Error && STORAGE in error

/**
 * True if the machine caused the error, not the input: disk, memory or file handles. Node errors
 * are recognized by code, DuckDB errors by message.
 */
export function isMachineFault(error: unknown): boolean {
  if (isDiskFull(error) || isOutOfMemory(error) || isDiskError(error) || engineFault(error) === 'shortage') return true
  if (error instanceof RangeError && error.message === 'Array buffer allocation failed') return true
  return error instanceof Error && MACHINE_CODES.test(String((error as NodeJS.ErrnoException).code))
}

/** Codes of the operating system, and of decompression without memory. */
const MACHINE_CODES =
  /^(EMFILE|ENFILE|ENOMEM|EIO|EROFS|EACCES|EPERM|Z_MEM_ERROR|ZSTD_error_memory_allocation|ERR_ZLIB_INITIALIZATION_FAILED|ERR_MEMORY_ALLOCATION_FAILED)$/

/** For served parts, a disk error also counts as a storage fault. */
const isDiskError = (error: unknown): boolean => error instanceof Error && /^IO Error: .*: Input\/output error/s.test(error.message)

export const isOutOfMemory = (error: unknown): boolean => engineFault(error) === 'out of memory'

/** True if the disk is full, or a quota or a limit on file size is reached. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== undefined) return /^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)$/.test(code)
  return /No space left on device|Disk quota exceeded|File too large|max_temp_directory_size/i.test(message)
}

export type ReadFailure =
  /** Lines of a CSV file have different numbers of cells, or a quote is not closed. */
  | { readonly kind: 'uneven lines' }
  /** `reason` is the first line of the engine's message and may contain a path. */
  | { readonly kind: 'other'; readonly reason: string }

/** Classifies the error of reading an external file. */
export function readFailure(error: unknown): ReadFailure {
  const reason = (error instanceof Error ? error.message.split('\n')[0]! : String(error)).replace(ENGINE_TEXT, '')
  return reason.includes('when sniffing') ? { kind: 'uneven lines' } : { kind: 'other', reason }
}
