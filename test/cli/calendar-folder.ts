import { rmSync } from 'node:fs'
import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publishCalendar } from '../../ingest/calendar/index.ts'
import { openWorkspace } from '../../ingest/publish/index.ts'

let prepared: Promise<string> | undefined

async function prepare(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  const workspace = await openWorkspace(dir)
  await publishCalendar(workspace)
  workspace.close()
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/**
 * A new data folder with the trading calendar, because otherwise each first publication would take
 * the time to add it.
 */
export async function calendarFolder(): Promise<string> {
  prepared ??= prepare()
  const dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  await cp(await prepared, dir, { recursive: true })
  return dir
}
