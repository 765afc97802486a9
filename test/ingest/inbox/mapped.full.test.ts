import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Publisher, publisher } from '../publish/publisher.ts'
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

let s: Publisher
let inbox: TestInbox
beforeEach(async () => {
  s = await publisher()
  inbox = inboxOf(s)
})
afterEach(() => s.close())

const served = (): Promise<readonly Record<string, unknown>[]> =>
  s.rows(PRICES, 'trade_date::VARCHAR AS trade_date, volume::INTEGER AS volume', 'ORDER BY trade_date DESC')

it('mapping.json can extend a stored mapping by name', async () => {
  const slug = 'institutional-positioning'
  inbox.drop(`${slug}/mapping.json`, '{"mapping":"finmind-institutional-trades","constants":{"market":"TWSE"}}')
  const kinds = ['Foreign_Investor,300', 'Investment_Trust,80', 'Dealer_self,5', 'Dealer_Hedging,1']
  const lines = kinds.map(kind => `2026-06-30,2330,1000,${kind}`)
  inbox.drop(`${slug}/trades.csv`, ['date,stock_id,buy,name,sell', ...lines, ''].join('\n'))
  expect(outcomesOf(await inbox.once())).toEqual({ 'trades.csv': 'published' })
  const legs = ['foreign_net_buy', 'investment_trust_net_buy', 'dealer_net_buy'].map(leg => `${leg}::INTEGER AS ${leg}`)
  expect(await s.rows(slug, `market, ${legs}`)).toEqual([
    { market: 'TWSE', foreign_net_buy: 700, investment_trust_net_buy: 920, dealer_net_buy: 1_994 },
  ])
})

it('a corrected mapping.json makes published and refused files readable again', async () => {
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
  const messages = events.flatMap(event => (event.kind === 'taken' ? event.files.flatMap(file => file.said) : []))
  expect(messages).toEqual(['The same content was imported before as a.csv with another mapping, so it was read again.'])
  expect((await served()).map(({ volume }) => volume)).toEqual([2_500, 15_000])
  inbox.drop(`${PRICES}/a.csv`, theirs('115/06/29', '15'))
  expect(outcomesOf(await inbox.once())).toEqual({ 'a.csv': 'already' })
})

it('files wait while mapping.json is invalid, the fault is reported once, and the files are published once it is fixed', async () => {
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
