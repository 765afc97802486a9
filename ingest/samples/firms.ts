import { random } from './random.ts'
import { lastSession } from './sessions.ts'

/** Codes and short names of securities firms: facts. What the rows say about them is not. */
export const FIRMS: readonly (readonly [code: string, name: string])[] = [
  ['1020', '合庫'],
  ['1030', '土銀'],
  ['1040', '臺銀證券'],
  ['1110', '台灣企銀'],
  ['1260', '宏遠'],
  ['2180', '亞東'],
  ['5380', '第一金'],
  ['5850', '統一'],
  ['5920', '元富'],
  ['6160', '中國信託'],
  ['7000', '兆豐'],
  ['7790', '國票'],
  ['8150', '台新'],
  ['8450', '康和'],
  ['8840', '玉山'],
  ['8880', '國泰'],
  ['9100', '群益金鼎'],
  ['9200', '凱基'],
  ['9300', '華南永昌'],
  ['9600', '富邦'],
  ['9800', '元大'],
  ['9A00', '永豐金'],
]

const LICENCES = [
  '101--在集中交易市場受託買賣有價證券',
  '102--在其營業處所受託買賣有價證券',
  '103--有價證券買賣融資融券',
  '201--在集中交易市場自行買賣有價證券',
  '301--承銷有價證券',
]

/** One registration per firm, by code. Tax ids and telephone numbers are ones nobody can have. */
export const firms = (until: string) => FIRMS.map(([code, name], place) => firm(code, name, place + 1, lastSession(until)))

function firm(code: string, name: string, place: number, report: string) {
  const next = random(`${code} firm`)
  return {
    broker_id: code,
    broker_name: name,
    ...contacts(place),
    note: '合成資料，僅供示範',
    ...capital(next, code.startsWith('1')),
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

function capital(next: () => number, bank: boolean) {
  const paid = Math.round(3_000 + 60_000 * next()) * 1_000
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
