import {
  bodyRefused,
  csvRecords,
  type Feed,
  heading,
  htmlTables,
  type Parsed,
  parseBy,
  requireCells,
  requireColumns,
  textCell,
} from '../formats/index.ts'
import { type Listing, type ListSource, securityRow, themeRow } from './shared/listing.ts'

const ISIN: ListSource = { name: 'twse_isin_list', url: 'https://isin.twse.com.tw/', role: 'official_classification' }
/** Lists that third parties compile from the exchanges' pages. */
const MADE: ListSource = { name: 'industry_list', url: null, role: 'curated_classification' }

const PAGE = { code: '有價證券代號', name: '有價證券名稱', market: '市場別', industry: '產業別' }
const MORE = { type: '有價證券別', isin: '國際證券編碼', start: '公開發行/上市(櫃)/發行日', cfi: 'CFICode' }

function readPage(page: string, requestedDay: string | undefined): Parsed {
  const table = htmlTables(page).find(([first = []]) => Object.values(PAGE).every(name => first.map(heading).includes(name)))
  if (table === undefined)
    throw bodyRefused('wrong_table', {
      en: 'The page is not a result of the ISIN query. If another feed reads this file, use that feed (see twmd ingest --help).',
      zh: '此頁並非 ISIN 查詢的結果；若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。',
    })
  const headings = (table[0] ?? []).map(heading)
  const listings = table.slice(1).map((row): Listing => {
    requireCells(row, headings)
    const cell = (name: string): string => row[headings.indexOf(name)] ?? ''
    const more = (name: string): string | null => row[headings.indexOf(heading(name))] ?? null
    return {
      code: cell(PAGE.code),
      name: cell(PAGE.name),
      market: cell(PAGE.market),
      industry: cell(PAGE.industry),
      type: more(MORE.type),
      isin: more(MORE.isin),
      start: more(MORE.start),
      cfi: more(MORE.cfi),
    }
  })
  return rowsOf(listings, ISIN, requestedDay)
}

function readList(text: string, requestedDay: string | undefined): Parsed {
  const records = csvRecords(text)
  const official = records.columns.has('ISIN')
  const code = records.columns.has('stock_id') ? 'stock_id' : 'code'
  const industry = official ? 'group' : 'industry'
  requireColumns(records, [code, 'name', industry], { en: 'a list of securities with their industry', zh: '附產業別的證券清單' })
  if (!records.columns.has('market')) {
    throw bodyRefused('market_not_stated', {
      en: 'The list has no market. Add a column "market" with TWSE or TPEX, or use the ISIN list.',
      zh: '清單未載明市場；請加上 market 欄位（TWSE 或 TPEX），或改用 ISIN 清單。',
    })
  }
  const listings = records.rows.map((row): Listing => {
    const more = (column: string): string | null => (records.columns.has(heading(column)) ? textCell(row, column) : null)
    return {
      code: textCell(row, code),
      name: textCell(row, 'name'),
      market: textCell(row, 'market'),
      industry: textCell(row, industry),
      type: more('type'),
      isin: more('ISIN'),
      start: more('start'),
      cfi: more('CFI'),
    }
  })
  return rowsOf(listings, official ? ISIN : MADE, requestedDay)
}

/**
 * Returns rows for `listed-securities`, and for `theme-taxonomy` if the industry is listed.
 *
 * @throws Refusal day_not_stated if no day was requested; unknown_market
 */
function rowsOf(listings: readonly Listing[], source: ListSource, requestedDay: string | undefined): Parsed {
  if (listings.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: 'a heading without rows' }
  if (requestedDay === undefined)
    throw bodyRefused('day_not_stated', {
      en: 'The list has no date. Set the day you downloaded it with --date YYYY-MM-DD.',
      zh: '清單未載明日期；請以 --date YYYY-MM-DD 指定取得清單的日期。',
    })
  const themes = listings.map(listing => themeRow(listing, source, requestedDay)).filter(row => row !== undefined)
  const securities = listings.map(listing => securityRow(listing, source, requestedDay)).filter(row => row !== undefined)
  return {
    kind: 'rows',
    rows: { 'theme-taxonomy': themes, 'listed-securities': securities },
    notes: [`${listings.length - themes.length} of ${listings.length} securities have no industry, or are on a market that is not served`],
  }
}

const feed: Feed = {
  name: 'isin',
  title: 'ISIN list with names and industries (with --date): the query page, its CSV form, or a CSV of code, name, industry and market',
  datasets: ['theme-taxonomy', 'listed-securities'],
  url: 'https://isin.twse.com.tw/isin/class_main.jsp',
  fetch: [
    {
      period: 'latest',
      undated: true,
      requests: [
        { url: 'https://isin.twse.com.tw/isin/class_main.jsp?market=1&issuetype=&Page=1&chklike=Y' },
        { url: 'https://isin.twse.com.tw/isin/class_main.jsp?market=2&issuetype=&Page=1&chklike=Y' },
      ],
    },
  ],
  nothing: /class_nofind/,
  leastRows: { 'theme-taxonomy': 500, 'listed-securities': 500 },
  parse: parseBy({ html: readPage, csv: readList }),
}

export default feed
