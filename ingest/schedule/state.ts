import { readFileSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeSynced } from '../../src/core/index.ts'

/**
 * `came`: the due data was fetched. `late` or `unreachable`: retried soon. `refused`: retrying does
 * not help.
 */
export type RunOutcome = 'came' | 'late' | 'unreachable' | 'refused'

export interface FeedState {
  /** RFC 3339 in Taipei. */
  readonly next_at: string
  /** Newest fetched day. Null before the first. */
  readonly covers: string | null
  /** Failed runs since the last success. */
  readonly tries: number
  /**
   * Times of the last success and the last refusal, RFC 3339 in Taipei. Missing if there was none.
   */
  readonly came_at?: string
  readonly refused_at?: string
  readonly last_run: {
    readonly at: string
    readonly outcome: RunOutcome
    readonly said: string
    /** Missing for messages of the system and for runs of earlier versions. */
    readonly said_zh?: string
  }
}

/** State of each feed, keyed by name. Feeds that never ran are missing. */
export type ScheduleState = Readonly<Record<string, FeedState>>

const fileOf = (dataDir: string): string => join(dataDir, 'fetch', 'schedule.json')

/**
 * Reads the state. Empty if the file is missing or unreadable: all feeds then run, and skip days
 * that they already have.
 */
export function readScheduleState(dataDir: string): ScheduleState {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as ScheduleState
  } catch {
    return {}
  }
}

export async function writeScheduleState(dataDir: string, state: ScheduleState): Promise<void> {
  const file = fileOf(dataDir)
  await mkdir(dirname(file), { recursive: true })
  await writeSynced(`${file}.next`, `${JSON.stringify(state, null, 2)}\n`)
  await rename(`${file}.next`, file)
}
