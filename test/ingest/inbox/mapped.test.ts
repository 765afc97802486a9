import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { service, type TestService } from '../../support.ts'
import { inboxOf, outcomesOf, publicationsOf, type TestInbox } from './inbox.ts'

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

let s: TestService
let inbox: TestInbox
beforeEach(async () => {
  s = await service({ examples: false })
  inbox = inboxOf(s)
})
afterEach(() => s.close())

const served = async (slug: string): Promise<readonly Record<string, unknown>[]> =>
  (await s.get(`/v2/datasets/${slug}?symbol=2330`, s.keyOn('max'))).json().envelope?.data

describe('files of another service dropped into the inbox', () => {
  it('become ours by the mapping.json of their folder, which stays', async () => {
    inbox.drop(`${PRICES}/mapping.json`, JSON.stringify(MAPPING))
    inbox.drop(`${PRICES}/a.csv`, theirs('115/06/29', '1.5'))
    inbox.drop(`${PRICES}/vendor/b.csv`, theirs('115/06/30', '2'))
    inbox.drop(`${PRICES}/c.csv`, theirs('115/06/26', '1.2345'))
    expect(outcomesOf(await inbox.once())).toEqual({ 'a.csv': 'published', 'vendor/b.csv': 'published', 'c.csv': 'type' })
    expect(inbox.files('inbox')).toEqual([`${PRICES}/mapping.json`])
    expect((await served(PRICES)).map(({ trade_date, volume }) => [trade_date, volume])).toEqual([
      ['2026-06-30', 2_000],
      ['2026-06-29', 1_500],
    ])
  })

  it('become ours by a kept mapping that mapping.json names and adds to', async () => {
    const slug = 'institutional-positioning'
    inbox.drop(`${slug}/mapping.json`, '{"mapping":"finmind-institutional-trades","constants":{"market":"TWSE"}}')
    const kinds = ['Foreign_Investor,300', 'Investment_Trust,80', 'Dealer_self,5', 'Dealer_Hedging,1']
    const lines = kinds.map(kind => `2026-06-30,2330,1000,${kind}`)
    inbox.drop(`${slug}/trades.csv`, ['date,stock_id,buy,name,sell', ...lines, ''].join('\n'))
    expect(outcomesOf(await inbox.once())).toEqual({ 'trades.csv': 'published' })
    const { data } = (await s.get(`/v2/datasets/${slug}?symbol=2330`, s.keyOn('max'))).json()
    expect(data).toMatchObject([{ market: 'TWSE', foreign_net_buy: 700, investment_trust_net_buy: 920, dealer_net_buy: 1_994 }])
  })

  it('stay where they are while it is broken, with what is wrong said once, and are taken once it is mended', async () => {
    for (const broken of ['{"dataset":', JSON.stringify({ ...MAPPING, columns: { tickr: 'code' } })]) {
      inbox.drop(`${PRICES}/mapping.json`, broken)
      for (const name of ['a.csv', 'b.csv']) inbox.drop(`${PRICES}/${name}`, theirs('115/06/29', '1.5'))
      inbox.drop('trading-calendar/a.csv', 'market,date,is_open\nTWSE,2026-06-19,false\n')
      const events = await inbox.once()
      const [failed, ...more] = events.filter(({ kind }) => kind === 'failed')
      expect(failed).toMatchObject({ place: PRICES, error: { message: expect.stringMatching(/^The mapping mapping.json .*(JSON|tickr)/) } })
      expect([more, outcomesOf(events)['a.csv']]).toEqual([[], expect.stringMatching(/published|already/)])
      expect(inbox.files('inbox')).toEqual(['a.csv', 'b.csv', 'mapping.json'].map(name => `${PRICES}/${name}`))
      expect(publicationsOf(events).map(([dataset]) => dataset)).not.toContain(PRICES)
      expect(inbox.files('quarantine')).toEqual([])
    }
    inbox.drop(`${PRICES}/mapping.json`, JSON.stringify(MAPPING))
    expect(outcomesOf(await inbox.once())).toEqual({ 'a.csv': 'published', 'b.csv': 'already' })
  })

  it('are read anew by a corrected one: those that were taken, and those that were refused', async () => {
    const [right, wrong] = [MAPPING.columns.volume, 'lots']
    inbox.drop(`${PRICES}/mapping.json`, JSON.stringify({ ...MAPPING, columns: { ...MAPPING.columns, volume: wrong } }))
    inbox.drop(`${PRICES}/a.csv`, theirs('115/06/29', '15'))
    inbox.drop(`${PRICES}/b.csv`, theirs('115/06/30', '2.5'))
    expect(outcomesOf(await inbox.once())).toEqual({ 'a.csv': 'published', 'b.csv': 'type' })
    inbox.drop(`${PRICES}/mapping.json`, JSON.stringify({ ...MAPPING, columns: { ...MAPPING.columns, volume: right } }))
    for (const [name, day, lots] of [
      ['again.csv', '115/06/29', '15'],
      ['b.csv', '115/06/30', '2.5'],
    ] as const)
      inbox.drop(`${PRICES}/${name}`, theirs(day, lots))
    const events = await inbox.once()
    expect(outcomesOf(events)).toEqual({ 'again.csv': 'published', 'b.csv': 'published' })
    const said = events.flatMap(event => (event.kind === 'taken' ? event.files.flatMap(file => file.said) : []))
    expect(said).toEqual(['Its bytes were taken before, as a.csv, and read by another mapping; they were read anew.'])
    expect((await served(PRICES)).map(({ volume }) => volume)).toEqual([2_500, 15_000])
    inbox.drop(`${PRICES}/a.csv`, theirs('115/06/29', '15'))
    expect(outcomesOf(await inbox.once())).toEqual({ 'a.csv': 'already' })
  })

  it('need a mapping that is a file: a pipe is not waited for', async () => {
    const path = inbox.drop(`${PRICES}/mapping.json`, '')
    rmSync(path)
    execFileSync('mkfifo', [path])
    inbox.drop(`${PRICES}/a.csv`, theirs('115/06/29', '1.5'))
    expect(await inbox.once()).toMatchObject([{ kind: 'failed', error: { message: expect.stringContaining('is not a file') } }])
  })

  it('have it in the folder of the dataset and nowhere else', async () => {
    for (const place of ['feeds/twse-t86', `${PRICES}/vendor`]) inbox.drop(join(place, 'mapping.json'), JSON.stringify(MAPPING))
    const events = await inbox.once()
    expect(events.map(event => event.kind === 'left' && [event.place, event.message])).toEqual([
      [PRICES, expect.stringContaining('in the folder of a dataset itself')],
      ['feeds/twse-t86', expect.stringContaining('in the folder of a dataset itself')],
    ])
  })
})
