import { existsSync, statfsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder for this run, shared by its workers and deleted afterwards. */
    readonly runFolder: string
  }
}

const MEMORY = '/dev/shm'
/** Upper bound for the files of a run. */
const ENOUGH_BYTES = 4 * 2 ** 30

/**
 * Creates the folder of a run, which is also the folder for temporary files of its workers and
 * their child processes. `examples()` publishes into it when a test first needs it. It is in memory
 * if there is enough space: tests sync tens of thousands of files, which takes milliseconds each on
 * a busy disk.
 */
export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'twmd-run-'))
  // Some tests run a child as another user, which must reach its own folder below.
  await chmod(folder, 0o755)
  process.env['TMPDIR'] = folder
  // Child processes of the run compile each module once. V8's function coverage is less precise for
  // functions from this cache.
  if (!project.config.coverage.enabled) process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled')
  project.provide('runFolder', folder)
  // The last worker writes compiled modules when it exits.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

function hasRoom(folder: string): boolean {
  if (process.env['TMPDIR'] !== undefined || !existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= ENOUGH_BYTES
}
