import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fetcher } from '../../../ingest/fetchers/index.ts'
import { readScheduleState, runSchedule, type ScheduleDeps } from '../../../ingest/schedule/index.ts'
import { taipei } from '../../../src/core/index.ts'
import { fetchSetup } from '../../fixtures/fetch/source.ts'
import { asDay } from '../../fixtures/fetch/t86.ts'
import { feeds } from '../../fixtures/ingest/bodies.ts'

export const HOUR = 3_600_000
/** Monday at noon in Taipei, before the day's trades are due at 18:00. */
const MONDAY_NOON = new Date('2026-06-29T04:00:00Z')

/**
 * A schedule of T86 on a new data folder, with a source and a clock that advances while the
 * schedule waits.
 */
export async function scheduleSetup() {
  const f = await fetchSetup({ reply: asDay, now: MONDAY_NOON })
  const lines: (readonly [string, Readonly<Record<string, unknown>>])[] = []
  const workspace = await f.workspace()
  const deps = {
    dataDir: f.dir,
    feeds: [feeds.get('twse-t86')!],
    fetcher: f.fetcher,
    withWorkspace: work => work(workspace),
    log: (event, facts = {}) => void lines.push([event, { ...facts, at: taipei(f.clock()).slice(0, 16) }]),
    clock: f.clock,
    random: () => 0,
  } satisfies Partial<ScheduleDeps>
  return {
    f,
    /** Log records of the schedule. */
    lines,
    deps,
    /** Published days, according to the journal of captures. */
    published: (): readonly string[] =>
      readFileSync(join(f.dir, 'captures/twse-t86.ndjson'), 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as Record<string, string>)
        .flatMap(({ outcome, date }) => (outcome === 'published' ? [date!] : [])),
    state: () => readScheduleState(f.dir)['twse-t86'],
    /**
     * Runs the schedule for some hours of the clock.
     *
     * @returns the times of its runs in Taipei
     */
    async runFor(hours: number, more: Partial<ScheduleDeps> = {}, by: Fetcher = f.fetcher): Promise<readonly string[]> {
      const controller = new AbortController()
      const end = f.clock().getTime() + hours * HOUR
      const from = lines.length
      await runSchedule({
        ...deps,
        fetcher: by,
        signal: controller.signal,
        wait: async time => {
          if (time.getTime() >= end) controller.abort()
          f.pass(Math.min(time.getTime(), end) - f.clock().getTime())
        },
        ...more,
      })
      return lines.slice(from).map(([, { at: time }]) => String(time))
    },
  }
}
