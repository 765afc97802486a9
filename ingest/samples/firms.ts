import { random } from './random.ts'
import { lastSession } from './sessions.ts'

/**
 * Real codes and names, with paid-in capital in billions of TWD, rounded. All other values are
 * fictitious.
 */
export const FIRMS: readonly (readonly [code: string, name: string, capital: number])[] = [
  ['1020', '合庫', 6],
  ['1030', '土銀', 3],
  ['1040', '臺銀證券', 3],
  ['1110', '台灣企銀', 3],
  ['1260', '宏遠', 4],
  ['2180', '亞東', 6],
  ['5380', '第一金', 6],
  ['5850', '統一', 14],
  ['5920', '元富', 15],
  ['6160', '中國信託', 6],
  ['7000', '兆豐', 12],
  ['7790', '國票', 11],
  ['8150', '台新', 7],
  ['8450', '康和', 6],
  ['8840', '玉山', 5],
  ['8880', '國泰', 8],
  ['9100', '群益金鼎', 23],
  ['9200', '凱基', 40],
  ['9300', '華南永昌', 8],
  ['9600', '富邦', 17],
  ['9800', '元大', 60],
  ['9A00', '永豐金', 16],
]

const LICENCES = [
  '101--在集中交易市場受託買賣有價證券',
  '102--在其營業處所受託買賣有價證券',
  '103--有價證券買賣融資融券',
  '201--在集中交易市場自行買賣有價證券',
  '301--承銷有價證券',
]

/** Generates firms. Tax ids and telephone numbers are invalid on purpose. */
export const firms = (until: string) =>
  FIRMS.map(([code, name, billions], place) => firm(code, name, billions, place + 1, lastSession(until)))

function firm(code: string, name: string, billions: number, place: number, report: string) {
  const next = random(`${code} firm`)
  return {
    broker_id: code,
    broker_name: name,
    ...contacts(place),
    note: '合成資料，僅供示範',
    ...capital(next, billions, code.startsWith('1')),
    ...dates(next, place, report),
    market: 'TWSE',
    business_items: LICENCES.slice(0, place % 3 === 0 ? 3 : 5),
    source_family: 'synthetic_sample',
    lineage: { synthetic: true, grain: 'broker_id', source: 'synthetic_sample', emitter: 'synthetic_sample' },
  }
}

const contacts = (place: number) => ({
  tax_id: String(place).padStart(8, '0'),
  region_code: '2',
  phone: `02-0000-${String(place).padStart(4, '0')}`,
  fax: place % 5 === 0 ? null : `02-0000-${String(place + 500).padStart(4, '0')}`,
  settlement_bank: '示範銀行營業部',
  business_status: null,
  business_type: place % 3 === 0 ? '經紀、承銷' : '經紀、自營、承銷',
  chairman: `示範董事長${place}`,
  general_manager: `示範總經理${place}`,
  admin_address: `台北市示範路${place}號`,
})

function capital(next: () => number, billions: number, bank: boolean) {
  const paid = Math.round(billions * (900 + 200 * next())) * 1_000
  return {
    registered_capital_k: Math.ceil(paid / 10_000_000) * 10_000_000,
    paid_capital_k: paid,
    operating_capital_k: bank ? 2_000_000 : null,
  }
}

function dates(next: () => number, place: number, report: string) {
  const month = (): string => `0${1 + Math.floor(9 * next())}`
  const founded = `${1985 + Math.floor(20 * next())}-${month()}`
  return {
    report_date: report,
    change_date: `${Number(report.slice(0, 4)) - 1}-${month()}-10`,
    margin_start_date: place % 6 === 0 ? null : `2008-${month()}-01`,
    established_date: `${founded}-15`,
    business_start_date: `${founded}-28`,
  }
}

/** Last character of the branch's code, name, and city with district. */
const PLACES = [
  ['1', '忠孝', '台北市大安區'],
  ['2', '板橋', '新北市板橋區'],
  ['3', '中壢', '桃園市中壢區'],
  ['4', '台中', '台中市西區'],
  ['5', '高雄', '高雄市新興區'],
  ['6', '台南', '台南市中西區'],
  ['7', '新竹', '新竹市東區'],
  ['8', '嘉義', '嘉義市西區'],
  ['9', '彰化', '彰化縣彰化市'],
  ['A', '士林', '台北市士林區'],
  ['C', '三重', '新北市三重區'],
  ['D', '桃園', '桃園市桃園區'],
  ['E', '豐原', '台中市豐原區'],
  ['F', '鳳山', '高雄市鳳山區'],
  ['G', '屏東', '屏東縣屏東市'],
  ['H', '羅東', '宜蘭縣羅東鎮'],
  ['J', '花蓮', '花蓮縣花蓮市'],
  ['K', '斗六', '雲林縣斗六市'],
] as const

/** Small firms have five branches, large firms one in every place. */
const placesOf = (billions: number) => PLACES.slice(0, Math.max(5, Math.min(PLACES.length, Math.round(billions / 2))))

/**
 * Two codes that differ only in case, as in the real lists. If the codes were treated as equal, a
 * branch would be lost.
 */
const CASE_PAIR = [
  ['B', '永和', '新北市永和區'],
  ['b', '內湖', '台北市內湖區'],
] as const

const SOURCE = { source_provider: 'synthetic_sample', source_role: 'synthetic_sample', source_family: 'synthetic_sample' } as const

/** Generates branches of all firms. As in the real lists, some branches have no address. */
export function branches(until: string) {
  const printed = lastSession(until)
  return FIRMS.flatMap(([code, name, billions]) =>
    [...placesOf(billions), ...(code === '5850' ? CASE_PAIR : [])].map(([ending, place, city]) =>
      branch(code, name, ending, place, city, printed),
    ),
  )
}

function branch(firm: string, firmName: string, ending: string, place: string, city: string, printed: string) {
  // The list has 臺銀, but the register has 臺銀證券, so no firm matches.
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
