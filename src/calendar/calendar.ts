import type { Dataset } from '../../catalog/index.ts'
import { type BuildAttempt, createSerial, dayText, type Log, shouldRetry } from '../core/index.ts'
import { fromParts, type Pool } from '../engine/index.ts'
import { type Release, type Releases, releaseOf } from '../releases/index.ts'
import { closedByRule } from './rules.ts'

export type IsClosed = (day: string) => boolean

/**
 * Days on which the market is closed. Without the calendar dataset, these days are weekends and
 * fixed holidays.
 */
export interface Calendar {
  /** Replaced by a new function when the calendar changes. */
  readonly isClosed: IsClosed
  /** Release of the calendar dataset. Null if only fixed holidays are known. */
  readonly release: string | null
  /** Loads the calendar dataset if its release changed. Never rejects: failures are logged. */
  refresh(): Promise<void>
}

export function createCalendar(dataset: Dataset | undefined, releases: Releases, pool: Pool, log: Log): Calendar {
  let current: { readonly release: string | null; readonly isClosed: IsClosed } = { release: null, isClosed: closedByRule }
  let lastFailure: BuildAttempt | undefined
  const load = async (): Promise<void> => {
    const release = dataset ? releaseOf(dataset, releases) : null
    if (!release || release.id === current.release || release.manifest.parts.length === 0) return
    const now = performance.now()
    if (!shouldRetry(lastFailure, release.id, now)) return
    try {
      const open = await releases.loadVerified(release, release.manifest.parts, () => readDays(release, pool))
      current = { release: release.id, isClosed: day => !(open.get(day) ?? !closedByRule(day)) }
    } catch (error) {
      lastFailure = { source: release.id, startedAt: now, failed: true }
      log('failed', { during: 'reading the calendar', error: String(error) })
    }
  }
  const serialize = createSerial()
  return {
    get isClosed() {
      return current.isClosed
    },
    get release() {
      return current.release
    },
    // Runs one load at a time: a slow read of an older calendar must not replace a newer calendar.
    refresh: () => serialize(load),
  }
}

/** The value is true if the market was open on the day. */
async function readDays({ manifest, pathOf }: Release, pool: Pool): Promise<ReadonlyMap<string, boolean>> {
  const text = `SELECT date, bool_or(is_open) FROM ${fromParts(manifest.parts.map(pathOf))} GROUP BY 1`
  const open = new Map<string, boolean>()
  await pool.read({ text, values: [], once: true }, chunks => {
    for (const chunk of chunks) {
      const days = chunk.column(0).items as Int32Array
      const flags = chunk.column(1).items as Uint8Array
      for (let row = 0; row < chunk.rows; row++) open.set(dayText(days[row]!), flags[row] === 1)
    }
  })
  return open
}
