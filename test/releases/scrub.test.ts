import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createVerifier, type Scrub } from '../../src/releases/index.ts'
import { day } from '../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { scrubbed } from '../fixtures/releases/scrubbed.ts'
import { flipSilently } from '../fixtures/releases/silent-flip.ts'
import { NOW, publishRows, service, type TestService } from '../support.ts'

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
  s = await service({ examples: false, inMemory: false })
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

it.each([
  ['two minutes for little data', 1e6, () => 120_000],
  ['as long as its rate requires for more data', 10, (bytes: number) => 100 * bytes],
])('one pass of the scrub over all parts takes %s', async (_, bytesPerSecond, wanted) => {
  const { bytes } = s.releases.scrub.progress()
  expect(bytes).toBe(newest.manifest.parts.reduce((sum, part) => sum + part.bytes, 0))
  const scrub = started({ bytesPerSecond })
  await until(() => s.releases.scrub.progress().laps === 1)
  expect(scrub.rested()).toBeCloseTo(wanted(bytes), 3)
  expect(s.releases.scrub.progress()).toMatchObject({ lapEndedAt: NOW, lapSeconds: expect.any(Number) })
  await scrub.stop()
})

it('the scrub hashes small parts together before it pauses', async () => {
  const scrub = started({ bytesPerSecond: 1e12, leastLapMs: 800 })
  await until(() => s.releases.scrub.progress().laps === 1)
  expect(s.releases.scrub.progress().parts).toBe(2)
  expect(scrub.rests).toEqual([expect.closeTo(800, 3)])
  await scrub.stop()
})

it('the scrub takes parts of a new release first, then the parts that were verified longest ago', async () => {
  const verifier = createVerifier(s.workspace.releases)
  const hashed = (): string | undefined => verifier.due(verifier.verifications())?.part.sha256
  const hash = async (file: string): Promise<string> => /[0-9a-f]{64}/.exec(file)![0]
  const release = served()
  const [base, added] = [newest.base, newest.delta]
  await verifier.checkParts(release, base)
  await verifier.verifyAgain(verifier.due(verifier.verifications())!, hash)
  await verifier.checkParts(release, added)
  expect(hashed()).toBe(added[0]!.sha256)
  await verifier.verifyAgain(verifier.due(verifier.verifications())!, hash)
  expect(hashed()).toBe(base[0]!.sha256)
})

it('if a bit flips after verification, the next pass of the scrub finds it, and the older release is served', async () => {
  await flipSilently(delta(), CELL)
  const [status, release, date, wrong] = await read()
  expect([status, release, date]).toEqual([200, newest.release, '2026-06-30'])
  expect(wrong).not.toBe(302)
  await scrubbed(s.releases)
  expect(await read()).toEqual([200, parent, '2026-06-29', 202])
  expect((await s.get('/readyz')).json()).toMatchObject({ status: 'ready', degraded: [SLUG] })
  expect(s.lines.join('')).toContain(`part ${newest.delta[0]!.sha256} does not match its sha256`)
})
