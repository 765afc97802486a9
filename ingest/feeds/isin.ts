import { parseBy } from '../body/forms.ts'
import { heading } from '../body/heading.ts'
import { htmlTables, requireCells } from '../body/html.ts'
import { csvRecords, requireColumns, textCell } from '../body/records.ts'
import { bodyRefused, type Feed, type Parsed } from '../feed.ts'
import { type Listing, type ThemeSource, themesOf } from './parts/theme.ts'

const ISIN: ThemeSource = { name: 'twse_isin_list', url: 'https://isin.twse.com.tw/', role: 'official_classification' }
/** Lists of code, name and industry are made by others from the exchanges' pages. */
const MADE: ThemeSource = { name: 'industry_list', url: null, role: 'curated_classification' }

const PAGE = { code: '有價證券代號', market: '市場別', industry: '產業別' }

function readPage(page: string, asked: string | undefined): Parsed {
  const table = htmlTables(page).find(([first = []]) => Object.values(PAGE).every(name => first.map(heading).includes(name)))
  if (table === undefined)
    throw bodyRefused('wrong_table', 'The page is not an answer of the ISIN query; give the file to the feed of its own table.')
  const headings = (table[0] ?? []).map(heading)
  const listings = table.slice(1).map((row): Listing => {
    requireCells(row, headings)
    const cell = (name: string): string => row[headings.indexOf(name)] ?? ''
    return { code: cell(PAGE.code), market: cell(PAGE.market), industry: cell(PAGE.industry) }
  })
  return themesOf(listings, ISIN, asked)
}

function readList(text: string, asked: string | undefined): Parsed {
  const records = csvRecords(text)
  const official = records.columns.has('ISIN')
  const code = records.columns.has('stock_id') ? 'stock_id' : 'code'
  const industry = official ? 'group' : 'industry'
  requireColumns(records, [code, 'name', industry], 'a list of securities with their industry')
  if (!records.columns.has('market')) {
    throw bodyRefused(
      'market_not_stated',
      'The list does not say which market a security is on; add a column market (TWSE or TPEX), or give the ISIN list.',
    )
  }
  const listings = records.rows.map(row => ({
    code: textCell(row, code),
    market: textCell(row, 'market'),
    industry: textCell(row, industry),
  }))
  return themesOf(listings, official ? ISIN : MADE, asked)
}

const feed: Feed = {
  name: 'isin',
  title: 'ISIN list with industries: the query page, its CSV form, or a CSV of code, name, industry and market (with --date)',
  datasets: ['theme-taxonomy'],
  url: 'https://isin.twse.com.tw/isin/class_main.jsp',
  parse: parseBy({ html: readPage, csv: readList }),
}

export default feed
