import { type Feed, parseBy } from '../formats/index.ts'
import { readConferences } from './shared/conferences.ts'

const feed: Feed = {
  name: 'twse-investor-conferences',
  title: 'TWSE investor conferences, taken from the material information of open data t187ap04_L: JSON',
  datasets: ['investor-conferences'],
  url: 'https://openapi.twse.com.tw/v1/opendata/t187ap04_L',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/opendata/t187ap04_L' }] }],
  nothing: /no investor conference|^\[\]$/,
  parse: parseBy({ json: value => readConferences(value, 'TWSE') }),
}

export default feed
