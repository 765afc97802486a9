import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Dataset, Row } from '../../../catalog/index.ts'
import { checkFiles, publishFiles } from '../../../ingest/index.ts'
import { type MappingWords, mappingBeside, mappingFrom, readMapping, UNITS } from '../../../ingest/mappings/index.ts'
import { storedRows } from '../../fixtures/publish/store.ts'
import { workspacesWithCalendar } from './workspaces.ts'

const { dir, now: workspace, dataset, file } = workspacesWithCalendar()

const prices = (): Dataset => dataset('daily-prices')
const words = (part: Partial<MappingWords>): MappingWords => ({ map: [], set: [], ignore: [], ...part })
const FOREIGN = ['date,stock_id,who,shares,money', '2026-06-30,0050,元大台灣50,5,6']
const PAIRS = 'date=trade_date,stock_id=ticker,who=name,shares=volume,money=turnover'
const plain = (): ReturnType<typeof mappingFrom> => mappingFrom(words({ map: [PAIRS], set: ['market=TWSE'] }), prices())

/** Publishes files of daily prices and reads columns of the served rows. */
async function published(paths: readonly string[], mapping: ReturnType<typeof mappingFrom>, select: string): Promise<readonly Row[]> {
  const { status, faults } = await publishFiles(workspace(), prices(), paths, { accept: [], synthetic: false, mapping })
  expect([status, faults]).toEqual(['published', []])
  return storedRows(workspace().session, workspace().releases, 'daily-prices', select, 'ORDER BY ticker')
}

describe('--map and --set', () => {
  it('--map and --set map the columns of CSV, NDJSON, JSON and Parquet files', async () => {
    const row = (stock_id: string) => ({ date: '2026-06-30', stock_id, who: '元大台灣50', shares: 5, money: 6 })
    const parquet = join(dir(), 'foreign.parquet')
    // Data frame libraries write a day as a timestamp at midnight.
    await workspace().session.run(
      `COPY (SELECT TIMESTAMP '2026-06-30 00:00:00' AS date, '0053' AS stock_id, 'x' AS who, 5::BIGINT AS shares, 6::BIGINT AS money) TO '${parquet}' (FORMAT parquet)`,
    )
    const paths = [
      file('foreign.csv', FOREIGN),
      file('foreign.ndjson', [JSON.stringify(row('0051'))]),
      file('foreign.json', [JSON.stringify([row('0052')])]),
      parquet,
    ]
    const rows = await published(paths, plain(), 'ticker, market, trade_date::VARCHAR AS day, volume::VARCHAR AS volume')
    for (const [index, path] of paths.entries())
      expect.soft(rows[index], path).toEqual({ ticker: `005${index}`, market: 'TWSE', day: '2026-06-30', volume: '5' })
  })

  it('a mapped column that the file lacks is refused, and the error has the name of the column in the file', async () => {
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

  it('a column that is neither mapped nor ignored is refused', async () => {
    const path = file('more.csv', [`${FOREIGN[0]},spread`, `${FOREIGN[1]},1`])
    expect(await checkFiles(workspace(), prices(), [path], { accept: [], mapping: plain() })).toMatchObject({
      status: 'refused',
      faults: [{ rule: 'unknown_column', column: 'spread' }],
    })
    const mapping = mappingFrom(words({ map: [PAIRS], set: ['market=TWSE'], ignore: ['spread'] }), prices())
    expect(await checkFiles(workspace(), prices(), [path], { accept: [], mapping })).toMatchObject({ status: 'publishable' })
  })

  it('a column is refused when the file has it both under its own name and under a mapped name', async () => {
    const path = file('both.csv', [`${FOREIGN[0]},volume`, `${FOREIGN[1]},1`])
    expect(await checkFiles(workspace(), prices(), [path], { accept: [], mapping: plain() })).toMatchObject({
      faults: [{ rule: 'unknown_column', column: 'volume' }],
    })
  })

  it('a mapped code column that has numbers is refused, because zeros are lost', async () => {
    const path = file('bare.ndjson', ['{"date":"2026-06-30","stock_id":50,"who":"x","shares":5,"money":6}'])
    expect(await checkFiles(workspace(), prices(), [path], { accept: [], mapping: plain() })).toMatchObject({
      faults: [{ rule: 'type', message: expect.stringContaining('stock_id must be text') }],
    })
  })

  it('--map and --set refuse unknown columns, unknown or unsuitable units, and two values for one column', () => {
    for (const [part, message] of [
      [{ map: ['date'] }, '--map date: expected FILE_COLUMN=DATASET_COLUMN'],
      [{ map: ['a=trade_date,b=trade_date'] }, '--map maps two columns of the file to trade_date'],
      [{ map: ['a=trade_dte'] }, 'did you mean trade_date?'],
      [{ map: ['a=volume:lot→shares'] }, 'unknown conversion lot→shares. Available: lots→shares'],
      [{ map: ['a=turnover:lots->shares'] }, 'applies the conversion lots→shares to turnover, but that column is integer in TWD'],
      [{ map: ['a=volume'], set: ['volume=1'] }, 'has both a column of the file and a constant value for volume'],
      [{ set: ['market'] }, '--set market: expected DATASET_COLUMN=VALUE'],
    ] as const)
      expect.soft(() => mappingFrom(words(part), prices()), JSON.stringify(part)).toThrow(message)
  })
})

describe('ticker→market', () => {
  const both = ['date,stock_id,who,shares,money', '2026-06-30,2330,台積電,5,6', '2026-06-30,6488,環球晶,7,8']
  const byTicker = () => mappingFrom(words({ map: [`${PAIRS},stock_id=market:ticker->market`] }), prices())
  const securities = async () => {
    const [example] = dataset('securities').example as readonly Row[]
    const rows = [
      { ...example, ticker: '2330', market: 'TWSE', isin: 'TW0002330008' },
      { ...example, ticker: '6488', market: 'TPEX', isin: 'TW0006488000' },
    ]
    const path = file(
      'securities.ndjson',
      rows.map(row => JSON.stringify(row)),
    )
    expect(await publishFiles(workspace(), dataset('securities'), [path], { accept: [], synthetic: false })).toMatchObject({
      status: 'published',
    })
  }

  it('with ticker→market, each row gets the market that the dataset securities has for its ticker', async () => {
    await securities()
    expect(await published([file('both.csv', both)], byTicker(), 'ticker, market, volume::INTEGER AS volume')).toEqual([
      { ticker: '2330', market: 'TWSE', volume: 5 },
      { ticker: '6488', market: 'TPEX', volume: 7 },
    ])
  })

  it('a ticker that is missing in the dataset securities is refused', async () => {
    await securities()
    const lines = [...both, '2026-06-30,9999,無此證券,1,1']
    const { status, faults } = await checkFiles(workspace(), prices(), [file('both.csv', lines)], { accept: [], mapping: byTicker() })
    expect([status, faults]).toMatchObject(['refused', [{ column: 'market', count: 1 }]])
  })

  it('ticker→market is refused if no securities are served, and the error names the command that publishes securities', async () => {
    const { status, faults } = await checkFiles(workspace(), prices(), [file('both.csv', both)], { accept: [], mapping: byTicker() })
    expect([status, faults]).toMatchObject([
      'refused',
      [{ rule: 'reference_missing', message: expect.stringContaining('twmd ingest isin'), message_zh: expect.stringContaining('isin') }],
    ])
  })

  it('twmd check proposes ticker→market for a file without a column of markets', async () => {
    const { proposal } = await checkFiles(workspace(), prices(), [file('both.csv', both)], { accept: [] })
    expect(proposal!.missing).toContainEqual({ column: 'market', values: ['TWSE', 'TPEX'], map: 'stock_id=market:ticker→market' })
  })
})

describe('units', () => {
  const HEADING = 'theirs_ticker,v,m,d,k,t,n'

  /**
   * Publishes rows with values in the units of other sources, one ticker each, and compares every
   * converted column.
   */
  async function expectConverted(
    units: Readonly<Record<string, string>>,
    cases: readonly (readonly [given: Readonly<Record<string, string>>, ours: Readonly<Record<string, string | null>>])[],
  ): Promise<void> {
    const plain: Readonly<Record<string, string>> = {
      volume: '1',
      turnover: '1',
      trade_date: '2026-06-30',
      market: 'TWSE',
      trades: '1',
      name: 'x',
    }
    const columns = Object.keys(plain)
    const lines = cases.map(([foreign], index) =>
      [String(1_000 + index), ...columns.map(column => `"${foreign[column] ?? plain[column]}"`)].join(','),
    )
    const path = file('units.csv', [HEADING, ...lines])
    const names = HEADING.split(',').slice(1)
    const map = [
      'theirs_ticker=ticker',
      ...columns.map((column, at) => `${names[at]}=${column}${units[column] ? `:${units[column]}` : ''}`),
    ]
    const select = `ticker, ${columns.map(column => `${column}::VARCHAR AS ${column}`)}`
    const rows = await published([path], mappingFrom(words({ map }), prices()), select)
    for (const [index, [foreign, ours]] of cases.entries())
      for (const [column, value] of Object.entries(ours))
        expect.soft(rows[index]?.[column], `${units[column]}: ${foreign[column]}`).toBe(value)
  }

  it('units convert lots, thousands, ROC dates, market names, dashes and blanks without rounding', () =>
    expectConverted(
      {
        volume: 'lots→shares',
        turnover: 'thousand→TWD',
        trade_date: 'roc→date',
        market: 'market→code',
        trades: 'dash→absent+commas→number',
        name: 'trim',
      },
      [
        [
          { volume: '12345.678', turnover: '0.25', trade_date: '115/06/30', market: '上櫃', trades: '--', name: ' 聯電　' },
          { volume: '12345678', turnover: '250', trade_date: '2026-06-30', market: 'TPEX', trades: null, name: '聯電' },
        ],
        [
          { volume: '.5', trade_date: '1150630', market: 'tse', trades: '1,234' },
          { volume: '500', trade_date: '2026-06-30', market: 'TWSE', trades: '1234' },
        ],
        [
          { volume: '9007199254740.991', trade_date: '880102', market: 'TWSE' },
          { volume: '9007199254740991', trade_date: '1999-01-02', market: 'TWSE' },
        ],
        [
          { volume: '1.5e1', trade_date: '115年6月3日', market: 'TWSE' },
          { volume: '15000', trade_date: '2026-06-03' },
        ],
      ],
    ))

  it('units convert numbers with commas, millions, western dates and dashes without rounding', () =>
    expectConverted({ volume: 'commas→number+lots->shares', turnover: 'million→TWD', trade_date: 'western→date', trades: 'dash→absent' }, [
      [
        { volume: '12,345.678', turnover: '1.000001', trade_date: '20260630', trades: '--' },
        { volume: '12345678', turnover: '1000001', trade_date: '2026-06-30', trades: null },
      ],
      [{ trade_date: '2026/6/30' }, { trade_date: '2026-06-30' }],
      [{ trade_date: '2026-06-30 00:00:00' }, { trade_date: '2026-06-30' }],
    ]))

  it('units convert every market name of exchanges and registers, in any case', () =>
    expectConverted({ market: 'market→code' }, [
      ...['TWSE', 'tse', 'sii', 'L', '上市', '集中市場'].map(market => [{ market }, { market: 'TWSE' }] as const),
      ...['TPEx', 'otc', 'O', '上櫃', '櫃買'].map(market => [{ market }, { market: 'TPEX' }] as const),
    ]))

  it('amounts in hundred millions are converted without rounding', () =>
    expectConverted({ turnover: 'hundred-million→TWD' }, [[{ turnover: '0.00000001' }, { turnover: '1' }]]))

  it('units refuse values that they cannot convert exactly', async () => {
    // A check reports one value of each column.
    for (const round of [
      { volume: ['lots→shares', '1.2345'], trade_date: ['roc→date', '2026/06/30'], market: ['market→code', '火星'] },
      { volume: ['lots→shares', 'many'], trade_date: ['roc→date', '115/13/30'] },
      { volume: ['lots→shares', '1,000'], trade_date: ['western→date', '2026-06-30 09:00:00'] },
      { volume: ['commas→number', '1,5'] },
    ]) {
      const values: Record<string, string> = {
        trade_date: '2026-06-30',
        ticker: '0050',
        market: 'TWSE',
        name: 'x',
        volume: '1',
        turnover: '1',
      }
      const converted = Object.entries(round).map(([column, [units, foreign]]) => ({ column, units, given: foreign }))
      for (const { column } of converted) delete values[column]
      const heading = [...Object.keys(values), ...converted.map((_, index) => `theirs${index}`)]
      const path = file('one.csv', [
        heading.join(','),
        [...Object.values(values), ...converted.map(({ given: foreign }) => `"${foreign}"`)].join(','),
      ])
      const map = converted.map(({ column, units }, index) => `theirs${index}=${column}:${units}`)
      const { status, faults } = await checkFiles(workspace(), prices(), [path], {
        accept: [],
        mapping: mappingFrom(words({ map }), prices()),
      })
      expect.soft(status, JSON.stringify(round)).toBe('refused')
      const columns = faults.map(fault => fault.column)
      for (const { column, units, given: foreign } of converted) expect.soft(columns, `${units}: ${foreign}`).toContain(column)
    }
  })

  it('percent→ratio fits a ratio column and not a column of shares', () => {
    const ratios = dataset('institutional-positioning')
    expect(() => mappingFrom(words({ map: ['p=foreign_net_buy:percent→ratio'] }), ratios)).toThrow('is integer in shares')
    expect(mappingFrom(words({ map: ['p=foreign_pct:percent>ratio'] }), ratios)!.columns['foreign_pct']).toEqual({
      from: 'p',
      units: ['percent→ratio'],
    })
    expect(UNITS).toContain('percent→ratio')
  })
})

describe('stored mappings', () => {
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
  const stored = () => mappingFrom(words({ set: ['market=TWSE'] }), dataset(TRADES), readMapping(NAME, dataset(TRADES), dir()))
  const checked = (lines: readonly string[]) =>
    checkFiles(workspace(), dataset(TRADES), [file('long.csv', lines)], { accept: [], mapping: stored() })

  it('a stored mapping of a long table adds up several rows of the file to one row', async () => {
    const { status } = await publishFiles(workspace(), dataset(TRADES), [file('long.csv', long)], {
      accept: [],
      synthetic: false,
      mapping: stored(),
    })
    expect(status).toBe('published')
    const select =
      'ticker, foreign_net_buy::INTEGER AS f, investment_trust_net_buy::INTEGER AS t, dealer_net_buy::INTEGER AS d, institutional_net_buy_total::INTEGER AS total'
    expect(await storedRows(workspace().session, workspace().releases, TRADES, select)).toEqual([
      { ticker: '2330', f: 700, t: -30, d: 11, total: 681 },
    ])
  })

  it('a stored mapping refuses a repeated row instead of adding the row twice', async () => {
    for (const twice of [long[1]!, long[1]!.replace('Foreign_Investor', 'Foreign_Investor ')])
      expect(await checked([...long, twice])).toMatchObject({
        status: 'refused',
        faults: [{ rule: 'grain', message: expect.stringContaining('Foreign_Investor') }],
      })
  })

  it('a stored mapping refuses rows of an unknown kind and skips the kinds that the mapping ignores', async () => {
    expect(await checked(long)).toMatchObject({ status: 'publishable' })
    expect(await checked([...long, '2026-06-30,2330,1,Martian,1'])).toMatchObject({
      status: 'refused',
      faults: [{ rule: 'unknown_value', message: expect.stringContaining('Martian') }],
    })
  })

  it('a stored mapping uses a total only when its parts are missing, and refuses a total that differs from them', async () => {
    const total = (bought: number): string => `2026-06-30,2330,${bought},Dealer,0`
    const dealers = async (...lines: readonly string[]) => {
      const [all, path] = [[...long.slice(0, 4), ...lines], `dealers${lines.length}.csv`]
      const { status } = await publishFiles(workspace(), dataset(TRADES), [file(path, all)], {
        accept: [],
        synthetic: false,
        mapping: stored(),
      })
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

  it('a stored mapping refuses a value that is not a number instead of skipping it in the sum', async () => {
    expect(await checked([...long.slice(0, -1), '2026-06-30,2330,many,Dealer_Hedging,1'])).toMatchObject({
      status: 'refused',
      faults: [{ rule: 'type', column: 'dealer_net_buy', samples: [{ dealer_net_buy: 'many' }] }, { rule: 'null' }],
    })
  })

  it('a stored mapping of a long table refuses a result row if the file lacks a kind of row for it', async () => {
    expect(await checked(long.slice(0, 3))).toMatchObject({ status: 'refused', faults: [{ rule: 'null' }, { rule: 'null' }] })
  })

  it('a mapping in the data folder takes precedence over a built-in mapping of the same name', () => {
    mkdirSync(join(dir(), 'mappings'))
    const own = { dataset: 'daily-prices', about: 'Mine.', columns: { ticker: 'code' } }
    for (const name of ['mine', NAME]) writeFileSync(join(dir(), 'mappings', `${name}.json`), JSON.stringify(own))
    expect(readMapping('mine', prices(), dir()).columns['ticker']).toEqual({ from: 'code', units: [] })
    expect(readMapping(NAME, prices(), dir()).about).toBe('Mine.')
    expect(() => readMapping('mnie', prices(), dir())).toThrow('did you mean mine? Available: finmind-institutional-trades, mine')
  })

  it('mapping.json is the mapping of its folder', () => {
    expect(mappingBeside(dir(), prices(), dir())).toBeUndefined()
    writeFileSync(
      join(dir(), 'mapping.json'),
      JSON.stringify({ dataset: 'daily-prices', about: 'Of this folder.', columns: { ticker: 'code' } }),
    )
    expect(mappingBeside(dir(), prices(), dir())!.about).toBe('Of this folder.')
  })

  it('mapping.json may name a stored mapping and extend it', () => {
    const own = { dataset: 'daily-prices', about: 'Mine.', columns: { ticker: 'code' }, ignore: ['a'] }
    mkdirSync(join(dir(), 'mappings'))
    writeFileSync(join(dir(), 'mappings', 'mine.json'), JSON.stringify(own))
    const mapping = { mapping: 'mine', columns: { name: 'called' }, constants: { market: 'TWSE' }, ignore: ['b'] }
    writeFileSync(join(dir(), 'mapping.json'), JSON.stringify(mapping))
    expect(mappingBeside(dir(), prices(), dir())).toMatchObject({
      about: 'Mine.',
      columns: { ticker: { from: 'code' }, name: { from: 'called' } },
      constants: { market: 'TWSE' },
      ignore: ['a', 'b'],
    })
  })

  it('an invalid mapping.json is refused with the name of the invalid entry', () => {
    for (const [text, message] of [
      ['{', 'cannot be read'],
      ['{"mapping":"mnie"}', 'There is no mapping named mnie'],
      ['{"mapping":"../mine"}', 'must be the name of a stored mapping, not a path'],
      ['{"mapping":"finmind-institutional-trades"}', 'is for institutional-positioning, not for daily-prices'],
      ['{"mapping":"finmind-institutional-trades","set":{}}', 'Unrecognized key'],
      ['{"dataset":"daily-prices","about":"x","columns":{},"colums":{}}', 'Unrecognized key'],
      ['{"dataset":"daily-prices","about":"x","columns":{"volume":{"from":"v","units":["lot→shares"]}}}', 'unknown conversion lot→shares'],
      ['{"dataset":"earnings","about":"x","columns":{}}', 'is for earnings, not for daily-prices'],
      ['{"dataset":"daily-prices","about":"x","columns":{"volum":"v"}}', 'did you mean volume?'],
    ] as const) {
      writeFileSync(join(dir(), 'mapping.json'), text)
      expect.soft(() => mappingBeside(dir(), prices(), dir()), text).toThrow(message)
    }
  })
})
