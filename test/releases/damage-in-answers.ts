import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { trade } from '../fixtures/publish/rows.ts'
import { stored } from '../fixtures/publish/store.ts'
import { scrubbed } from '../fixtures/releases/scrubbed.ts'
import { flipSilently } from '../fixtures/releases/silent-flip.ts'
import { type Listening, listening, READ, type Sent, SLUG } from '../http/kernel/listening.ts'

const DAY = '2026-06-30'
let l: Listening
let key: string
let newest: ReturnType<typeof stored>
let sha256: string

const damage = (): Promise<() => void> => flipSilently(newest.paths.part(sha256), ['foreign_net_buy', `trade_date = '${DAY}'`])
const ask = async (path: string, headers: Sent = {}) => {
  const { status, headers: answerHeaders, body } = await l.send(path, { 'x-api-key': key, ...headers })
  const plain = answerHeaders['content-encoding'] === 'gzip' ? gunzipSync(body) : body
  return {
    status,
    release: answerHeaders['x-release'],
    etag: String(answerHeaders['etag']),
    body: plain.toString('latin1').replaceAll(/req_\w{26}/g, 'req'),
  }
}

type Form = readonly [name: string, path: string, headers: Sent]
/** Every form in which answers are cached. */
export const FORMS: readonly Form[] = [
  ['rows as JSON', `${READ}&limit=1`, {}],
  ['rows as CSV', `${READ}&limit=1&format=csv`, {}],
  ['rows as Parquet', `${READ}&limit=1&format=parquet`, {}],
  ['rows in a content coding', `${READ}&limit=100`, { 'accept-encoding': 'gzip' }],
  ['all keys of a day', `/v2/datasets/${SLUG}/cross-section?date=${DAY}`, {}],
  ['columns described', `/v2/datasets/${SLUG}/profile?symbol=2330`, {}],
]

/**
 * Registers tests that no cached answer with a flipped bit is sent after the damage was found, or
 * after the file was restored unnoticed.
 */
export function testDamagedAnswers(found: readonly Form[], restored: readonly Form[] = []): void {
  // The newest release has a part with one day that no other release has. Whole answers are cached,
  // but not rows.
  beforeEach(async () => {
    l = await listening({ answerBytes: 2 ** 20, inMemory: false, examples: false })
    await l.s.publish(SLUG, [trade('2330', DAY, 302)])
    newest = stored(l.s.workspace.releases, SLUG)
    sha256 = newest.delta[0]!.sha256
    key = l.s.keyOn('max')
  })
  afterEach(() => l.close())

  /** The correct answer, which is cached for another plan, and the wrong answer that is cached. */
  const damaged = async (path: string, headers: Sent) => {
    const right = await ask(path, { ...headers, 'x-api-key': l.s.keyOn('pro') })
    const restore = await damage()
    const wrong = await ask(path, headers)
    expect([wrong.status, wrong.release, wrong.body === right.body]).toEqual([200, newest.release, false])
    expect(await ask(path, headers)).toEqual(wrong)
    return { right: right.body, wrong, restore }
  }
  /**
   * Checks that the newest release is served with correct rows, and that only the ETag of the
   * correct answer yields 304.
   */
  const expectRepaired = async (path: string, headers: Sent, { right, wrong }: Awaited<ReturnType<typeof damaged>>) => {
    const repaired = await ask(path, { ...headers, 'if-none-match': wrong.etag })
    expect(repaired).toMatchObject({ status: 200, release: newest.release, body: right })
    expect(await ask(path, headers)).toEqual(repaired)
    expect(await ask(path, { ...headers, 'if-none-match': repaired.etag })).toMatchObject({ status: 304, etag: repaired.etag })
  }

  it.each(found)(
    'if a cached answer of %s was computed from a flipped bit, it is not sent after the scrub found the damage',
    async (_, path, headers) => {
      const answers = await damaged(path, headers)
      await scrubbed(l.s.releases)
      const older = await ask(path, { ...headers, 'if-none-match': answers.wrong.etag })
      expect([older.status, older.release, older.body === answers.wrong.body]).toEqual([200, newest.manifest.parent, false])
      answers.restore()
      await l.s.releases.refresh()
      await expectRepaired(path, headers, answers)
    },
  )

  it.each(restored)(
    'if a cached answer of %s was computed from a flipped bit, it is not sent even if the file was restored before any check',
    async (_, path, headers) => {
      const answers = await damaged(path, headers)
      answers.restore()
      await scrubbed(l.s.releases)
      await expectRepaired(path, headers, answers)
    },
  )

  if (restored.length === 0) return
  it('if a cached answer was computed from a flipped bit, it is not sent after a download of the restored file', async () => {
    const path = `${READ}&limit=1`
    const restore = await damage()
    const { body, etag } = await ask(path)
    expect(body).not.toContain('"foreign_net_buy":302,')
    restore()
    expect((await l.s.releases.retainedFile(l.s.dataset(SLUG), sha256)).file.sha256).toBe(sha256)
    await expect.poll(async () => (await ask(path, { 'if-none-match': etag })).body).toContain('"foreign_net_buy":302,')
  })
}
