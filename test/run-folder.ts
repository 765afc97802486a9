import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder for this run, shared by its workers and deleted at its end. */
    readonly runFolder: string
  }
}

/** Makes the folder of a run. `examples()` publishes into it when the first test asks for it. */
export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'twmd-run-'))
  // Child processes of the run compile each module once. V8 counts functions loaded from this cache less precisely.
  if (!project.config.coverage.enabled) process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled')
  project.provide('runFolder', folder)
  // The last worker writes compiled modules while it exits.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
