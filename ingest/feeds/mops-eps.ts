import type { Row } from '../../catalog/index.ts'
import {
  bodyRefused,
  dayOf,
  type Feed,
  type FetchRequest,
  type HtmlRows,
  heading,
  htmlTables,
  type Parsed,
  parseBy,
  requireCells,
} from '../formats/index.ts'
import { COMMON, type Quarter, quarterEnd, quarterOf, requireForm, requireQuarter, statementRow } from './shared/income.ts'
import { incomeCsv } from './shared/income-csv.ts'
import { requireThousands } from './shared/mops-page.ts'

const SEASONS = ['一', '二', '三', '四']
const TITLE = /(上市|上櫃)公司\s*(?:(\d{2,4})\s*年度?\s*)?第\s*([一二三四1-4])\s*季/

/** Returns the publication date. Only the file name of the CSV link contains it. */
const madeOn = (page: string): string | undefined => dayOf(/t163sb04_(\d{8})_/.exec(page)?.[1])

function quarterOfPage(page: string, title: RegExpExecArray, requestedDay: string | undefined): Quarter {
  const season = /\d/.test(title[3] ?? '') ? Number(title[3]) : SEASONS.indexOf(title[3] ?? '') + 1
  const stated = title[2] === undefined ? undefined : Number(title[2]) + (Number(title[2]) < 1000 ? 1911 : 0)
  const year = stated ?? (requestedDay === undefined ? undefined : quarterOf(requestedDay).year)
  if (year === undefined) {
    throw bodyRefused(
      'period_not_stated',
      {
        en: `The page names quarter ${season} but no year. Set the last day of its quarter with --date, for example 2023-03-31.`,
        zh: `頁面載明第 ${season} 季，但未載明年度；請以 --date 指定該季最後一日，例如 2023-03-31。`,
      },
      { season },
    )
  }
  requireQuarter({ year, season }, requestedDay)
  const made = madeOn(page)
  if (made !== undefined && quarterEnd({ year, season }) >= made) {
    throw bodyRefused(
      'wrong_day',
      {
        en: `The page is dated ${made}, before the end of ${year}-Q${season}. Set the correct quarter with --date.`,
        zh: `頁面製表於 ${made}，當時 ${year}-Q${season} 尚未結束；請以 --date 指定正確的季別。`,
      },
      { made, asked: requestedDay },
    )
  }
  return { year, season }
}

function statementsOf(rows: HtmlRows, market: string, quarter: Quarter): readonly Row[] {
  const headings = (rows[0] ?? []).map(heading)
  const form = requireForm(headings)
  return rows
    .slice(1)
    .filter(row => heading(row[0]) !== headings[0])
    .map(row => {
      requireCells(row, headings)
      return statementRow(form, market, quarter, wordings => row[headings.findIndex(name => wordings.includes(name))])
    })
}

/**
 * Parses the income statements of one market and quarter, in thousands of TWD. Amounts are year to
 * date.
 *
 * @throws Refusal wrong_table for another page; period_not_stated if neither page nor request has
 * the year
 */
export function incomePage(page: string, requestedDay: string | undefined): Parsed {
  const title = TITLE.exec(page)
  const tables = htmlTables(page).filter(
    ([first = []]) => heading(first[0]) === '公司代號' && first.some(cell => COMMON.eps.includes(heading(cell) as never)),
  )
  if (title === null || tables.length === 0) {
    throw bodyRefused('wrong_table', {
      en: 'The page is not t163sb04, income statements of one quarter. If another feed reads this file, use that feed (see twmd ingest --help).',
      zh: '此頁並非 t163sb04 單季綜合損益表；若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。',
    })
  }
  requireThousands(page)
  const quarter = quarterOfPage(page, title, requestedDay)
  const market = title[1] === '上市' ? 'TWSE' : 'TPEX'
  return { kind: 'rows', rows: { 'income-statements': tables.flatMap(rows => statementsOf(rows, market, quarter)) } }
}

/** Requests the page of one market. `sii` means listed, `otc` over the counter. */
const seasonOf = (market: string): FetchRequest => ({
  url: 'https://mopsov.twse.com.tw/mops/web/ajax_t163sb04',
  form: { encodeURIComponent: '1', step: '1', firstin: '1', off: '1', isQuery: 'Y', TYPEK: market, year: '{ROC}', season: '{QQ}' },
})

const feed: Feed = {
  name: 'mops-eps',
  title: 'MOPS t163sb04, income statements of one market and quarter: the HTML page (with the last day of the quarter as --date), or CSV',
  datasets: ['income-statements'],
  url: 'https://mops.twse.com.tw/mops/web/t163sb04',
  fetch: [{ period: 'quarter', since: '2013-03-31', requests: [seasonOf('sii'), seasonOf('otc')] }],
  nothing: /^查詢無資料|^資料庫中查無需求資料/,
  parse: parseBy({ html: incomePage, csv: incomeCsv }),
}

export default feed
