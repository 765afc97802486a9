import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Scrub } from '../../src/releases/index.ts'
import { serving } from '../fixtures/cli/twmd.ts'
import { day } from '../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { scrubbed } from '../fixtures/releases/scrubbed.ts'
import { flipSilently } from '../fixtures/releases/silent-flip.ts'
import { NOW, publishRows, SECRETS, service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const PATH = `/v2/datasets/${SLUG}?symbol=2330&limit=1`
const CELL = ['foreign_net_buy', "ticker = '2330'"] as const
let s: TestService
let key: string
let newest: ReturnType<typeof stored>
let parent: string

/**
 * Two releases with the same base part. The newer release has a delta part that the engine has not
 * read.
 */
beforeEach(async () => {
  s = await service({ examples: false })
  for (const rows of [day('2026-06-29', 2), day('2026-06-30', 3)]) await publishRows(s.workspace, s.dir, s.dataset(SLUG), rows)
  await s.releases.refresh()
  parent = releaseIds(s.workspace.releases, SLUG)[0]!
  newest = stored(s.workspace.releases, SLUG)
  key = s.keyOn('max')
})
afterEach(() => s.close())

const delta = (): string => newest.paths.part(newest.delta[0]!.sha256)
const read = async (query = '') => {
  const response = await s.get(`${PATH}${query}`, key)
  const row = response.json().data?.[0]
  return [response.statusCode, response.headers['x-release'], row?.trade_date, row?.foreign_net_buy]
}
const served = () => s.releases.current(s.dataset(SLUG))

/** A scrub whose pauses are recorded and end immediately. */
function started(options: Partial<Parameters<Scrub['start']>[0]> = {}) {
  const rests: number[] = []
  const pause = (ms: number): Promise<unknown> => {
    rests.push(ms)
    return turn()
  }
  const stop = s.releases.scrub.start({ bytesPerSecond: 1e6, isBusy: () => false, now: () => NOW, pause, ...options })
  const rested = () => rests.reduce((sum, ms) => sum + ms, 0)
  return { rests, rested, stop }
}

/** Runs a scrub until a condition holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}

it('the scrub finds a flipped bit in an earlier release that was read', async () => {
  await s.publish(SLUG, day('2026-07-01', 4))
  expect(await read(`&release=${newest.release}`)).toEqual([200, newest.release, '2026-06-30', 302])
  await flipSilently(delta(), CELL)
  await scrubbed(s.releases)
  expect((await read(`&release=${newest.release}`))[0]).toBe(500)
  expect((await read())[0]).toBe(200)
})

it('if a part is modified after verification, it is hashed again before its release is activated', async () => {
  await flipSilently(delta(), CELL)
  writeFileSync(newest.paths.current, `${newest.release}\n`)
  await s.releases.refresh()
  expect(await read()).toEqual([200, parent, '2026-06-29', 202])
})

it('the scrub notices a changed file at its next check, before its pass reaches the file', async () => {
  await s.publish('securities-firm-master', s.dataset('securities-firm-master').example)
  const scrub = started({ leastLapMs: 1e12 })
  await until(() => scrub.rests.length > 0)
  await flipSilently(delta(), CELL)
  await until(() => served().degraded)
  expect(s.releases.scrub.progress()).toMatchObject({ laps: 0, parts: 2 })
  await scrub.stop()
})

it('if several files are touched together, the scrub causes only one activation', async () => {
  const steps = (): number => s.lines.filter(line => line.includes('"release served"')).length
  const scrub = started({ leastLapMs: 1e12 })
  await until(() => scrub.rests.length > 0)
  const [before, paths] = [steps(), served().manifest.parts.map(served().pathOf)]
  for (const file of newest.files) utimesSync(file, NOW, NOW)
  await until(() => steps() > before)
  expect(
    served()
      .manifest.parts.map(served().pathOf)
      .filter(path => paths.includes(path)),
  ).toEqual([])
  await scrub.stop()
  expect(steps()).toBe(before + 1)
})

it('a stopped scrub reads nothing more, even if stopped during a pause', async () => {
  const scrub = started({
    pause: (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  await turn()
  await scrub.stop()
  await flipSilently(delta(), CELL)
  for (let turns = 0; turns < 100; turns++) await turn()
  expect([served().degraded, s.releases.scrub.progress().laps]).toEqual([false, 0])
})

it('the diagnostics of a running service show the progress of the scrub', async () => {
  const running = await serving(s.dir, 'serve', SECRETS)
  try {
    const headers = { 'x-diagnostics-secret': SECRETS.DIAGNOSTICS_SECRET }
    const scrub = async () =>
      ((await (await fetch(`${running.url}/internal/db-diagnostics`, { headers })).json()) as { scrub: unknown }).scrub
    expect(await scrub()).toMatchObject({ parts: 2, laps: 0, last_lap_ended_at: null, last_lap_seconds: null })
    await flipSilently(delta(), CELL)
    const degraded = async () => ((await (await fetch(`${running.url}/readyz`)).json()) as { degraded: unknown }).degraded
    await expect.poll(degraded, { timeout: 20_000 }).toEqual([SLUG])
  } finally {
    expect(await running.stop()).toBe(0)
  }
})

it('the scrub is eight times slower while reads run', async () => {
  const scrub = started({ isBusy: () => true })
  await until(() => s.releases.scrub.progress().laps === 1)
  expect(scrub.rested()).toBeCloseTo(8 * 120_000, 3)
  await scrub.stop()
})

it('after a flipped bit in the footer of a part is restored, the part is read correctly', async () => {
  const restore = await flipSilently(delta(), CELL, 'footer')
  expect((await read())[3]).not.toBe(302)
  restore()
  await scrubbed(s.releases)
  expect(await read()).toEqual([200, newest.release, '2026-06-30', 302])
})

it('the scrub reopens a touched but valid file and keeps serving its release', async () => {
  const before = served()
  const { atime, mtime } = statSync(delta())
  utimesSync(delta(), atime, mtime)
  await scrubbed(s.releases)
  expect(served()).toMatchObject({ id: newest.release, degraded: false })
  expect(served().manifest.parts.map(served().pathOf)).not.toEqual(before.manifest.parts.map(before.pathOf))
  expect(await read()).toEqual([200, newest.release, '2026-06-30', 302])
  for (let touch = 0; touch < 5; touch++) {
    utimesSync(delta(), atime, mtime)
    await scrubbed(s.releases)
    expect(await read()).toEqual([200, newest.release, '2026-06-30', 302])
  }
})
