import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { diffReleases } from '../ingest/history/index.ts'
import { publishFiles } from '../ingest/index.ts'
import { compactRelease, keptRelease, openWorkspace, type Workspace } from '../ingest/publish/index.ts'
import { yieldToService } from '../src/core/index.ts'
import { answer } from './child.ts'
import { clock, dayFile, folderOf, NEXT_DAYS, type Size, SLUG, writeRows } from './data.ts'

export interface Load {
  readonly seconds: number
  /** Peak memory in bytes. */
  readonly peak: number
}

let workspace: Workspace

async function publishFile(file: string): Promise<number> {
  const began = performance.now()
  const { status, faults } = await publishFiles(workspace, workspace.catalog.get(SLUG)!, [file], {
    accept: ['derived_as_given'],
    synthetic: true,
  })
  if (status !== 'published') throw new Error(`${file} was ${status}: ${JSON.stringify(faults)}`)
  return performance.now() - began
}

answer({
  async open(folder: string) {
    yieldToService()
    workspace = await openWorkspace(folder, clock)
  },
  async write(size: Size) {
    mkdirSync(folderOf(size), { recursive: true })
    await writeRows(workspace.session, size, join(folderOf(size), 'history.parquet'))
    for (const day of NEXT_DAYS) await writeRows(workspace.session, size, dayFile(size, day), [day])
  },
  async load(size: Size) {
    const file = join(folderOf(size), 'history.parquet')
    const ms = await publishFile(file)
    rmSync(file)
    const load: Load = { seconds: ms / 1_000, peak: process.resourceUsage().maxRSS * 1_024 }
    writeFileSync(join(folderOf(size), 'load.json'), JSON.stringify(load))
  },
  publish: publishFile,
  served: () => keptRelease(workspace.releases, workspace.catalog.get(SLUG)!, 'served'),
  async compact() {
    const began = performance.now()
    const { status } = await compactRelease(workspace, workspace.catalog.get(SLUG)!)
    if (status !== 'compacted') throw new Error('There was nothing to compact')
    return performance.now() - began
  },
  async diff(from: string) {
    const began = performance.now()
    const dataset = workspace.catalog.get(SLUG)!
    const { summary } = await diffReleases(workspace, dataset, from, await keptRelease(workspace.releases, dataset, 'served'))
    const peak = process.resourceUsage().maxRSS * 1_024
    return { ms: performance.now() - began, added: summary.rows.added, compared: summary.parts.compared, peak }
  },
})
