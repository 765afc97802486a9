import { type Feed, parseBy } from '../formats/index.ts'
import { readConferences } from './shared/conferences.ts'

const feed: Feed = {
  name: 'tpex-investor-conferences',
  title: 'TPEx investor conferences, taken from the material information of open data mopsfin_t187ap04_O: JSON',
  datasets: ['investor-conferences'],
  url: 'https://www.tpex.org.tw/openapi/v1/mopsfin_t187ap04_O',
  fetch: [{ period: 'latest', requests: [{ url: 'https://www.tpex.org.tw/openapi/v1/mopsfin_t187ap04_O' }] }],
  nothing: /no investor conference|^\[\]$/,
  parse: parseBy({ json: value => readConferences(value, 'TPEX') }),
}

export default feed
