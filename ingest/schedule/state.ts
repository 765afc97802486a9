import { readFileSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeSynced } from '../../src/core/index.ts'

/**
 * Result of a run: `came`, the due data was fetched; `late` or `unreachable`, retried soon;
 * `refused` for a reason that a retry does not fix.
 */
export type RunOutcome = 'came' | 'late' | 'unreachable' | 'refused'

/** Schedule state of a feed. */
export interface FeedState {
  /** Next run, RFC 3339 in Taipei. */
  readonly next_at: string
  /** Newest fetched day; null before the first. */
  readonly covers: string | null
  /** Failed runs since then. */
  readonly tries: number
  /** Last success and last refusal, RFC 3339 in Taipei; absent if never. */
  readonly came_at?: string
  readonly refused_at?: string
  readonly last_run: {
    readonly at: string
    readonly outcome: RunOutcome
    readonly said: string
    /** The same in Chinese; absent for system messages and runs of earlier versions. */
    readonly said_zh?: string
  }
}

/** By feed name; feeds that never ran are absent. */
export type ScheduleState = Readonly<Record<string, FeedState>>

/** Path of the schedule's state in a data folder. */
const fileOf = (dataDir: string): string => join(dataDir, 'fetch', 'schedule.json')

/** Reads the state; empty if missing or unreadable, so all feeds run and skip fetched days. */
export function readScheduleState(dataDir: string): ScheduleState {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as ScheduleState
  } catch {
    return {}
  }
}

/** Replaces the state atomically. */
export async function writeScheduleState(dataDir: string, state: ScheduleState): Promise<void> {
  const file = fileOf(dataDir)
  await mkdir(dirname(file), { recursive: true })
  await writeSynced(`${file}.next`, `${JSON.stringify(state, null, 2)}\n`)
  await rename(`${file}.next`, file)
}
