import { csvRecords, type Feed, jsonRecords, parseBy } from '../formats/index.ts'
import { readRevenue } from './shared/open-data-revenue.ts'

const feed: Feed = {
  name: 'twse-revenue',
  title: 'Monthly revenue of listed companies, open data t187ap05_L: JSON or CSV in Chinese headings',
  datasets: ['monthly-revenue'],
  url: 'https://openapi.twse.com.tw/v1/opendata/t187ap05_L',
  // Both addresses have the same table. The second returns CSV. The feed mops-revenue has past
  // months.
  fetch: [
    { period: 'latest', keeps: 'all', requests: [{ url: 'https://openapi.twse.com.tw/v1/opendata/t187ap05_L' }] },
    { period: 'latest', keeps: 'all', requests: [{ url: 'https://mopsfin.twse.com.tw/opendata/t187ap05_L.csv' }] },
  ],
  parse: parseBy({
    json: (value, requestedDay) => readRevenue('TWSE', jsonRecords(value), requestedDay),
    csv: (text, requestedDay) => readRevenue('TWSE', csvRecords(text), requestedDay),
  }),
}

export default feed
