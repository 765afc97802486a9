import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, type Log, taipei } from '../../src/core/index.ts'
import { bringCalendar } from '../calendar/index.ts'
import type { Fetcher } from '../fetchers/index.ts'
import type { Feed } from '../formats/index.ts'
import { hostsWithoutConsent } from '../index.ts'
import { calendarRows } from '../intake/index.ts'
import { isSession, type Workspace } from '../publish/index.ts'
import { runFeed } from './run-feed.ts'
import { readScheduleState, type ScheduleState, writeScheduleState } from './state.ts'
import { nextTry } from './times.ts'

/** Maximum milliseconds of one wait. Short, so that a corrected clock is noticed soon. */
const LOOK_MS = 60_000
/** Milliseconds. If the last run is further in the future, the clock was set back. */
const AHEAD_MS = 300_000

export interface ScheduleDeps {
  readonly dataDir: string
  /** Feeds that may be fetched. Feeds without a required consent are left out. */
  readonly feeds: readonly Feed[]
  readonly fetcher: Fetcher
  /** Opens a workspace for one run, so that no engine memory is used between runs. */
  readonly withWorkspace: <T>(work: (workspace: Workspace) => Promise<T>) => Promise<T>
  readonly signal: AbortSignal
  readonly log: Log
  readonly clock?: Clock
  readonly random?: () => number
  /** Waits until the given time or the abort signal. */
  readonly wait?: (at: Date, signal: AbortSignal) => Promise<void>
  readonly lookMs?: number
  readonly once?: boolean
}

/** `can`: the feed can be fetched on schedule. `hosts`: hosts without consent. */
export function needsOf(feed: Feed, { settings }: Pick<Fetcher, 'settings'>): { readonly can: boolean; readonly hosts: readonly string[] } {
  const missing = (feed.fetch ?? []).map(way => hostsWithoutConsent(way, settings))
  return { can: missing.some(hosts => hosts.length === 0), hosts: [...new Set(missing.flat())] }
}

/**
 * Fetches each feed when its first dataset is due, and retries late data. The next start continues
 * from the stored state. If the clock was set back, feeds run by the new time.
 *
 * @returns the final state, after the signal or, with `once`, when nothing is due
 */
export async function runSchedule(deps: ScheduleDeps): Promise<ScheduleState> {
  const { dataDir, feeds, signal, log, clock = () => new Date(), once = false } = deps
  const { lookMs = LOOK_MS, wait = passTime } = deps
  let state = readScheduleState(dataDir)
  const nextOf = ({ name }: Feed): number => {
    const { next_at = '', last_run } = state[name] ?? {}
    const at = Date.parse(next_at)
    const isAhead = Date.parse(last_run?.at ?? '') > clock().getTime() + AHEAD_MS
    return Number.isNaN(at) || isAhead ? 0 : at
  }
  while (!signal.aborted) {
    const due = feeds.filter(feed => nextOf(feed) <= clock().getTime())
    if (due.length > 0) {
      try {
        await deps.withWorkspace(workspace => runDue(workspace, due))
      } catch (error) {
        log('failed', { during: 'opening a workspace', error: String(error) })
        const next_at = taipei(nextTry(clock(), 1, { every: 'trading_day' }))
        for (const { name } of due) {
          const last_run = { at: taipei(clock()), outcome: 'unreachable', said: String(error) } as const
          state = { ...state, [name]: { covers: null, tries: 1, ...state[name], next_at, last_run } }
        }
      }
    }
    if (once) break
    await wait(new Date(feeds.length === 0 ? clock().getTime() + 86_400_000 : Math.min(...feeds.map(nextOf))), signal)
  }
  return state

  async function passTime(at: Date): Promise<void> {
    await sleep(Math.max(0, Math.min(at.getTime() - clock().getTime(), lookMs)), undefined, { signal }).catch(() => {})
  }

  async function runDue(workspace: Workspace, due: readonly Feed[]): Promise<void> {
    await bringCalendar(workspace)
    const calendar = await calendarRows(workspace)
    const isClosed = (day: string): boolean => !isSession(day, calendar)
    const run = { workspace, fetcher: deps.fetcher, isClosed, random: deps.random ?? Math.random, signal }
    for (const feed of due) {
      if (signal.aborted) return
      const next = await runFeed(run, feed, state[feed.name])
      // The next start repeats a run that the shutdown interrupted.
      if (signal.aborted && next.last_run.outcome !== 'came') return
      state = { ...state, [feed.name]: next }
      await writeScheduleState(dataDir, state)
      const { outcome, said } = next.last_run
      if (outcome === 'refused') log('failed', { during: `fetching ${feed.name}`, error: said, next_at: next.next_at })
      else log('fetched', { feed: feed.name, outcome, said, covers: next.covers, next_at: next.next_at })
    }
  }
}
