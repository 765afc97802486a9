import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { day } from '../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const PATH = `/v2/datasets/${SLUG}?symbol=2330`
let s: TestService
let key: string
let newest: ReturnType<typeof stored>
/** The part that only the newest release has, and its bytes. */
let part: string
let whole: Buffer

/** Three releases, each with its own part. */
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  await s.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
  await s.publish(SLUG, day('2026-06-30', 3))
  await s.publish(SLUG, day('2026-07-01', 4))
  newest = stored(s.workspace.releases, SLUG)
  part = partOf(newest.release)
  whole = readFileSync(part)
})
afterAll(() => s.close())
beforeEach(() => {
  key = s.keyOn('max')
})
afterEach(async () => {
  writeFileSync(part, whole)
  await expect.poll(async () => (await read()).release, { timeout: 60_000 }).toBe(newest.release)
})

const ids = (): readonly string[] => releaseIds(s.workspace.releases, SLUG)
/** The new part of a release. */
const partOf = (release: string): string => {
  const before = ids()[ids().indexOf(release) - 1]!
  const parts = (id: string): readonly { sha256: string }[] => JSON.parse(readFileSync(newest.paths.manifest(id), 'utf8')).parts
  const old = new Set(parts(before).map(({ sha256 }) => sha256))
  return newest.paths.part(parts(release).find(({ sha256 }) => !old.has(sha256))!.sha256)
}

async function read(query = '') {
  const response = await s.get(`${PATH}${query}`, key)
  const body = response.json()
  const { statusCode, headers } = response
  return {
    status: statusCode,
    release: headers['x-release'],
    code: body.error?.error_code,
    charged: headers['x-credits-charged'],
    body,
    headers,
  }
}

const overwrite = (file: string): void => writeFileSync(file, Buffer.alloc(statSync(file).size, 7))

it('if a file of the newest release is overwritten, reads use the older release until the file is restored', async () => {
  const [, parent] = ids()
  overwrite(part)
  expect(await read()).toMatchObject({
    status: 200,
    release: parent,
    charged: '2',
    body: { row_count: 3 },
    headers: { 'x-warnings': expect.stringContaining('newest_release_damaged_older_one_served') },
  })
  expect((await s.get('/v2/datasets')).json().data).toContainEqual(expect.objectContaining({ slug: SLUG, status: 'degraded' }))
  writeFileSync(part, whole)
  await expect.poll(async () => (await read()).release, { timeout: 60_000 }).toBe(newest.release)
  expect(await read()).toMatchObject({ status: 200, body: { row_count: 4 } })
})

it('a read pinned to a damaged release is refused without a charge, and other reads use the older release', async () => {
  overwrite(part)
  const pinned = await read(`&release=${newest.release}`)
  expect(pinned).toMatchObject({ status: 500, code: 'integrity', charged: '0', release: undefined })
  const failures = s.lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'failed')
  expect(failures).toEqual([expect.objectContaining({ code: 'integrity', cause: expect.stringMatching(/parquet/i) })])
  expect(JSON.stringify(pinned.body)).not.toMatch(/parquet/i)
  expect(await read()).toMatchObject({ status: 200, release: ids()[1] })
})

it('parallel reads of a damaged part all succeed from the older release', async () => {
  const others = Array.from({ length: 12 }, (_, at) => s.keyOn('max', `many${at}@example.test`))
  overwrite(part)
  const answers = await Promise.all(others.map(other => s.get(PATH, other)))
  expect(answers.map(({ statusCode, headers }) => [statusCode, headers['x-release']])).toEqual(others.map(() => [200, ids()[1]]))
})

it('a damaged release is not verified again while its file is unchanged', async () => {
  overwrite(part)
  await read()
  const looks = (): number => s.lines.filter(line => /release (damaged|served)/.test(line)).length
  const before = looks()
  for (let attempt = 0; attempt < 5; attempt++) await s.releases.refresh()
  expect(looks()).toBe(before)
})
