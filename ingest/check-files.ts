import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Dataset } from '../catalog/index.ts'
import { releasePaths } from '../src/releases/index.ts'
import { publishCalendar } from './calendar/index.ts'
import { type Forecast, forecast, type Workspace } from './publish/index.ts'
import { readBatch } from './publish-files.ts'

/**
 * Checks partition files of one dataset as their publication would, and says what that would change. No release, no capture, nothing in
 * quarantine.
 *
 * @throws Error when the machine is short of something, or the served release is damaged
 */
export async function checkFiles(
  workspace: Workspace,
  dataset: Dataset,
  paths: readonly string[],
  accept: readonly string[],
): Promise<Forecast> {
  const seeing = await withCalendar(workspace)
  const { batch, refused } = await readBatch(seeing, dataset, paths, { accept, synthetic: false, oneByOne: false })
  if (batch !== null) return forecast(seeing, batch)
  const faults = [...new Set([...refused.values()].flat())]
  return { status: 'refused', served: null, changes: null, faults, notices: [], rowsBySource: new Map() }
}

const CALENDAR = 'trading-calendar'

/** The workspace with the calendar that a publication would bring first where none is served, in a folder that vanishes with the workspace. */
async function withCalendar(workspace: Workspace): Promise<Workspace> {
  if (existsSync(releasePaths(workspace.releases, CALENDAR).current)) return workspace
  const releases = join(workspace.scratch, 'releases')
  mkdirSync(releases)
  for (const name of readdirSync(workspace.releases).filter(name => name !== CALENDAR))
    symlinkSync(join(workspace.releases, name), join(releases, name))
  const seeing = { ...workspace, releases }
  await publishCalendar(seeing)
  return seeing
}
