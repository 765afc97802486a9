import type { Row } from '../../../catalog/index.ts'
import { dayOrNull, heading, integerCell, tidyOrNull, tidyText } from '../../formats/index.ts'
import { brokerCode } from './broker-name.ts'

type Listed = Readonly<Record<string, unknown>>

/** Headings that are read. Bank account numbers in the register are never read. */
export const FIRM = {
  printed: '出表日期',
  code: '證券代號',
  name: '券商(證券IB)簡稱',
  registered: '登記資本額（仟元）',
  paid: '實收資本額（仟元）',
  operating: '指撥營運金（仟元）',
  tax: '營利事業統一編號',
  changed: '變更日期',
  region: '區域代碼',
  margin: '融資融券開辦日期',
  established: '設立日期',
  opened: '開業日期',
  phone: '電話',
  fax: '傳真',
  bank: '交割金融機構',
  business: '業務種類',
  chairman: '負責人',
  manager: '總經理',
  address: '行政部門地址',
  note: '備註',
} as const

const businessItems = (row: Listed): readonly string[] =>
  Object.keys(row)
    .filter(column => /^營業項目\d+$/.test(column))
    .sort((a, b) => Number(a.slice(4)) - Number(b.slice(4)))
    .map(column => tidyText(row[column]))
    .filter(item => item !== '')

const cell = (row: Listed, column: keyof typeof FIRM): unknown => row[heading(FIRM[column])]
const text = (row: Listed, column: keyof typeof FIRM): string | null => tidyOrNull(cell(row, column))
const day = (row: Listed, column: keyof typeof FIRM): string | null => dayOrNull(cell(row, column), FIRM[column])

const registered = (row: Listed) => ({
  broker_id: brokerCode(cell(row, 'code')),
  broker_name: tidyText(cell(row, 'name')),
  tax_id: text(row, 'tax'),
  region_code: /^\S+/.exec(tidyText(cell(row, 'region')))?.[0] ?? null,
  phone: text(row, 'phone'),
  fax: text(row, 'fax'),
  settlement_bank: text(row, 'bank'),
  business_status: null,
  business_type: text(row, 'business'),
  chairman: text(row, 'chairman'),
  general_manager: text(row, 'manager'),
  admin_address: text(row, 'address'),
  note: text(row, 'note'),
})

const dated = (row: Listed) => ({
  report_date: day(row, 'printed'),
  change_date: day(row, 'changed'),
  margin_start_date: day(row, 'margin'),
  established_date: day(row, 'established'),
  business_start_date: day(row, 'opened'),
})

/**
 * Returns the row of a firm. The register prints "0" for a date or capital that does not apply.
 * This "0" becomes null.
 */
export function firmRow(row: Listed): Row {
  const firm = registered(row)
  const capital = (column: keyof typeof FIRM): number | null => integerCell(cell(row, column), FIRM[column], firm.broker_id) || null
  return {
    ...firm,
    registered_capital_k: capital('registered'),
    paid_capital_k: capital('paid'),
    operating_capital_k: capital('operating'),
    ...dated(row),
    market: 'TWSE',
    business_items: businessItems(row),
    source_family: 'twse_open_data',
    lineage: { grain: 'broker_id', source: 'twse_t187ap18', emitter: 'twse_securities_firms' },
  }
}
