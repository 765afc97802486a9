import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Dataset, Row } from '../../../catalog/index.ts'
import { checkFiles, publishFiles } from '../../../ingest/index.ts'
import { type MappingWords, mappingBeside, mappingFrom } from '../../../ingest/mappings/index.ts'
import { storedRows } from '../../fixtures/publish/store.ts'
import { workspacesWithCalendar } from './workspaces.ts'

const { dir, now: workspace, dataset, file } = workspacesWithCalendar()

const prices = (): Dataset => dataset('daily-prices')
const words = (part: Partial<MappingWords>): MappingWords => ({ map: [], set: [], ignore: [], ...part })

/** Publishes a file of daily prices and reads columns of the served rows. */
async function published(path: string, mapping: ReturnType<typeof mappingFrom>, select: string): Promise<readonly Row[]> {
  const { status, faults } = await publishFiles(workspace(), prices(), [path], { accept: [], synthetic: false, mapping })
  expect([status, faults]).toEqual(['published', []])
  return storedRows(workspace().session, workspace().releases, 'daily-prices', select, 'ORDER BY ticker')
}

const proposed = async (slug: string, lines: readonly string[]) =>
  (await checkFiles(workspace(), dataset(slug), [file('foreign.csv', lines)], { accept: [] })).proposal

it('a proposal maps columns by name, label, spelling, unit and value, and the file can be published with the proposal', async () => {
  const path = file('zh.csv', [
    '日期,股票代號,名稱,市場別,開盤價,成交張數,成交金額(千元),成交筆數',
    '115/06/30,2330,台積電,上市,"1,000","12,345.678","1,234.5",88',
    '115/06/30,0050,元大台灣50,上市,100,1.001,0.25,--',
  ])
  const { proposal } = await checkFiles(workspace(), prices(), [path], { accept: [] })
  expect(proposal).toMatchObject({ missing: [], unplaced: [], empty: ['high', 'low', 'close'] })
  expect([...proposal!.map].sort()).toEqual(
    [
      '名稱=name',
      '市場別=market:market→code',
      '成交張數=volume:commas→number+lots→shares',
      '成交筆數=trades:dash→absent+commas→number',
      '成交金額(千元)=turnover:commas→number+thousand→TWD',
      '日期=trade_date:roc→date',
      '股票代號=ticker',
      '開盤價=open:commas→number',
    ].sort(),
  )
  const mapping = mappingFrom(words({ map: proposal!.map }), prices())
  expect(
    await published(path, mapping, 'ticker, volume::VARCHAR AS volume, turnover::VARCHAR AS turnover, trades::VARCHAR AS trades, open'),
  ).toEqual([
    { ticker: '0050', volume: '1001', turnover: '250', trades: null, open: 100 },
    { ticker: '2330', volume: '12345678', turnover: '1234500', trades: '88', open: 1000 },
  ])
})

it('a proposal written to mapping.json reads back as the same mapping', async () => {
  const proposal = await proposed('daily-prices', ['date,stock_id,stock_name,vol,amount,foo', '20260630,2330,x,1,2,3'])
  writeFileSync(join(dir(), 'mapping.json'), JSON.stringify(proposal!.mapping))
  expect(mappingBeside(dir(), prices(), dir())).toMatchObject({
    columns: { trade_date: { from: 'date', units: ['western→date'] }, ticker: { from: 'stock_id' }, volume: { from: 'vol' } },
    ignore: [],
  })
  expect(proposal).toMatchObject({ unplaced: ['foo'], empty: ['open', 'high', 'low', 'close', 'trades'], ignore: [] })
  expect(proposal!.missing).toEqual([{ column: 'market', values: ['TWSE', 'TPEX'], map: 'stock_id=market:ticker→market' }])
})

it('a proposal ignores an unknown column only when no column of the dataset is left empty', async () => {
  const heading = 'ticker,market,day,name,open,high,low,close,volume,turnover,trades,spread'
  const proposal = await proposed('daily-prices', [heading, '2330,TWSE,2026-06-30,x,1,1,1,1,1,1,1,0.5'])
  expect(proposal).toMatchObject({ map: ['day=trade_date'], unplaced: ['spread'], empty: [], ignore: ['spread'] })
})

it('a proposal distinguishes ratios from percentages by percent signs and headings', async () => {
  const proposal = async (heading: string, value: string) =>
    (await proposed('valuation', [`stock_id,${heading}`, `2330,${value}`]))!.map.filter(pair => !pair.includes('ticker'))
  expect(await proposal('dividend_yield_rate', '2.5%')).toEqual(['dividend_yield_rate=dividend_yield:percent→number'])
  expect(await proposal('dividend_yield_ratio', '0.025')).toEqual(['dividend_yield_ratio=dividend_yield:ratio→percent'])
  expect(await proposal('dividend_yield_ratio', '2.5')).toEqual(['dividend_yield_ratio=dividend_yield'])
  expect(await proposal('pb_ratio(%)', '250')).toEqual(['pb_ratio(%)=pb_ratio:percent→ratio'])
  expect(await proposal('PB ratio', '250％')).toEqual(['PB ratio=pb_ratio:percent→ratio'])
})

it('percentages with a percent sign are published as the proposal converts them', async () => {
  const path = file('signed.csv', [
    'ticker,market,trade_date,name,pb_ratio,dividend_yield',
    '2330,TWSE,2026-06-30,x,250.5 %,2.5%',
    '2317,TWSE,2026-06-30,y,-1％,0%',
  ])
  const { proposal } = await checkFiles(workspace(), dataset('valuation'), [path], { accept: [] })
  expect(proposal!.map).toEqual(['pb_ratio=pb_ratio:percent→ratio', 'dividend_yield=dividend_yield:percent→number'])
  const mapping = mappingFrom(
    words({ map: ['pb_ratio=pb_ratio:percent→ratio', 'dividend_yield=dividend_yield:percent->number'] }),
    dataset('valuation'),
  )
  const { status, faults } = await publishFiles(workspace(), dataset('valuation'), [path], { accept: [], synthetic: false, mapping })
  expect([status, faults]).toEqual(['published', []])
  expect(await storedRows(workspace().session, workspace().releases, 'valuation', 'pb_ratio, dividend_yield', 'ORDER BY ticker')).toEqual([
    { pb_ratio: -0.01, dividend_yield: 0 },
    { pb_ratio: 2.505, dividend_yield: 2.5 },
  ])
})

it('a proposal never maps a column whose values do not fit', async () => {
  const proposal = await proposed('daily-prices', ['date,code', 'yesterday,2330'])
  expect(proposal!.map).toEqual(['code=ticker'])
})

it('a proposal finds the date column by its values when only one column has dates', async () => {
  const proposal = await proposed('daily-prices', ['xyz,code', '2026-06-30,2330'])
  expect(proposal!.map).toContain('xyz=trade_date')
})

it('a proposal converts values of another type in columns that have the names of the dataset', async () => {
  const proposal = await proposed('daily-prices', ['ticker,market,trade_date,name,volume,turnover', '2330,TWSE,115/06/30,x,"1,000",2'])
  expect(proposal!.map.toSorted()).toEqual(['trade_date=trade_date:roc→date', 'volume=volume:commas→number'])
})

it('a proposal names stored mappings that fit the columns of the file', async () => {
  expect(await proposed('institutional-positioning', ['date,stock_id,buy,name,sell', '2026-06-30,2330,1,Dealer,1'])).toMatchObject({
    kept: ['finmind-institutional-trades'],
  })
})

it('no mapping is proposed if no column is likely to match, or if every column fits', async () => {
  expect(await proposed('daily-prices', ['foo,bar', 'a,b'])).toBeNull()
  expect(await proposed('daily-prices', ['ticker,market,trade_date,name,volume,turnover', '2330,TWSE,2026-06-30,x,1,2'])).toBeNull()
})
