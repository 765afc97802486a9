import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import iconv from 'iconv-lite'
import { expect, it } from 'vitest'
import { checkFiles } from '../../../ingest/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { storedRows } from '../../fixtures/publish/store.ts'
import { workspacesWithCalendar } from './workspaces.ts'

const { dir, now: workspace, dataset, file } = workspacesWithCalendar()
const PRICES = 'daily-prices'

/** Writes a query's row as Parquet, at a path below the data folder. */
async function parquet(path: string, select: string): Promise<void> {
  mkdirSync(dirname(join(dir(), path)), { recursive: true })
  await workspace().session.run(`COPY (${select}) TO '${join(dir(), path)}' (FORMAT parquet)`)
}
const served = () =>
  storedRows(workspace().session, workspace().releases, PRICES, 'ticker, market, trade_date::VARCHAR AS day', 'ORDER BY ticker')
const ROW = "'x' AS name, 5::BIGINT AS volume, 6::BIGINT AS turnover"
const HEADING = ['ticker', 'market', 'trade_date', 'name', 'volume', 'turnover']
const CELLS = ['0050', 'TWSE', '2026-06-30', 'x', '5', '6']

it('twmd publish reads columns from folder names, and days from timestamps at midnight', async () => {
  await parquet('in/market=TWSE/trade_date=2026-06-30/part-0.parquet', `SELECT '0050' AS ticker, ${ROW}`)
  for (const [ticker, type] of [
    ['0051', 'TIMESTAMP_NS'],
    ['0052', 'TIMESTAMP_MS'],
  ])
    await parquet(`in/market=TPEX/${type}.parquet`, `SELECT '${ticker}' AS ticker, '2026-06-30 00:00:00'::${type} AS trade_date, ${ROW}`)
  const { code, stderr } = await twmd(dir(), 'publish', PRICES, join(dir(), 'in'))
  expect([code, stderr]).toEqual([0, ''])
  expect(await served()).toEqual([
    { ticker: '0050', market: 'TWSE', day: '2026-06-30' },
    { ticker: '0051', market: 'TPEX', day: '2026-06-30' },
    { ticker: '0052', market: 'TPEX', day: '2026-06-30' },
  ])
})

it('twmd publish --map renames a column whose name comes from a folder', async () => {
  await parquet('in/market=TWSE/date=2026-06-30/part-0.parquet', `SELECT '0050' AS ticker, ${ROW}`)
  const { code, stderr } = await twmd(dir(), 'publish', PRICES, join(dir(), 'in'), '--map', 'date=trade_date')
  expect([code, stderr]).toEqual([0, ''])
  expect(await served()).toEqual([{ ticker: '0050', market: 'TWSE', day: '2026-06-30' }])
})

it('twmd watch reads columns from the folders of files dropped into the inbox', async () => {
  await parquet(`inbox/${PRICES}/market=TWSE/trade_date=2026-06-30/part-0.parquet`, `SELECT '0050' AS ticker, ${ROW}`)
  const { code } = await twmd(dir(), 'watch', '--once')
  expect(code).toBe(0)
  expect(await served()).toEqual([{ ticker: '0050', market: 'TWSE', day: '2026-06-30' }])
})

it('twmd watch publishes the same file in the folders of two markets once for each market', async () => {
  for (const market of ['TWSE', 'TPEX']) {
    const folder = join(dir(), 'inbox', 'trading-calendar', `market=${market}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'days.csv'), 'date,is_open,reason\n2026-06-17,false,typhoon\n')
    expect((await twmd(dir(), 'watch', '--once')).code, market).toBe(0)
  }
  const closed = await storedRows(
    workspace().session,
    workspace().releases,
    'trading-calendar',
    'market',
    "WHERE reason = 'typhoon' ORDER BY 1",
  )
  expect(closed).toEqual([{ market: 'TPEX' }, { market: 'TWSE' }])
})

it('a time of day in a date column is refused', async () => {
  await parquet('noon.parquet', `SELECT '0050' AS ticker, 'TWSE' AS market, TIMESTAMP '2026-06-30 12:00:00' AS trade_date, ${ROW}`)
  const { status, faults } = await checkFiles(workspace(), dataset(PRICES), [join(dir(), 'noon.parquet')], { accept: [] })
  expect([status, faults[0]]).toMatchObject(['refused', { rule: 'type', column: 'trade_date' }])
})

it('text separated by tabs or semicolons is read as CSV', async () => {
  for (const [name, mark] of [
    ['tabs.tsv', '\t'],
    ['tabs.csv', '\t'],
    ['semicolons.csv', ';'],
    ['commas.csv', ','],
  ] as const)
    expect
      .soft(await checkFiles(workspace(), dataset(PRICES), [file(name, [HEADING.join(mark), CELLS.join(mark)])], { accept: [] }), name)
      .toMatchObject({ status: 'publishable', changes: { rows_added: 1 } })
})

it('a text file that is not UTF-8 is refused with the command that converts it', async () => {
  const text = `${HEADING.join(',')}\n${CELLS.join(',').replace('x', '元大台灣50')}\n`
  for (const [encoding, name] of [
    ['utf-16le', 'UTF-16'],
    ['utf-16', 'UTF-16'],
    ['big5', 'BIG5'],
  ] as const) {
    const path = join(dir(), `${encoding}.csv`)
    writeFileSync(path, iconv.encode(text, encoding))
    const { faults } = await checkFiles(workspace(), dataset(PRICES), [path], { accept: [] })
    expect
      .soft(faults, encoding)
      .toMatchObject([
        { rule: 'unreadable', message: expect.stringContaining(`iconv -f ${name} -t UTF-8`), message_zh: expect.stringContaining('iconv') },
      ])
  }
})

it('twmd check proposes a mapping for the usual short column names of ratios and flows', async () => {
  const proposed = async (slug: string, lines: readonly string[]) => (await twmd(dir(), 'check', slug, file('short.csv', lines))).stderr
  const ratios = await proposed('valuation', ['date,stock_id,pe,pb,yield', '2026-06-30,2330,20.1,5.2,1.5'])
  expect(ratios).toContain('date=trade_date,stock_id=ticker,pe=pe_ratio,pb=pb_ratio,yield=dividend_yield')
  expect(ratios).toContain("--set 'market=TWSE|TPEX' or, if rows have different values, --map 'stock_id=market:ticker→market'")
  expect(
    await proposed('institutional-positioning', ['date,stock_id,foreign_buy_sell,投信買賣超,dealer_buy_sell', '2026-06-30,2330,1000,-5,7']),
  ).toMatch(/foreign_buy_sell=foreign_net_buy.*投信買賣超=investment_trust_net_buy.*dealer_buy_sell=dealer_net_buy/)
})
