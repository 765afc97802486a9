import { existsSync, statfsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder that all workers of this run use. Deleted afterwards. */
    readonly runFolder: string
  }
}

const MEMORY = '/dev/shm'
/** Upper bound for the size of a run's files in bytes. */
const ENOUGH_BYTES = 4 * 2 ** 30

/**
 * Creates the folder of a run. Workers and their child processes also use it for temporary files.
 * `examples()` publishes into it when a test first needs the example rows. The folder is in memory
 * if there is enough space, because tests sync tens of thousands of files, each of which takes
 * milliseconds on a busy disk.
 */
export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'twmd-run-'))
  // Some tests run a child process as another user, which must reach its folder below this one.
  await chmod(folder, 0o755)
  process.env['TMPDIR'] = folder
  // Child processes of the run compile each module only once. Not with coverage, because V8's
  // function coverage is less precise for functions from this cache.
  if (!project.config.coverage.enabled) process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled')
  project.provide('runFolder', folder)
  // Retries, because the last worker writes compiled modules when it exits.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

function hasRoom(folder: string): boolean {
  if (process.env['TMPDIR'] !== undefined || !existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= ENOUGH_BYTES
}
