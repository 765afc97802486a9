import { join } from 'node:path'
import { type Dataset, loadCatalog } from '../catalog/index.ts'
import { openEngine, type Session, type Statement } from '../src/engine/index.ts'
import { planRead } from '../src/read/index.ts'
import { selectRows } from '../src/read/select-rows.ts'
import { type Release, readCurrent, readRelease } from '../src/releases/index.ts'
import { SLUG } from './data.ts'

export interface Raw {
  readonly dataset: Dataset
  readonly release: Release
  readonly session: Session
  statement(query: Readonly<Record<string, string>>): Statement
  close(): void
}

const LIMITS = { plan: 'max', rowLimit: 100_000, queueKey: 'bench' } as const

export async function openRaw(dataDir: string): Promise<Raw> {
  const root = join(dataDir, 'releases')
  const dataset = (await loadCatalog()).get(SLUG)!
  const release = await readRelease(root, dataset, (await readCurrent(root, SLUG))!, false)
  const engine = await openEngine({ threads: 1, memoryLimit: '2GB', readableFolder: root })
  const session = await engine.connect()
  return {
    dataset,
    release,
    session,
    statement: query => selectRows(planRead(dataset, release, query, LIMITS), Object.keys(dataset.columns)),
    close() {
      session.close()
      engine.close()
    },
  }
}

export async function readRaw({ session, dataset }: Raw, statement: Statement): Promise<void> {
  const columns = Object.keys(dataset.columns).length
  const { chunks, free } = await session.read(statement)
  for (const chunk of chunks) for (let index = 0; index < columns; index++) void chunk.column(index).items[0]
  free()
}
