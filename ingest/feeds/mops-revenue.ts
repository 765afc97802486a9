import type { Row } from '../../catalog/index.ts'
import type { Total } from '../../src/releases/index.ts'
import {
  bodyRefused,
  dayOf,
  type Feed,
  type FetchRequest,
  figureOf,
  type HtmlRows,
  heading,
  htmlTables,
  type Parsed,
  parseBy,
  plainText,
  requireCells,
} from '../formats/index.ts'
import { REVENUE, REVENUE_AMOUNTS, type RevenueTable, requireMonth, revenueRow } from './shared/monthly-revenue.ts'
import { requireThousands } from './shared/mops-page.ts'

const TITLE = /(上市|上櫃)公司\s*(\d{2,3})\s*年\s*(\d{1,2})\s*月份?\s*\(累計與當月\)\s*營業收入統計表/
const INDUSTRY = /產業別[:：]([^<]*)</g
/** Headings in the second heading row. Industry and remark are not in that row. */
const HEADINGS = Object.values(REVENUE).filter(name => name !== REVENUE.industry && name !== REVENUE.remark)

function tableOf(page: string): RevenueTable {
  const title = TITLE.exec(page)
  const made = dayOf(/出表日期[:：]\s*([\d/]+)/.exec(page)?.[1])
  if (title === null || made === undefined) {
    throw bodyRefused('wrong_table', {
      en: 'The page is not t21sc03, monthly revenue of listed or over-the-counter companies. If another feed reads this file, use that feed (see twmd ingest --help).',
      zh: '此頁並非 t21sc03 上市或上櫃公司每月營收；若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。',
    })
  }
  requireThousands(page)
  const month = `${Number(title[2]) + 1911}-${String(Number(title[3])).padStart(2, '0')}`
  return { market: title[1] === '上市' ? 'TWSE' : 'TPEX', month, made }
}

const isSum = ([first = '']: readonly string[]): boolean => /合計$/.test(first)

function rowsOfIndustry(table: RevenueTable, industry: string, [first = [], second = [], ...lines]: HtmlRows): readonly Row[] {
  const names = second.map(heading)
  const headings = first.map(heading).includes(REVENUE.remark) ? [...names, REVENUE.remark] : names
  return lines
    .filter(line => !isSum(line))
    .map(cells => {
      requireCells(cells, headings)
      return revenueRow(table, name => (name === REVENUE.industry ? industry : (cells[headings.indexOf(name)] ?? '')))
    })
}

/** Returns the totals of all industries, in TWD. */
function totalsOf([, second = [], ...lines]: HtmlRows): readonly Total[] {
  const [headings, sum] = [second.map(heading), lines.find(isSum)]
  return REVENUE_AMOUNTS.flatMap(([column, name]) => {
    // The label of this row spans two columns, so all other cells are one position further left.
    const thousands = figureOf(sum?.[headings.indexOf(name) - 1])
    return typeof thousands === 'number' ? [{ column, of: null, stated: thousands * 1_000 }] : []
  })
}

/**
 * Parses the monthly revenue of one market, with one table per industry.
 *
 * @throws Refusal wrong_table, unknown_unit, wrong_day, row_shape; unknown_form if an industry
 * lacks its table
 */
function readPage(page: string, requestedDay: string | undefined): Parsed {
  const table = tableOf(page)
  requireMonth(table, requestedDay)
  const tables = htmlTables(page).filter(([, second = []]) => HEADINGS.every(name => second.map(heading).includes(name)))
  const industries = [...page.matchAll(INDUSTRY)].map(([, name = '']) => plainText(name))
  // The last table contains the totals of all industries.
  if (industries.length === 0 || tables.length !== industries.length + 1) {
    const words = {
      en: `The page has ${industries.length} industries and ${tables.length} tables, but needs one table for each industry and one for the total. Its format has changed, or it is incomplete. Fetch it again.`,
      zh: `頁面有 ${industries.length} 個產業別與 ${tables.length} 張表，應為每個產業別一張，另加合計一張；頁面格式已變更或內容不完整，請重新取得。`,
    }
    throw bodyRefused('unknown_form', words, { industries: industries.length, tables: tables.length })
  }
  const rows = industries.flatMap((name, at) => rowsOfIndustry(table, name, tables[at]!))
  const totals = [...totalsOf(tables.at(-1)!)]
  return { kind: 'rows', rows: { 'monthly-revenue': rows }, statedTotals: { 'monthly-revenue': { held: rows.length, totals } } }
}

/**
 * Requests the page of domestic (0) or foreign (1) companies of a market. `sii` means listed,
 * `otc` over the counter.
 */
const pageOf = (market: string, origin: 0 | 1): FetchRequest => ({
  url: `https://mopsov.twse.com.tw/nas/t21/${market}/t21sc03_{ROC}_{M}_${origin}.html`,
})

const feed: Feed = {
  name: 'mops-revenue',
  title: 'MOPS t21sc03, monthly revenue of one market: the HTML page of domestic or of foreign companies',
  datasets: ['monthly-revenue'],
  url: 'https://mops.twse.com.tw/mops/web/t21sc04_ifrs',
  fetch: [{ period: 'month', since: '2013-01-01', requests: [pageOf('sii', 0), pageOf('sii', 1), pageOf('otc', 0), pageOf('otc', 1)] }],
  nothing: /^(資料庫中)?查無/,
  parse: parseBy({ html: readPage }),
}

export default feed
