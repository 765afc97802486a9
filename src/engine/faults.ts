/** Cause of an engine error. Errors in the SQL have no cause. */
export type EngineFault = 'interrupted' | 'out of memory' | 'shortage' | 'storage'

/** Messages that indicate a damaged Parquet file. */
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

/** Recognizes engine errors by their message, because DuckDB has no error codes. */
const FAULTS: readonly (readonly [start: RegExp, fault: EngineFault])[] = [
  [/^INTERRUPT/, 'interrupted'],
  [/^Out of Memory/, 'out of memory'],
  // Too few file handles, or too little memory.
  [/^IO Error: .*(Too many open files|Cannot allocate memory)/s, 'shortage'],
  [/^(IO Error|Invalid Error|Corrupt|INTERNAL Error)/, 'storage'],
  [new RegExp(`^Invalid Input Error: (${UNREADABLE.join('|')})`), 'storage'],
]

export function engineFault(error: unknown): EngineFault | null {
  const message = error instanceof Error ? error.message : ''
  return FAULTS.find(([start]) => start.test(message))?.[1] ?? null
}

/** Start of an engine message, for example "Binder Error: ". */
const ENGINE_TEXT = /^(Failed to [a-z ]+: )?[A-Z][A-Za-z]*( [A-Za-z]+)* Error: /

/** True for engine messages. Never show them to users, because they may contain SQL and paths. */
export const isEngineError = (error: unknown): boolean => error instanceof Error && ENGINE_TEXT.test(error.message)

/** Reason of a failure for users, without a full stop. */
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

export const storageFault = (cause: Error): Error => Object.assign(new Error(cause.message, { cause }), { [STORAGE]: true })

/** True if a damaged file may have caused the error. Callers should verify the files. */
export const isStorageFault = (error: unknown): boolean => error instanceof Error && STORAGE in error

export function isMachineFault(error: unknown): boolean {
  if (isDiskFull(error) || isOutOfMemory(error) || isDiskError(error) || engineFault(error) === 'shortage') return true
  if (error instanceof RangeError && error.message === 'Array buffer allocation failed') return true
  return error instanceof Error && MACHINE_CODES.test(String((error as NodeJS.ErrnoException).code))
}

const MACHINE_CODES =
  /^(EMFILE|ENFILE|ENOMEM|EIO|EROFS|EACCES|EPERM|Z_MEM_ERROR|ZSTD_error_memory_allocation|ERR_ZLIB_INITIALIZATION_FAILED|ERR_MEMORY_ALLOCATION_FAILED)$/

/** True for disk errors. A disk error in a Parquet file also counts as a storage fault. */
const isDiskError = (error: unknown): boolean => error instanceof Error && /^IO Error: .*: Input\/output error/s.test(error.message)

export const isOutOfMemory = (error: unknown): boolean => engineFault(error) === 'out of memory'

/** Also true if a quota or a limit on file size is reached. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== undefined) return /^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)$/.test(code)
  return /No space left on device|Disk quota exceeded|File too large|max_temp_directory_size/i.test(message)
}

export type ReadFailure =
  /** A line of a CSV file has too few or too many cells, or a quote is open. */
  | { readonly kind: 'uneven lines' }
  /** `reason` is the engine's message, which may contain a path. */
  | { readonly kind: 'other'; readonly reason: string }

export function readFailure(error: unknown): ReadFailure {
  const reason = (error instanceof Error ? error.message.split('\n')[0]! : String(error)).replace(ENGINE_TEXT, '')
  return reason.includes('when sniffing') ? { kind: 'uneven lines' } : { kind: 'other', reason }
}
