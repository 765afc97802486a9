import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Feed } from '../../ingest/formats/index.ts'
import { ingestFiles } from '../../ingest/index.ts'
import { body, feeds, t86Body } from '../fixtures/ingest/bodies.ts'
import { sha256 } from '../fixtures/publish/store.ts'
import { service, type TestService } from '../support.ts'

const TRADES = 'institutional-positioning'
let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
})
afterAll(() => s.close())

const good = (day: string, seed: number) => body(s, `${day}.json`, t86Body(day, { '2330': [seed, 0, 0], '0050': [0, seed, 0] }))
const run = (feed: Feed, files: readonly string[]) =>
  ingestFiles(s.workspace, feed, files, { requestedDay: undefined, accept: [], progress: () => {} })

describe('bodies over the size limit', () => {
  const small = { ...feeds.get('twse-t86')!, mostBytes: 8 * 1024 }
  const spaced = t86Body('2026-06-29', { '2330': [9, 9, 9] }) + ' '.repeat(80 * 1024)

  it("a body over its feed's size limit is refused with its size and the limit; other files are published", async () => {
    const large = body(s, 'large.json', spaced)
    const { results, publications } = await run(small, [large, good('2026-06-30', 1)])
    expect(publications).toMatchObject([{ dataset: TRADES, outcome: { status: 'published', changes: { rows_added: 2 } } }])
    expect(results).toMatchObject([
      {
        file: 'large.json',
        outcome: 'refused',
        said: 'too_large',
        sha256: sha256(readFileSync(large)),
        message: expect.stringMatching(/^large\.json has 80\.8 KB, but twse-t86 reads at most 8\.0 KB\b.*twmd publish/),
      },
      { file: '2026-06-30.json', outcome: 'published' },
    ])
    expect(readFileSync(join(results[0]!.quarantined!, 'large.json'))).toEqual(readFileSync(large))
  })

  it('a compressed body that unpacks beyond the size limit is refused as too large, not as damaged', async () => {
    const packed = body(s, 'large.json.gz', spaced)
    expect(readFileSync(packed).length).toBeLessThan(small.mostBytes)
    const { results } = await run(small, [packed, good('2026-06-29', 2)])
    expect(results).toMatchObject([
      { said: 'too_large', message: expect.stringContaining('large.json.gz unpacks to more than 8.0 KB') },
      { outcome: 'published' },
    ])
  })
})

it('a body that causes an unexpected error in the feed is refused, and the message names the error; other files are published', async () => {
  const feed = feeds.get('twse-t86')!
  const failing: Feed = {
    ...feed,
    parse(file, day) {
      if (file.name === 'odd.json') throw new RangeError('Invalid string length')
      return feed.parse(file, day)
    },
  }
  const { results } = await run(failing, [body(s, 'odd.json', '{}'), good('2026-06-26', 3)])
  expect(results).toMatchObject([
    {
      outcome: 'refused',
      said: 'reader_failed',
      message: expect.stringMatching(/^twse-t86 could not read odd\.json \(Invalid string length\)/),
    },
    { outcome: 'published' },
  ])
})
