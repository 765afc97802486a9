import { existsSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Dataset } from '../catalog/index.ts'
import { releasePaths } from '../src/releases/index.ts'
import { publishCalendar } from './calendar/index.ts'
import { type Mapping, type Proposal, proposeMapping } from './mappings/index.ts'
import { type Batch, type Forecast, forecast, type Workspace } from './publish/index.ts'
import { readBatch } from './publish-files.ts'

export interface Checked extends Forecast {
  /** Mapping for a file with other column names or value types. Null if no mapping is likely. */
  readonly proposal: Proposal | null
}

/**
 * Checks files as a publication would, and reports what would change. Writes nothing.
 *
 * @throws Error if the machine lacks resources or the served release is damaged
 */
export async function checkFiles(
  workspace: Workspace,
  dataset: Dataset,
  paths: readonly string[],
  { accept, mapping }: { readonly accept: readonly string[]; readonly mapping?: Mapping | undefined },
): Promise<Checked> {
  const seeing = await withCalendar(workspace)
  const { batch, refused } = await readBatch(seeing, dataset, paths, { accept, synthetic: false, oneByOne: false, mapping })
  if (batch !== null) {
    const forecasted = await forecast(seeing, batch)
    return { ...forecasted, proposal: await proposalFor(seeing, batch, forecasted.faults, mapping) }
  }
  const faults = [...new Set([...refused.values()].flat())]
  return { status: 'refused', served: null, changes: null, faults, notices: [], rowsBySource: new Map(), proposal: null }
}

const CALENDAR = 'trading-calendar'

/** Returns a workspace with a calendar. Creates a temporary calendar if none is served. */
async function withCalendar(workspace: Workspace): Promise<Workspace> {
  if (existsSync(releasePaths(workspace.releases, CALENDAR).current)) return workspace
  const releases = mkdtempSync(join(workspace.scratch, 'releases-'))
  for (const name of readdirSync(workspace.releases).filter(name => name !== CALENDAR))
    symlinkSync(join(workspace.releases, name), join(releases, name))
  const seeing = { ...workspace, releases }
  await publishCalendar(seeing)
  return seeing
}

async function proposalFor(
  { session, captures }: Workspace,
  { dataset, relation }: Batch,
  faults: Checked['faults'],
  mapping: Mapping | undefined,
): Promise<Proposal | null> {
  const isNamed = !faults.some(({ rule }) => rule === 'unknown_column' || rule === 'missing_column')
  const mistyped = [...new Set(faults.flatMap(({ rule, column }) => (rule === 'type' && column !== null ? [column] : [])))]
  if (isNamed && mistyped.length === 0) return null
  return proposeMapping(session, dataset, {
    relation,
    mistyped: mistyped.filter(name => !mapping?.columns[name]),
    mapping,
    dataDir: dirname(captures),
  })
}
