import { readFileSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeSynced } from '../../src/core/index.ts'

/**
 * How a run ended: what was due came; its source does not have it yet, or did not answer, so it is asked for again soon; or it was
 * refused for something that asking again does not mend.
 */
export type RunOutcome = 'came' | 'late' | 'unreachable' | 'refused'

/** What the schedule knows of a feed. */
export interface FeedState {
  /** When it runs next, RFC 3339 in Taipei. */
  readonly next_at: string
  /** Newest day whose data came; null before any did. */
  readonly covers: string | null
  /** Runs without success since. */
  readonly tries: number
  /** When what was due last came, and when data was last refused, RFC 3339 in Taipei; absent while that never happened. */
  readonly came_at?: string
  readonly refused_at?: string
  readonly last_run: {
    readonly at: string
    readonly outcome: RunOutcome
    readonly said: string
    /** The same in Chinese; absent where it is in English alone, as the system's words are and those of runs of earlier versions. */
    readonly said_zh?: string
  }
}

/** By the name of the feed; one that never ran is absent. */
export type ScheduleState = Readonly<Record<string, FeedState>>

/** File of the schedule's state in a data folder. */
const fileOf = (dataDir: string): string => join(dataDir, 'fetch', 'schedule.json')

/** Nothing where there is no state, or none that can be read: then every feed runs at once, and asks for nothing it has. */
export function readScheduleState(dataDir: string): ScheduleState {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as ScheduleState
  } catch {
    return {}
  }
}

/** Replaces the state as a whole; a crash leaves the one before. */
export async function writeScheduleState(dataDir: string, state: ScheduleState): Promise<void> {
  const file = fileOf(dataDir)
  await mkdir(dirname(file), { recursive: true })
  await writeSynced(`${file}.next`, `${JSON.stringify(state, null, 2)}\n`)
  await rename(`${file}.next`, file)
}
