import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { dataFolder, openTestWorkspace, publishRows } from './support.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A data folder with every dataset's example rows, published at `NOW`; copied, never written to. */
    readonly examples: string
  }
}

/** Publishes every dataset's example rows once a run: a service that starts with them copies the folder. */
export default async function publishExamples(project: TestProject): Promise<() => Promise<void>> {
  const { dir, remove } = await dataFolder()
  const workspace = await openTestWorkspace(dir)
  for (const dataset of workspace.catalog.values()) if (!dataset.planned) await publishRows(workspace, dir, dataset, dataset.example)
  workspace.close()
  await rm(join(dir, 'tmp'), { recursive: true, force: true })
  project.provide('examples', dir)
  return remove
}
