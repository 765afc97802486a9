import { describe, expect, it } from 'vitest'
import { isMachineFault, literal, openEngine } from '../../src/engine/index.ts'

describe('a failure of the machine', () => {
  it.each([
    ...['EMFILE', 'ENFILE', 'ENOMEM', 'EIO', 'ENOSPC'],
    ...['Z_MEM_ERROR', 'ZSTD_error_memory_allocation', 'ERR_ZLIB_INITIALIZATION_FAILED', 'ERR_MEMORY_ALLOCATION_FAILED'],
  ])('is one that Node gives the code %s', code => {
    expect(isMachineFault(Object.assign(new Error('failed'), { code }))).toBe(true)
  })

  it.each([
    'Too many open files',
    'Too many open files in system',
    'Cannot allocate memory',
    'Input/output error',
    'No space left on device',
  ])('is one that the engine says in the words of the system: %s', words => {
    expect(isMachineFault(new Error(`IO Error: Cannot open file "/data/part.parquet": ${words}`))).toBe(true)
  })

  it('is memory that there is none of for a buffer', () => {
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

  it.skipIf(process.platform !== 'linux')('is a disk that does not give the engine the bytes', async () => {
    const engine = await openEngine({ threads: 1, memoryLimit: '200MB' })
    const session = await engine.connect()
    // Reading the memory of this process at 0 fails of EIO.
    const error = await session.rows(`SELECT * FROM read_json_objects(${literal('/proc/self/mem')})`).catch(error => error)
    expect([String(error), isMachineFault(error)]).toEqual([expect.stringContaining('Input/output error'), true])
    session.close()
    engine.close()
  })

  it.each(['No files found that match the pattern "/data/Input/output error.json"', 'File is corrupt: unexpected end'])(
    'is not what the engine says of a file itself: %s',
    words => expect(isMachineFault(new Error(`IO Error: ${words}`))).toBe(false),
  )
})
