import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sha256Of } from '../../src/releases/index.ts'

const MIB = 2 ** 20
/**
 * Longer and shorter files alternate, so that buffers of longer files are reused. The last two are
 * too large to be read whole.
 */
const SIZES = [3 * MIB, 10, 0, 2 * MIB + 1, MIB, 8 * MIB, 5, 1_000, 8 * MIB + 1, 9 * MIB, 7]

it('the hash of each file is the sha256 of its own bytes, whether files are hashed in parallel or one by one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'twmd-hash-'))
  try {
    const files = SIZES.map((size, index) => {
      const [file, bytes] = [join(folder, `${index}`), randomBytes(size)]
      writeFileSync(file, bytes)
      return { file, sha256: createHash('sha256').update(bytes).digest('hex') }
    })
    const expected = files.map(({ sha256 }) => sha256)
    expect(await Promise.all(files.map(({ file }) => sha256Of(file)))).toEqual(expected)
    const oneByOne: string[] = []
    for (const { file } of files) oneByOne.push(await sha256Of(file))
    expect(oneByOne).toEqual(expected)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
