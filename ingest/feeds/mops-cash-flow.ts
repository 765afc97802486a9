import {
  bodyRefused,
  dayOf,
  type Feed,
  type HtmlRows,
  heading,
  htmlTables,
  integerCell,
  type Parsed,
  parseBy,
  presentInteger,
  requireCells,
  tickerCell,
} from '../formats/index.ts'
import { quarterEnd, quarterOf, requireQuarter } from './shared/income.ts'
import { requireThousands } from './shared/mops-page.ts'

/** Headings of totals that every statement has. */
const TOTALS = {
  operating_cash_flow: '營業活動之淨現金流入(流出)',
  investing_cash_flow: '投資活動之淨現金流入(流出)',
  financing_cash_flow: '籌資活動之淨現金流入(流出)',
  net_change_in_cash: '本期現金及約當現金增加(減少)數',
  beginning_cash: '期初現金及約當現金餘額',
  ending_cash: '期末現金及約當現金餘額',
} as const

/** Headings of items. A statement without the item lacks the heading. */
const ITEMS = {
  exchange_rate_effect: '匯率變動對現金及約當現金之影響',
  balance_sheet_cash: '資產負債表帳列之現金及約當現金',
  other_cash_equivalents: '其他符合國際會計準則第七號現金及約當現金定義之項目',
  depreciation: '折舊費用',
  amortization: '攤銷費用',
  capital_expenditure: '取得不動產、廠房及設備',
} as const

const BASES: Readonly<Record<string, string>> = { 合併: 'consolidated', 個別: 'individual', 個體: 'parent_only' }

/** Matches the company code in links and in the form of the XBRL viewer. */
const CODE = /\bCO_ID(?:=|'\s*value\s*=\s*')(\w+)/gi

const amountOf = (thousands: number | null): number | null => (thousands === null ? null : thousands * 1_000)

/** @throws Refusal unreadable_ticker if the page has no company or several */
function tickerOf(page: string): string {
  const codes = new Set([...page.matchAll(CODE)].map(([, code]) => code))
  return tickerCell([...codes].join(' '))
}

/** Returns the kind of statement, from the XBRL viewer or from the title. */
function basisOf(page: string): string {
  const word = (/selected[^>]*>\s*(合併|個別|個體)財報/.exec(page) ?? /<h2[^>]*>(?:<[^>]*>)*(合併|個別|個體)現金流量表/.exec(page))?.[1]
  const basis = BASES[word ?? '']
  if (basis !== undefined) return basis
  throw bodyRefused('unknown_form', {
    en: 'The page does not state whether its statement is consolidated, individual or parent-only. Check the page.',
    zh: '頁面未載明為合併、個別或個體財報；請確認頁面內容。',
  })
}

/**
 * Returns the last day of the first column's period. The period starts on 1 January.
 *
 * @throws Refusal unknown_form for other periods
 */
function periodEndOf(headings: readonly string[], requestedDay: string | undefined): string {
  const period = headings[1] ?? ''
  const [first, last] = period.split('至').map(dayOf)
  if (first === undefined || last === undefined || first !== `${last.slice(0, 4)}-01-01` || last !== quarterEnd(quarterOf(last))) {
    throw bodyRefused(
      'unknown_form',
      {
        en: `The statement covers "${period}", not the time from the start of the year to the end of a quarter. Such statements are not supported.`,
        zh: `報表期間為「${period}」，並非自年初起至季末；不支援此類報表。`,
      },
      { said: period },
    )
  }
  requireQuarter(quarterOf(last), requestedDay)
  return last
}

/**
 * Returns the cell of the current period. Undefined if no line has the heading.
 *
 * @throws Refusal unknown_form if several lines have the heading; row_shape
 */
function cellOf(rows: HtmlRows, headings: readonly string[], name: string): string | undefined {
  const [line, ...others] = rows.filter(row => heading(row[0]) === name)
  if (others.length > 0) {
    throw bodyRefused(
      'unknown_form',
      {
        en: `The statement has the line ${name} more than once. Compare the page with its source.`,
        zh: `報表有多列「${name}」；請與來源核對頁面。`,
      },
      { said: name },
    )
  }
  if (line !== undefined) requireCells(line, headings)
  return line?.[1]
}

/**
 * Parses the cash-flow statement of one company, from 1 January on. Ignores the previous year,
 * which may be restated.
 *
 * @throws Refusal wrong_table for another page, also for statements before 2013
 */
function readPage(page: string, requestedDay: string | undefined): Parsed {
  const statement = htmlTables(page).find(rows => Object.values(TOTALS).every(name => rows.some(row => heading(row[0]) === name)))
  const headings = statement?.find(row => heading(row[0]) === '會計項目')
  if (statement === undefined || headings === undefined) {
    throw bodyRefused('wrong_table', {
      en: 'The page is not t164sb05 or t164sb01, cash flows of one company from 2013 on. If another feed reads this file, use that feed (see twmd ingest --help).',
      zh: '此頁並非 t164sb05 或 t164sb01 單一公司現金流量表（2013 年起）；若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。',
    })
  }
  requireThousands(page)
  const ticker = tickerOf(page)
  const amountsOf = (names: Readonly<Record<string, string>>, read: typeof integerCell) =>
    Object.fromEntries(
      Object.entries(names).map(([column, name]) => [column, amountOf(read(cellOf(statement, headings, name), name, ticker))] as const),
    )
  const row = {
    ticker,
    period_end: periodEndOf(headings, requestedDay),
    basis: basisOf(page),
    ...amountsOf(TOTALS, presentInteger),
    ...amountsOf(ITEMS, integerCell),
  }
  return { kind: 'rows', rows: { 'cash-flow': [row] } }
}

const feed: Feed = {
  name: 'mops-cash-flow',
  title: 'MOPS t164sb05 or t164sb01, cash-flow statement of one company and quarter: the HTML page',
  datasets: ['cash-flow'],
  url: 'https://mops.twse.com.tw/mops/web/t164sb05',
  nothing: /^(資料庫中)?查無/,
  parse: parseBy({ html: readPage }),
}

export default feed
