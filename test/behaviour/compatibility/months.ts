import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../../../catalog/index.ts'
import { publishFiles } from '../../../ingest/index.ts'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { trade, weekdays } from '../../fixtures/publish/rows.ts'

export const SLUG = 'institutional-positioning'
const TICKERS = Array.from({ length: 330 }, (_, index) => String(1_101 + index))
/**
 * Days of the first release (26,400 rows in two buckets and four months). The second release
 * appends one more day.
 */
export const DAYS = weekdays('2026-03-10', 80)
export const APPENDED = '2026-06-30'
/** Publication times of the releases. */
const [FIRST, SECOND] = ['2026-06-29T12:00:00Z', '2026-06-30T12:00:00Z']

/** Rows of a feed. Values repeat, to keep the files small, but no two days are equal. */
export const rowsOf = (day: string): readonly Row[] =>
  TICKERS.map((ticker, index) => trade(ticker, day, (index % 7) * 1_000 + (Date.parse(day) / 86_400_000) * 10))

/** Publishes the two releases into an empty data folder. */
async function publishBoth(folder: string): Promise<void> {
  for (const [published, days] of [
    [FIRST, DAYS],
    [SECOND, [APPENDED]],
  ] as const) {
    const workspace = await openWorkspace(folder, () => new Date(published))
    const file = join(folder, `${days.at(-1)}.ndjson`)
    writeFileSync(file, days.flatMap(day => rowsOf(day).map(row => `${JSON.stringify(row)}\n`)).join(''))
    const { status, faults } = await publishFiles(workspace, workspace.catalog.get(SLUG)!, [file], { accept: [], synthetic: false })
    rmSync(file)
    workspace.close()
    if (status !== 'published') throw new Error(`${file} was ${status}: ${JSON.stringify(faults)}`)
  }
}

// Only if this file is the program. `src/run.mjs --run` starts it by importing it.
if (process.argv[1] === import.meta.filename) await publishBoth(process.argv[2]!)
