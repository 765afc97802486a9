import { type Feed, parseBy } from '../formats/index.ts'
import { readConferences } from './shared/conferences.ts'

const feed: Feed = {
  name: 'twse-investor-conferences',
  title: 'TWSE material information, open data t187ap04_L, of which investor conferences: JSON',
  datasets: ['investor-conferences'],
  url: 'https://openapi.twse.com.tw/v1/opendata/t187ap04_L',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/opendata/t187ap04_L' }] }],
  nothing: /no investor conference|^\[\]$/,
  parse: parseBy({ json: value => readConferences(value, 'TWSE') }),
}

export default feed
