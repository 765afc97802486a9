import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Publisher, publisher } from '../publish/publisher.ts'
import { inboxOf, outcomesOf, type TestInbox } from './inbox.ts'

const PRICES = 'daily-prices'
const MAPPING = {
  dataset: PRICES,
  about: 'Of this folder.',
  columns: {
    ticker: 'code',
    trade_date: { from: 'day', units: ['roc→date'] },
    name: 'called',
    volume: { from: 'lots', units: ['lots→shares'] },
    turnover: 'money',
  },
  constants: { market: 'TWSE' },
}
const theirs = (day: string, lots: string): string => `day,code,called,lots,money\n${day},2330,台積電,${lots},5\n`

let s: Publisher
let inbox: TestInbox
beforeEach(async () => {
  s = await publisher()
  inbox = inboxOf(s)
})
afterEach(() => s.close())

const served = (): Promise<readonly Record<string, unknown>[]> =>
  s.rows(PRICES, 'trade_date::VARCHAR AS trade_date, volume::INTEGER AS volume', 'ORDER BY trade_date DESC')

it('mapping.json of an inbox folder maps its files and stays in place', async () => {
  inbox.drop(`${PRICES}/mapping.json`, JSON.stringify(MAPPING))
  inbox.drop(`${PRICES}/a.csv`, theirs('115/06/29', '1.5'))
  inbox.drop(`${PRICES}/vendor/b.csv`, theirs('115/06/30', '2'))
  inbox.drop(`${PRICES}/c.csv`, theirs('115/06/26', '1.2345'))
  expect(outcomesOf(await inbox.once())).toEqual({ 'a.csv': 'published', 'vendor/b.csv': 'published', 'c.csv': 'type' })
  expect(inbox.files('inbox')).toEqual([`${PRICES}/mapping.json`])
  expect((await served()).map(({ trade_date, volume }) => [trade_date, volume])).toEqual([
    ['2026-06-30', 2_000],
    ['2026-06-29', 1_500],
  ])
})

it('twmd watch reports a pipe named mapping.json and does not wait for it', async () => {
  const path = inbox.drop(`${PRICES}/mapping.json`, '')
  rmSync(path)
  execFileSync('mkfifo', [path])
  inbox.drop(`${PRICES}/a.csv`, theirs('115/06/29', '1.5'))
  expect(await inbox.once()).toMatchObject([{ kind: 'failed', error: { message: expect.stringContaining('is not a regular file') } }])
})

it('mapping.json outside the folder of a dataset is reported and ignored', async () => {
  for (const place of ['feeds/twse-t86', `${PRICES}/vendor`]) inbox.drop(join(place, 'mapping.json'), JSON.stringify(MAPPING))
  const events = await inbox.once()
  expect(events.map(event => event.kind === 'left' && [event.place, event.message])).toEqual([
    [PRICES, expect.stringContaining('directly in the folder of a dataset')],
    ['feeds/twse-t86', expect.stringContaining('directly in the folder of a dataset')],
  ])
})
