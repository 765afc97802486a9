import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { publishExamples } from './fixtures/publish/examples.ts'
import { dataFolder } from './support.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A data folder with every dataset's example rows, published at `NOW`; copied, never written to. */
    readonly examples: string
  }
}

/**
 * What a run needs once. Publishes every dataset's example rows: a service that starts with them copies the folder. Builds the pages for browsers. Gives the processes
 * of the run, those of `twmd` above all, a folder where Node keeps what it compiled: a start then takes half the time.
 */
export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  const compiled = await mkdtemp(join(tmpdir(), 'twmd-compiled-'))
  // Functions that come from this cache are counted less precisely by V8's coverage.
  if (!project.config.coverage.enabled) process.env['NODE_COMPILE_CACHE'] = compiled
  const { dir, remove } = await dataFolder()
  await publishExamples(dir)
  project.provide('examples', dir)
  return async () => {
    await remove()
    // The last worker writes into it while it exits.
    await rm(compiled, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
