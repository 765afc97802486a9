import { FIRMS } from './firms.ts'
import { lastSession } from './sessions.ts'

/** Names of branches with the city each is said to be in. */
const PLACES = [
  ['1', '忠孝', '台北市'],
  ['2', '板橋', '新北市'],
  ['3', '中壢', '桃園市'],
  ['4', '中港', '台中市'],
  ['5', '高雄', '高雄市'],
] as const

/** Two codes that differ in case alone: reading them as one loses a branch. */
const CASE_PAIR = [
  ['B', '永和', '新北市'],
  ['b', '內湖', '台北市'],
] as const

const SOURCE = { source_provider: 'synthetic_sample', source_role: 'synthetic_sample', source_family: 'synthetic_sample' } as const

/** Five branches of every firm and the pair 585B and 585b, by parent. Some lack an address or a parent found by name, as real lists do. */
export function branches(until: string) {
  const printed = lastSession(until)
  return FIRMS.flatMap(([code, name]) =>
    [...PLACES, ...(code === '5850' ? CASE_PAIR : [])].map(([ending, place, city]) => branch(code, name, ending, place, city, printed)),
  )
}

function branch(firm: string, firmName: string, ending: string, place: string, city: string, printed: string) {
  // The list writes 臺銀 where the register writes 臺銀證券, so the name finds no firm.
  const listed = firmName.replace('證券', '')
  const parent = listed === firmName ? firm : `name:${listed}`
  const code = `${firm.slice(0, 3)}${ending}`
  const address = firm.endsWith('50') && ending === '5' ? null : `${city}示範路${ending.charCodeAt(0)}號`
  return {
    parent_broker_code: parent,
    parent_broker_name: listed,
    branch_code: code,
    branch_name: place,
    market: 'TWSE',
    address,
    ...SOURCE,
    source_lineage: lineage(code, parent, listed, place, printed),
    data_gaps: [...(address === null ? ['address_missing'] : []), ...(parent === firm ? [] : ['broker_id_unresolved_fallback_key'])],
  }
}

const lineage = (code: string, parent: string, listed: string, place: string, printed: string) => ({
  synthetic: true,
  emitter: 'synthetic_sample',
  open_date: `${1990 + (code.charCodeAt(3) % 20)}-05-02`,
  branch_code: code,
  broker_code: parent,
  source_date: printed,
  ...SOURCE,
  raw_branch_name: `${listed}-${place}`,
  broker_id_source: parent.startsWith('name:') ? 'fallback_key' : 'name_lookup',
  source_canonical: 'synthetic_sample',
  branch_name_guess: place,
  broker_name_guess: listed,
})
