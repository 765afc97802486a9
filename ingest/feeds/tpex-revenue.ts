import { csvRecords, type Feed, jsonRecords, parseBy } from '../formats/index.ts'
import { readRevenue } from './shared/open-data-revenue.ts'

const feed: Feed = {
  name: 'tpex-revenue',
  title: 'Monthly revenue of over-the-counter companies, open data mopsfin_t187ap05_O: JSON or CSV in Chinese headings',
  datasets: ['monthly-revenue'],
  url: 'https://www.tpex.org.tw/openapi/v1/mopsfin_t187ap05_O',
  // Both addresses have the same table. The second returns CSV. The feed mops-revenue has past
  // months.
  fetch: [
    { period: 'latest', keeps: 'all', requests: [{ url: 'https://www.tpex.org.tw/openapi/v1/mopsfin_t187ap05_O' }] },
    { period: 'latest', keeps: 'all', requests: [{ url: 'https://mopsfin.twse.com.tw/opendata/t187ap05_O.csv' }] },
  ],
  parse: parseBy({
    json: (value, requestedDay) => readRevenue('TPEX', jsonRecords(value), requestedDay),
    csv: (text, requestedDay) => readRevenue('TPEX', csvRecords(text), requestedDay),
  }),
}

export default feed
