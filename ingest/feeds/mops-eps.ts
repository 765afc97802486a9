import { type Feed, parseBy } from '../formats/index.ts'
import { incomeCsv } from './parts/income-csv.ts'
import { incomePage } from './parts/income-page.ts'

const feed: Feed = {
  name: 'mops-eps',
  title: 'MOPS t163sb04, income statements of one market and season: the HTML page (with --date, the last day of the quarter), or CSV',
  datasets: ['income-statements'],
  url: 'https://mops.twse.com.tw/mops/web/t163sb04',
  nothing: /^查詢無資料/,
  parse: parseBy({ html: incomePage, csv: incomeCsv }),
}

export default feed
