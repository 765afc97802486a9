import type { Dataset } from '../../catalog/index.ts'
import { openWorkspace, type Workspace } from '../../ingest/publish/index.ts'
import { nearest } from '../core/index.ts'
import { configured } from './configuration.ts'

/** Opens the publishing workspace on the configured data folder for the length of one piece of work. */
export async function withWorkspace<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const workspace = await openWorkspace(configured().dataDir)
  try {
    return await work(workspace)
  } finally {
    workspace.close()
  }
}

/** @throws Error naming the known datasets, for a name that is none of them; slugs and underscore ids are both taken */
export function datasetNamed({ catalog }: Workspace, name: string): Dataset {
  const dataset = catalog.get(name) ?? [...catalog.values()].find(({ id }) => id === name)
  if (dataset) return dataset
  const guess = nearest(name, [...catalog.keys()])
  throw new Error(`There is no dataset named ${name}${guess ? `; did you mean ${guess}?` : '.'} Known: ${[...catalog.keys()].join(', ')}`)
}
