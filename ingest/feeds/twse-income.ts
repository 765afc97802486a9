import { csvRecords, type Feed, jsonRecords, parseBy } from '../formats/index.ts'
import { NOTHING_FILED, readStatements, requestsOfForms } from './shared/open-data-income.ts'

const TABLES = requestsOfForms('https://openapi.twse.com.tw/v1/opendata/t187ap06_L')

const feed: Feed = {
  name: 'twse-income',
  title: 'Income statements of listed companies, open data t187ap06_L in six forms: JSON or CSV of the newest quarter',
  datasets: ['income-statements'],
  url: TABLES[0].url,
  // The tables do not name their market, so each market has its own feed. The feed mops-eps has
  // past quarters.
  fetch: [{ period: 'latest', keeps: 'all', requests: TABLES }],
  nothing: NOTHING_FILED,
  parse: parseBy({
    json: (value, requestedDay) => readStatements('TWSE', jsonRecords(value), requestedDay),
    csv: (text, requestedDay) => readStatements('TWSE', csvRecords(text), requestedDay),
  }),
}

export default feed
