import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { commitRelease } from '../../../ingest/publish/write/commit.ts'
import { type Manifest, releasePaths } from '../../../src/releases/index.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twmd-full-'))
})
afterEach(() => rm(root, { recursive: true }))

const openFiles = async (): Promise<readonly string[]> =>
  Promise.all((await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => '')))

it.skipIf(process.platform !== 'linux')(
  'D4: committing a release on a full disk fails with ENOSPC and closes every open file',
  async () => {
    const stage = join(root, '.stage-x')
    await mkdir(stage)
    await symlink('/dev/full', join(stage, 'manifest.sha256'))
    const text = 'x'.repeat(20_000_000)
    const manifest = { release: '20260701T120000000Z' } as Manifest
    const paths = releasePaths(root, 'securities')
    await expect(commitRelease(paths, stage, { manifest, text, sha256: '' })).rejects.toThrow('ENOSPC')
    expect((await readFile(join(stage, 'manifest.json'))).length).toBe(text.length)
    expect(await openFiles()).not.toContain('/dev/full')
  },
)
