import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { trade } from '../fixtures/publish/rows.ts'
import { stored } from '../fixtures/publish/store.ts'
import { scrubbed } from '../fixtures/releases/scrubbed.ts'
import { flipSilently } from '../fixtures/releases/silent-flip.ts'
import { type Listening, listening, READ, type Sent, SLUG } from '../http/kernel/two-ways.ts'

const DAY = '2026-06-30'
let l: Listening
let key: string
let newest: ReturnType<typeof stored>
let sha256: string

/** The newest release has a part of one day of its own. Whole answers are kept, and no rows. */
beforeEach(async () => {
  l = await listening({ answerBytes: 2 ** 20, inMemory: false, examples: false })
  await l.s.publish(SLUG, [trade('2330', DAY, 302)])
  newest = stored(l.s.workspace.releases, SLUG)
  sha256 = newest.delta[0]!.sha256
  key = l.s.keyOn('max')
})
afterEach(() => l.close())

const damage = (): Promise<() => void> => flipSilently(newest.paths.part(sha256), ['foreign_net_buy', `trade_date = '${DAY}'`])
const ask = async (path: string, headers: Sent = {}) => {
  const { status, headers: told, body } = await l.send(path, { 'x-api-key': key, ...headers })
  const plain = told['content-encoding'] === 'gzip' ? gunzipSync(body) : body
  return { status, release: told['x-release'], etag: String(told['etag']), body: plain.toString('latin1').replaceAll(/req_\w{26}/g, 'req') }
}

/** Every form in which answers are kept. */
const FORMS: readonly (readonly [what: string, path: string, headers: Sent])[] = [
  ['of rows as JSON', `${READ}&limit=1`, {}],
  ['of rows as CSV', `${READ}&limit=1&format=csv`, {}],
  ['of rows as Parquet', `${READ}&limit=1&format=parquet`, {}],
  ['of rows in a content coding', `${READ}&limit=100`, { 'accept-encoding': 'gzip' }],
  ['of all keys of a day', `/v2/datasets/${SLUG}/cross-section?date=${DAY}`, {}],
  ['of columns described', `/v2/datasets/${SLUG}/profile?symbol=2330`, {}],
]

describe.each(FORMS)('an answer %s that was made from a flipped bit, and kept,', (_, path, headers) => {
  /** The right answer, which another plan has of its own, and the wrong one, as it is kept. */
  const damaged = async () => {
    const right = await ask(path, { ...headers, 'x-api-key': l.s.keyOn('pro') })
    const restore = await damage()
    const wrong = await ask(path, headers)
    expect([wrong.status, wrong.release, wrong.body === right.body]).toEqual([200, newest.release, false])
    expect(await ask(path, headers)).toEqual(wrong)
    return { right: right.body, wrong, restore }
  }
  /** The newest release is served, right; the tag of the wrong answer confirms nothing, and that of the right one does. */
  const expectMended = async ({ right, wrong }: Awaited<ReturnType<typeof damaged>>) => {
    const mended = await ask(path, { ...headers, 'if-none-match': wrong.etag })
    expect(mended).toMatchObject({ status: 200, release: newest.release, body: right })
    expect(await ask(path, headers)).toEqual(mended)
    expect(await ask(path, { ...headers, 'if-none-match': mended.etag })).toMatchObject({ status: 304, etag: mended.etag })
  }

  it('is given to nobody once the scrub found the damage, nor after the file is back, and its tag confirms nothing', async () => {
    const found = await damaged()
    await scrubbed(l.s.releases)
    const older = await ask(path, { ...headers, 'if-none-match': found.wrong.etag })
    expect([older.status, older.release, older.body === found.wrong.body]).toEqual([200, newest.manifest.parent, false])
    found.restore()
    await l.s.releases.refresh()
    await expectMended(found)
  })

  it('is given to nobody after the file was put back before anybody saw the damage', async () => {
    const found = await damaged()
    found.restore()
    await scrubbed(l.s.releases)
    await expectMended(found)
  })
})

it('a kept answer made from a flipped bit is not given after the file was put back and somebody took the file before the scrub saw it', async () => {
  const path = `${READ}&limit=1`
  const restore = await damage()
  const { body, etag } = await ask(path)
  expect(body).not.toContain('"foreign_net_buy":302,')
  restore()
  expect((await l.s.releases.keptFile(l.s.dataset(SLUG), sha256)).file.sha256).toBe(sha256)
  await expect.poll(async () => (await ask(path, { 'if-none-match': etag })).body).toContain('"foreign_net_buy":302,')
})
