import type { Dataset } from '../../catalog/index.ts'
import { type Attempt, createSerial, dayText, type Log, shouldRetry } from '../core/index.ts'
import { fromParts, type Pool } from '../engine/index.ts'
import { type Release, type Releases, releaseOf } from '../releases/index.ts'
import { closedByRule } from './rules.ts'

/** True for a day on which the market did not trade. */
export type IsClosed = (day: string) => boolean

/** The market’s closed days: those of the trading-calendar dataset, and weekends and fixed holidays where it names none. */
export interface Calendar {
  /** A new function whenever the calendar changes, so that what was derived with the previous one is known to be stale. Do not store it. */
  readonly isClosed: IsClosed
  /** The release of the calendar dataset behind `isClosed`; null while only the rules apply. */
  readonly release: string | null
  /** Loads the calendar dataset if its release changed. Never rejects: failures are logged. */
  refresh(): Promise<void>
}

/** The trading calendar: the calendar dataset where it names a day, the rules elsewhere. */
export function createCalendar(dataset: Dataset | undefined, releases: Releases, pool: Pool, log: Log): Calendar {
  let known: { readonly release: string | null; readonly isClosed: IsClosed } = { release: null, isClosed: closedByRule }
  let failed: Attempt | undefined
  const load = async (): Promise<void> => {
    const release = dataset ? releaseOf(dataset, releases) : null
    if (!release || release.id === known.release || release.manifest.parts.length === 0) return
    const at = performance.now()
    if (!shouldRetry(failed, release.id, at)) return
    try {
      const open = await releases.loadVerified(release, release.manifest.parts, () => readDays(release, pool))
      known = { release: release.id, isClosed: day => !(open.get(day) ?? !closedByRule(day)) }
    } catch (error) {
      failed = { of: release.id, at, failed: true }
      log('failed', { during: 'reading the calendar', error: String(error) })
    }
  }
  const inSerial = createSerial()
  return {
    get isClosed() {
      return known.isClosed
    },
    get release() {
      return known.release
    },
    // In series: a slow read of an older calendar must not replace a newer one.
    refresh: () => inSerial(load),
  }
}

/** Whether the market was open, by day; absent for days the dataset does not name. */
async function readDays({ manifest, pathOf }: Release, pool: Pool): Promise<ReadonlyMap<string, boolean>> {
  const days = `SELECT date, bool_or(is_open) FROM ${fromParts(manifest.parts.map(pathOf))} GROUP BY 1`
  const open = new Map<string, boolean>()
  await pool.read({ text: days, values: [], once: true }, chunks => {
    for (const chunk of chunks) {
      const [day, flag] = [chunk.column(0).items as Int32Array, chunk.column(1).items as Uint8Array]
      for (let row = 0; row < chunk.rows; row++) open.set(dayText(day[row]!), flag[row] === 1)
    }
  })
  return open
}
