import { expect, it } from 'vitest'
import { failureReason, isMachineFault, literal, openEngine } from '../../src/engine/index.ts'

it.each([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EIO',
  'ENOSPC',
  'Z_MEM_ERROR',
  'ZSTD_error_memory_allocation',
  'ERR_ZLIB_INITIALIZATION_FAILED',
  'ERR_MEMORY_ALLOCATION_FAILED',
])('the Node error code %s is a machine fault', code => {
  expect(isMachineFault(Object.assign(new Error('failed'), { code }))).toBe(true)
})

it.each([
  'Too many open files',
  'Too many open files in system',
  'Cannot allocate memory',
  'Input/output error',
  'No space left on device',
])('the engine error "%s" is a machine fault', words => {
  expect(isMachineFault(new Error(`IO Error: Cannot open file "/data/part.parquet": ${words}`))).toBe(true)
})

it('a failed buffer allocation is a machine fault', () => {
  const failed = (): unknown => {
    try {
      return new ArrayBuffer(Number.MAX_SAFE_INTEGER)
    } catch (error) {
      return error
    }
  }
  expect(isMachineFault(failed())).toBe(true)
  expect(isMachineFault(new RangeError('Invalid array length'))).toBe(false)
})

it.skipIf(process.platform !== 'linux')('an I/O error of the engine is a machine fault', async () => {
  const engine = await openEngine({ threads: 1, memoryLimit: '200MB' })
  const session = await engine.connect()
  // Reading address 0 of this process's memory fails with EIO.
  const error = await session.rows(`SELECT * FROM read_json_objects(${literal('/proc/self/mem')})`).catch(error => error)
  expect([String(error), isMachineFault(error)]).toEqual([expect.stringContaining('Input/output error'), true])
  session.close()
  engine.close()
})

it.each(['No files found that match the pattern "/data/Input/output error.json"', 'File is corrupt: unexpected end'])(
  'the engine error "%s" is not a machine fault',
  words => expect(isMachineFault(new Error(`IO Error: ${words}`))).toBe(false),
)

it.each([
  [Object.assign(new Error('write failed'), { code: 'ENOSPC' }), 'the disk is full'],
  [new Error('IO Error: Could not write file "/data/part.parquet": No space left on device'), 'the disk is full'],
  [new Error('Out of Memory Error: failed to allocate 1.0 GiB'), 'the query needs more memory than its limit'],
  [new Error('Binder Error: Referenced column "x" not found'), 'the query engine refused a statement, which is a bug in twmd'],
  [new Error('The folder is locked\nby process 12'), 'The folder is locked'],
  ['no release', 'no release'],
])('the reported reason of %s is one line without words of the engine', (error, reason) => expect(failureReason(error)).toBe(reason))
