import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Dataset, Row } from '../../../catalog/index.ts'
import { checkFiles, publishFiles } from '../../../ingest/index.ts'
import { type MappingWords, mappingBeside, mappingFrom, readMapping, UNITS } from '../../../ingest/mappings/index.ts'
import { testWorkspaces } from '../../fixtures/ingest/workspace.ts'
import { storedRows } from '../../fixtures/publish/store.ts'

const { dir, now: workspace, of, file } = testWorkspaces()

const prices = (): Dataset => of('daily-prices')
const words = (part: Partial<MappingWords>): MappingWords => ({ map: [], set: [], ignore: [], ...part })
const FOREIGN = ['date,stock_id,who,shares,money', '2026-06-30,0050,元大台灣50,5,6']
const PAIRS = 'date=trade_date,stock_id=ticker,who=name,shares=volume,money=turnover'
const plain = (): ReturnType<typeof mappingFrom> => mappingFrom(words({ map: [PAIRS], set: ['market=TWSE'] }), prices())

/** Publishes a file of daily prices and reads one column of what is served. */
async function published(path: string, mapping: ReturnType<typeof mappingFrom>, select: string): Promise<readonly Row[]> {
  const { status, faults } = await publishFiles(workspace(), prices(), [path], { accept: [], synthetic: false, mapping })
  expect([status, faults]).toEqual(['published', []])
  return storedRows(workspace().session, workspace().releases, 'daily-prices', select, 'ORDER BY ticker')
}

describe('columns named in the command', () => {
  it.each(['foreign.csv', 'foreign.ndjson', 'foreign.json', 'foreign.parquet'])('are ours in %s', async name => {
    const path = join(dir(), name)
    const row = { date: '2026-06-30', stock_id: '0050', who: '元大台灣50', shares: 5, money: 6 }
    if (name.endsWith('.csv')) file(name, FOREIGN)
    else if (name.endsWith('.ndjson')) file(name, [JSON.stringify(row)])
    else if (name.endsWith('.json')) file(name, [JSON.stringify([row])])
    // Frames write a day as a moment at midnight.
    else
      await workspace().session.run(
        `COPY (SELECT TIMESTAMP '2026-06-30 00:00:00' AS date, '0050' AS stock_id, 'x' AS who, 5::BIGINT AS shares, 6::BIGINT AS money) TO '${path}' (FORMAT parquet)`,
      )
    expect(await published(path, plain(), 'ticker, market, trade_date::VARCHAR AS day, volume::VARCHAR AS volume')).toEqual([
      { ticker: '0050', market: 'TWSE', day: '2026-06-30', volume: '5' },
    ])
  })

  it('are refused where the file lacks one, by the name it has in the file', async () => {
    const { status, faults } = await checkFiles(
      workspace(),
      prices(),
      [file('less.csv', ['date,stock_id,who,shares', '2026-06-30,0050,x,5'])],
      {
        accept: [],
        mapping: plain(),
      },
    )
    expect([status, faults]).toMatchObject([
      'refused',
      [{ rule: 'missing_column', column: 'money', message: expect.stringContaining('date, stock_id, who, shares') }],
    ])
  })

  it('leave those that are neither ours nor ignored to be refused', async () => {
    const path = file('more.csv', [`${FOREIGN[0]},spread`, `${FOREIGN[1]},1`])
    expect(await checkFiles(workspace(), prices(), [path], { accept: [], mapping: plain() })).toMatchObject({
      status: 'refused',
      faults: [{ rule: 'unknown_column', column: 'spread' }],
    })
    const mapping = mappingFrom(words({ map: [PAIRS], set: ['market=TWSE'], ignore: ['spread'] }), prices())
    expect(await checkFiles(workspace(), prices(), [path], { accept: [], mapping })).toMatchObject({ status: 'publishable' })
  })

  it('are refused where another column of the file has the name already', async () => {
    const path = file('both.csv', [`${FOREIGN[0]},volume`, `${FOREIGN[1]},1`])
    expect(await checkFiles(workspace(), prices(), [path], { accept: [], mapping: plain() })).toMatchObject({
      faults: [{ rule: 'unknown_column', column: 'volume' }],
    })
  })

  it('of codes that are numbers in the file have lost their zeros, and are refused', async () => {
    const path = file('bare.ndjson', ['{"date":"2026-06-30","stock_id":50,"who":"x","shares":5,"money":6}'])
    expect(await checkFiles(workspace(), prices(), [path], { accept: [], mapping: plain() })).toMatchObject({
      faults: [{ rule: 'type', message: expect.stringContaining('stock_id must be text') }],
    })
  })

  it.each([
    [{ map: ['date'] }, "--map date: write the file's column, =, and ours"],
    [{ map: ['a=trade_date,b=trade_date'] }, '--map gives trade_date two columns of the file'],
    [{ map: ['a=trade_dte'] }, 'did you mean trade_date?'],
    [{ map: ['a=volume:lot→shares'] }, 'there is no conversion lot→shares; known are lots→shares'],
    [{ map: ['a=turnover:lots->shares'] }, 'converts turnover by lots→shares, and turnover is integer in TWD'],
    [{ map: ['a=volume'], set: ['volume=1'] }, 'gives volume a column of the file and a value'],
    [{ set: ['market'] }, '--set market: write our column, = and its value'],
  ])('are misused as %j', (part, message) => {
    expect(() => mappingFrom(words(part), prices())).toThrow(message)
  })
})

describe('units are converted without rounding', () => {
  it.each([
    ['lots→shares', 'volume', '12345.678', '12345678'],
    ['lots->shares', 'volume', '.5', '500'],
    ['lots→shares', 'volume', '9007199254740.991', '9007199254740991'],
    ['lots→shares', 'volume', '1.5e1', '15000'],
    ['commas→number+lots→shares', 'volume', '12,345.678', '12345678'],
    ['thousand→TWD', 'turnover', '0.25', '250'],
    ['million→TWD', 'turnover', '1.000001', '1000001'],
    ['hundred-million→TWD', 'turnover', '0.00000001', '1'],
    ['roc→date', 'trade_date', '115/06/30', '2026-06-30'],
    ['roc→date', 'trade_date', '1150630', '2026-06-30'],
    ['roc→date', 'trade_date', '880102', '1999-01-02'],
    ['roc→date', 'trade_date', '115年6月3日', '2026-06-03'],
    ['western→date', 'trade_date', '20260630', '2026-06-30'],
    ['western→date', 'trade_date', '2026/6/30', '2026-06-30'],
    ['western→date', 'trade_date', '2026-06-30 00:00:00', '2026-06-30'],
    ['market→code', 'market', '上櫃', 'TPEX'],
    ['market→code', 'market', 'tse', 'TWSE'],
    ['dash→absent', 'trades', '--', null],
    ['dash→absent+commas→number', 'trades', '1,234', '1234'],
    ['trim', 'name', ' 聯電　', '聯電'],
  ])('%s: %s %s is %s', async (units, column, given, ours) => {
    const rest = { trade_date: '2026-06-30', ticker: '0050', market: 'TWSE', name: 'x', volume: '1', turnover: '1' } as Record<
      string,
      string
    >
    delete rest[column]
    const path = file('one.csv', [[...Object.keys(rest), 'theirs'].join(','), [...Object.values(rest), `"${given}"`].join(',')])
    const mapping = mappingFrom(words({ map: [`theirs=${column}:${units}`] }), prices())
    expect(await published(path, mapping, `${column}::VARCHAR AS cell`)).toEqual([{ cell: ours }])
  })

  it.each([
    ['lots→shares', 'volume', '1.2345'],
    ['lots→shares', 'volume', 'many'],
    ['lots→shares', 'volume', '1,000'],
    ['commas→number', 'volume', '1,5'],
    ['roc→date', 'trade_date', '2026/06/30'],
    ['roc→date', 'trade_date', '115/13/30'],
    ['western→date', 'trade_date', '2026-06-30 09:00:00'],
    ['market→code', 'market', '火星'],
  ])('%s: %s %s is refused', async (units, column, given) => {
    const rest = { trade_date: '2026-06-30', ticker: '0050', market: 'TWSE', name: 'x', volume: '1', turnover: '1' } as Record<
      string,
      string
    >
    delete rest[column]
    const path = file('one.csv', [[...Object.keys(rest), 'theirs'].join(','), [...Object.values(rest), `"${given}"`].join(',')])
    const mapping = mappingFrom(words({ map: [`theirs=${column}:${units}`] }), prices())
    const { status, faults } = await checkFiles(workspace(), prices(), [path], { accept: [], mapping })
    expect([status, faults[0]!.column]).toEqual(['refused', column])
  })

  it('of a ratio in percent keeps its digits', async () => {
    const ratios = of('institutional-positioning')
    expect(() => mappingFrom(words({ map: ['p=foreign_net_buy:percent→ratio'] }), ratios)).toThrow('is integer in shares')
    expect(mappingFrom(words({ map: ['p=foreign_pct:percent>ratio'] }), ratios)!.columns['foreign_pct']).toEqual({
      from: 'p',
      units: ['percent→ratio'],
    })
  })

  it('are all named in the help', () => expect(UNITS).toContain('percent→ratio'))
})

describe('a kept mapping', () => {
  const TRADES = 'institutional-positioning'
  const NAME = 'finmind-institutional-trades'
  const long = [
    'date,stock_id,buy,name,sell',
    '2026-06-30,2330,1000,Foreign_Investor,300',
    '2026-06-30,2330,9,Foreign_Dealer_Self,8',
    '2026-06-30,2330,50,Investment_Trust,80',
    '2026-06-30,2330,10,Dealer_self,5',
    '2026-06-30,2330,7,Dealer_Hedging,1',
  ]
  const kept = () => mappingFrom(words({ set: ['market=TWSE'] }), of(TRADES), readMapping(NAME, of(TRADES), dir()))
  const checked = (lines: readonly string[]) =>
    checkFiles(workspace(), of(TRADES), [file('long.csv', lines)], { accept: [], mapping: kept() })

  it('adds rows of a long form up to one', async () => {
    const { status } = await publishFiles(workspace(), of(TRADES), [file('long.csv', long)], {
      accept: [],
      synthetic: false,
      mapping: kept(),
    })
    expect(status).toBe('published')
    const select =
      'ticker, foreign_net_buy::INTEGER AS f, investment_trust_net_buy::INTEGER AS t, dealer_net_buy::INTEGER AS d, institutional_net_buy_total::INTEGER AS total'
    expect(await storedRows(workspace().session, workspace().releases, TRADES, select)).toEqual([
      { ticker: '2330', f: 700, t: -30, d: 11, total: 681 },
    ])
  })

  it('refuses a row that stands in the file twice, instead of adding it twice', async () => {
    for (const twice of [long[1]!, long[1]!.replace('Foreign_Investor', 'Foreign_Investor ')])
      expect(await checked([...long, twice])).toMatchObject({
        status: 'refused',
        faults: [{ rule: 'grain', message: expect.stringContaining('Foreign_Investor') }],
      })
  })

  it('refuses rows of a kind it does not know, and leaves out those it names', async () => {
    expect(await checked(long)).toMatchObject({ status: 'publishable' })
    expect(await checked([...long, '2026-06-30,2330,1,Martian,1'])).toMatchObject({
      status: 'refused',
      faults: [{ rule: 'unknown_value', message: expect.stringContaining('Martian') }],
    })
  })

  it('takes a total where its parts are missing, never beside them, and refuses one that they do not add up to', async () => {
    const total = (bought: number): string => `2026-06-30,2330,${bought},Dealer,0`
    const dealers = async (...lines: readonly string[]) => {
      const [all, path] = [[...long.slice(0, 4), ...lines], `dealers${lines.length}.csv`]
      const { status } = await publishFiles(workspace(), of(TRADES), [file(path, all)], { accept: [], synthetic: false, mapping: kept() })
      const [row] = await storedRows(workspace().session, workspace().releases, TRADES, 'dealer_net_buy', '')
      return [status, Number(row!['dealer_net_buy'])]
    }
    expect(await dealers(total(12))).toEqual(['published', 12])
    expect(await dealers(...long.slice(4), total(11))).toEqual(['published', 11])
    expect(await checked([...long, total(12)])).toMatchObject({
      status: 'refused',
      faults: [{ rule: 'total_differs', column: 'dealer_net_buy', message: expect.stringContaining('add up to 11') }],
    })
  })

  it('refuses a value that is no number, instead of leaving it out of the sum', async () => {
    expect(await checked([...long.slice(0, -1), '2026-06-30,2330,many,Dealer_Hedging,1'])).toMatchObject({
      status: 'refused',
      faults: [{ rule: 'type', column: 'dealer_net_buy', samples: [{ dealer_net_buy: 'many' }] }, { rule: 'null' }],
    })
  })

  it('refuses a row of ours that one of its kinds is missing from', async () => {
    expect(await checked(long.slice(0, 3))).toMatchObject({ status: 'refused', faults: [{ rule: 'null' }, { rule: 'null' }] })
  })

  it('of the operator lies in the data folder, and goes before one of the project', () => {
    mkdirSync(join(dir(), 'mappings'))
    const own = { dataset: 'daily-prices', about: 'Mine.', columns: { ticker: 'code' } }
    for (const name of ['mine', NAME]) writeFileSync(join(dir(), 'mappings', `${name}.json`), JSON.stringify(own))
    expect(readMapping('mine', prices(), dir()).columns['ticker']).toEqual({ from: 'code', units: [] })
    expect(readMapping(NAME, prices(), dir()).about).toBe('Mine.')
    expect(() => readMapping('mnie', prices(), dir())).toThrow('did you mean mine? Known: finmind-institutional-trades, mine')
  })

  it('of a folder is its mapping.json', () => {
    expect(mappingBeside(dir(), prices(), dir())).toBeUndefined()
    writeFileSync(
      join(dir(), 'mapping.json'),
      JSON.stringify({ dataset: 'daily-prices', about: 'Of this folder.', columns: { ticker: 'code' } }),
    )
    expect(mappingBeside(dir(), prices(), dir())!.about).toBe('Of this folder.')
  })

  it('of a folder may be a kept one by its name, with more said beside it', () => {
    const own = { dataset: 'daily-prices', about: 'Mine.', columns: { ticker: 'code' }, ignore: ['a'] }
    mkdirSync(join(dir(), 'mappings'))
    writeFileSync(join(dir(), 'mappings', 'mine.json'), JSON.stringify(own))
    const said = { mapping: 'mine', columns: { name: 'called' }, constants: { market: 'TWSE' }, ignore: ['b'] }
    writeFileSync(join(dir(), 'mapping.json'), JSON.stringify(said))
    expect(mappingBeside(dir(), prices(), dir())).toMatchObject({
      about: 'Mine.',
      columns: { ticker: { from: 'code' }, name: { from: 'called' } },
      constants: { market: 'TWSE' },
      ignore: ['a', 'b'],
    })
  })

  it.each([
    ['{', 'cannot be read'],
    ['{"mapping":"mnie"}', 'There is no mapping named mnie'],
    ['{"mapping":"../mine"}', 'is the name of a kept mapping, not a path'],
    ['{"mapping":"finmind-institutional-trades"}', 'is for institutional-positioning, not for daily-prices'],
    ['{"mapping":"finmind-institutional-trades","set":{}}', 'Unrecognized key'],
    ['{"dataset":"daily-prices","about":"x","columns":{},"colums":{}}', 'Unrecognized key'],
    [
      '{"dataset":"daily-prices","about":"x","columns":{"volume":{"from":"v","units":["lot→shares"]}}}',
      'there is no conversion lot→shares',
    ],
    ['{"dataset":"earnings","about":"x","columns":{}}', 'is for earnings, not for daily-prices'],
    ['{"dataset":"daily-prices","about":"x","columns":{"volum":"v"}}', 'did you mean volume?'],
  ])('that says %s is told what is wrong with it', (text, message) => {
    writeFileSync(join(dir(), 'mapping.json'), text)
    expect(() => mappingBeside(dir(), prices(), dir())).toThrow(message)
  })
})
