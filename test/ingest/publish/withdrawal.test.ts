import { appendFileSync, cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { serveAgain } from '../../../ingest/publish/index.ts'
import { damagedParts, releaseIds, sha256, stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'trading-calendar'
let s: Publisher
let first: ReturnType<typeof stored>
let last: ReturnType<typeof stored>
const publish = async (date: string) => {
  await s.publish(SLUG, [{ market: 'TWSE', date, is_open: false, reason: null }])
  return current()
}
const current = () => stored(s.workspace.releases, SLUG)
const serve = (release: string) => serveAgain(s.workspace, s.dataset(SLUG), release)
let template: Publisher
beforeAll(async () => {
  s = template = await publisher()
  await publish('2026-06-19')
  await publish('2026-06-22')
})
afterAll(() => template.close())
beforeEach(async () => {
  s = await publisher({ copyOf: template.dir })
  const [earlier] = releaseIds(s.workspace.releases, SLUG)
  first = stored(s.workspace.releases, SLUG, earlier)
  last = current()
})
afterEach(() => s.close())

it('serving an earlier release withdraws the later release, and the next publication builds on the served release', async () => {
  expect(await serve(first.release)).toMatchObject({
    former: last.release,
    withdrawn: [last.release],
    manifest: { statistics: { rows: 1 } },
  })
  expect([current().release, damagedParts(s.workspace.releases, SLUG)]).toEqual([first.release, []])
  const { release, manifest } = await publish('2026-06-23')
  expect([manifest.parent, manifest.statistics.rows, release > last.release]).toEqual([first.release, 2, true])
  expect(await serve(last.release)).toMatchObject({ former: release, withdrawn: [release] })
})

it('serving a release repairs a file "current" that names no release', async () => {
  writeFileSync(last.paths.current, 'nothing')
  expect(await serve(first.release)).toMatchObject({ former: null, withdrawn: [] })
  expect(current().release).toBe(first.release)
})

it('serving a release is refused when it is served already, unknown, damaged or of another schema', async () => {
  const { paths } = last
  const part = () => paths.part(first.base[0]!.sha256)
  const reshape = () => {
    const text = readFileSync(paths.manifest(first.release), 'utf8').replace(first.manifest.schema_hash, '0'.repeat(64))
    writeFileSync(paths.manifest(first.release), text)
    writeFileSync(paths.seal(first.release), sha256(text))
  }
  const cases: readonly (readonly [what: string, spoil: () => void, release: string, message: RegExp])[] = [
    ['served already', () => {}, last.release, /^Release \S+ of trading-calendar is already served\.$/],
    ['unknown', () => {}, '20260101T000000000Z', /^There is no release 2026\S+ of \S+\. Nearest: \S+Z\. twmd releases list/],
    ['a path', () => {}, '../current', /^There is no release \.\.\/current of \S+\. Nearest: /],
    ['a missing part', () => rmSync(part()), first.release, /is damaged: part [0-9a-f]{64} is missing\. Restore it from a backup/],
    ['a longer part', () => appendFileSync(part(), 'x'), first.release, /is damaged: part [0-9a-f]{64} has \d+ bytes instead/],
    [
      'a changed manifest',
      () => appendFileSync(paths.manifest(first.release), ' '),
      first.release,
      /is damaged: the manifest of \S+ is damaged\. Restore/,
    ],
    ['cut spans', () => truncateSync(paths.spans(first.release), 9), first.release, /is damaged: the spans of \S+ are damaged\. Restore/],
    ['a missing manifest', () => rmSync(paths.manifest(first.release)), first.release, /is damaged: its manifest\.json is missing\./],
    ['other columns', reshape, first.release, /cannot be served: it has other columns than the catalog\. Publish its files again\.$/],
    [
      'a publication of another process',
      () => writeFileSync(join(paths.home, '.publishing'), String(process.ppid)),
      first.release,
      /^Process \d+ is publishing/,
    ],
  ]
  const whole = join(s.dir, 'whole')
  cpSync(paths.home, whole, { recursive: true })
  for (const [what, spoil, release, message] of cases) {
    spoil()
    const refusal = await serve(release).then(
      () => 'served',
      (error: Error) => error.message,
    )
    expect.soft(refusal, what).toMatch(message)
    expect.soft(readFileSync(paths.current, 'utf8').trim(), what).toBe(last.release)
    rmSync(paths.home, { recursive: true })
    cpSync(whole, paths.home, { recursive: true })
  }
})
