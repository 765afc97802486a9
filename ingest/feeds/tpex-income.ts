import { csvRecords, type Feed, jsonRecords, parseBy } from '../formats/index.ts'
import { NOTHING_FILED, readStatements, requestsOfForms } from './shared/open-data-income.ts'

const TABLES = requestsOfForms('https://www.tpex.org.tw/openapi/v1/mopsfin_t187ap06_O')

const feed: Feed = {
  name: 'tpex-income',
  title: 'Income statements of over-the-counter companies, open data mopsfin_t187ap06_O in six forms: JSON or CSV of the newest quarter',
  datasets: ['income-statements'],
  url: TABLES[0].url,
  // The tables do not name their market, so each market has its own feed. The feed mops-eps has
  // past quarters.
  fetch: [{ period: 'latest', keeps: 'all', requests: TABLES }],
  nothing: NOTHING_FILED,
  parse: parseBy({
    json: (value, requestedDay) => readStatements('TPEX', jsonRecords(value), requestedDay),
    csv: (text, requestedDay) => readStatements('TPEX', csvRecords(text), requestedDay),
  }),
}

export default feed
