import { bodyRefused, type Feed, isObject, type Parsed, parseBy, tablesOf } from '../formats/index.ts'
import { type DayTable, readDayTable } from './shared/day-table.ts'
import { isOpenData, type OpenTable, readOpenTable } from './shared/open-table.ts'
import { type RatioColumn, type ReportColumn, valuationRow } from './shared/valuation.ts'

const PERATIO: DayTable<RatioColumn | Exclude<ReportColumn, 'fiscal_period'>> = {
  called: 'TPEx 個股本益比、殖利率及股價淨值比',
  dataset: 'valuation',
  market: 'TPEX',
  headings: {
    ticker: ['股票代號'],
    name: ['公司名稱', '名稱'],
    pe_ratio: ['本益比'],
    pb_ratio: ['股價淨值比'],
    dividend_yield: ['殖利率(%)'],
    dividend_per_share: ['每股股利', '每股股利(註)'],
    dividend_year: ['股利年度'],
  },
  figures: valuationRow,
}

const PERIOD = '財報年/季'

/** Since 2026, the table also has the fiscal quarter. */
const WITH_PERIOD: DayTable<RatioColumn | ReportColumn> = { ...PERATIO, headings: { ...PERATIO.headings, fiscal_period: [PERIOD] } }

const OPEN_DATA: OpenTable<RatioColumn | 'dividend_per_share'> = {
  called: 'tpex_mainboard_peratio_analysis 上櫃股票個股本益比、殖利率、股價淨值比',
  dataset: 'valuation',
  market: 'TPEX',
  day: 'Date',
  names: {
    ticker: 'SecuritiesCompanyCode',
    name: 'CompanyName',
    pe_ratio: 'PriceEarningRatio',
    pb_ratio: 'PriceBookRatio',
    dividend_yield: 'YieldRatio',
    dividend_per_share: 'DividendPerShare',
  },
  figures: valuationRow,
}

const EVERY_INDUSTRY = '全部產業'

function readDay(value: unknown, requestedDay: string | undefined): Parsed {
  if (isOpenData(value)) return readOpenTable(value, requestedDay, OPEN_DATA)
  const printsPeriod = tablesOf(value).some(({ fields }) => fields.includes(PERIOD))
  const parsed = printsPeriod ? readDayTable(value, requestedDay, WITH_PERIOD) : readDayTable(value, requestedDay, PERATIO)
  const category = isObject(value) ? value['stkCategory'] : undefined
  if (typeof category === 'string' && category !== EVERY_INDUSTRY)
    throw bodyRefused(
      'partial_list',
      {
        en: `The file has only the industry "${category}". Fetch it again for ${EVERY_INDUSTRY}.`,
        zh: `檔案只有產業別「${category}」；請以「${EVERY_INDUSTRY}」重新取得。`,
      },
      { category },
    )
  return parsed
}

const feed: Feed = {
  name: 'tpex-valuation',
  title: 'TPEx price to earnings, dividend yield and price to book of one day: JSON, or open data tpex_mainboard_peratio_analysis',
  datasets: ['valuation'],
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/info/daily-pe.html',
  fetch: [
    { period: 'latest', requests: [{ url: 'https://www.tpex.org.tw/openapi/v1/tpex_mainboard_peratio_analysis' }] },
    {
      period: 'day',
      requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/afterTrading/peQryDate?date={YYYY/MM/DD}&cate=&id=&response=json' }],
    },
  ],
  daily: 'TPEX',
  parse: parseBy({ json: readDay }),
}

export default feed
