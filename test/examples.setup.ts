import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildPortal } from '../src/portal/index.ts'
import { dataFolder, openTestWorkspace, publishRows } from './support.ts'

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
  await buildPortal()
  const { dir, remove } = await dataFolder()
  const workspace = await openTestWorkspace(dir)
  for (const dataset of workspace.catalog.values()) if (!dataset.planned) await publishRows(workspace, dir, dataset, dataset.example)
  workspace.close()
  await rm(join(dir, 'tmp'), { recursive: true, force: true })
  project.provide('examples', dir)
  return async () => {
    await remove()
    // The last worker writes into it while it exits.
    await rm(compiled, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
