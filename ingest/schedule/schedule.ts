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

/** How long the clock is not looked at: whoever corrects it by a month must not have feeds left out for one. */
const LOOK_MS = 60_000
/** A run that lies further ahead than this was made by a clock that has been put back since; less is the drift of clocks. */
const AHEAD_MS = 300_000

export interface ScheduleDeps {
  readonly dataDir: string
  /** Those that can be asked for; the others wait for a consent. */
  readonly feeds: readonly Feed[]
  readonly fetcher: Fetcher
  /** Runs work on a workspace that is open only meanwhile: between runs nothing holds an engine's memory. */
  readonly withWorkspace: <T>(work: (workspace: Workspace) => Promise<T>) => Promise<T>
  readonly signal: AbortSignal
  readonly log: Log
  readonly clock?: Clock
  readonly random?: () => number
  /** Lets time pass up to an instant, or less. */
  readonly wait?: (at: Date, signal: AbortSignal) => Promise<void>
  /** How long the clock is not looked at, at most, in milliseconds. */
  readonly lookMs?: number
  /** Run what is due now, and end. */
  readonly once?: boolean
}

/** Whether a feed can be asked for by itself, and the hosts whose consent is missing where it cannot. */
export function needsOf(feed: Feed, { settings }: Pick<Fetcher, 'settings'>): { readonly can: boolean; readonly hosts: readonly string[] } {
  const missing = (feed.fetch ?? []).map(way => hostsWithoutConsent(way, settings))
  return { can: missing.some(hosts => hosts.length === 0), hosts: [...new Set(missing.flat())] }
}

/**
 * Fetches each feed when its first dataset is due, and what is late again and again until it comes. What each run came to is in the
 * data folder, so that a stop is caught up. What ran by a clock that was put back since runs again, by the clock there is.
 *
 * @returns the state it ended with, once the signal says so, or with `once` when nothing more is due
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
      // A run that was cut short by the stop is made again at the next start.
      if (signal.aborted && next.last_run.outcome !== 'came') return
      state = { ...state, [feed.name]: next }
      await writeScheduleState(dataDir, state)
      const { outcome, said } = next.last_run
      if (outcome === 'refused') log('failed', { during: `fetching ${feed.name}`, error: said, next_at: next.next_at })
      else log('fetched', { feed: feed.name, outcome, said, covers: next.covers, next_at: next.next_at })
    }
  }
}
