import { describe, expect, it } from 'vitest'
import branches from '../../../ingest/feeds/broker-branches.ts'
import { brokerNameKey } from '../../../ingest/feeds/index.ts'
import firms from '../../../ingest/feeds/securities-firms.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const listed = (code: string, name: string, address = '台北市範例路１號') => ({
  出表日期: '1150630',
  證券商代號: code,
  證券商名稱: name,
  開業日: '0831224',
  地址: address,
  電話: '02-00000000',
})
const read = (...list: readonly object[]) => rowsOf(branches.parse(bodyOf(list), undefined), 'broker-branch-reference')

describe('broker branches', () => {
  it("a broker branch is matched to its firm by the name before the hyphen, not by the code's prefix", () => {
    const [row] = read(listed('9100', '範金鼎'), listed('9131', '範金鼎-民權'))
    expect(row).toMatchObject({
      parent_broker_code: '9100',
      parent_broker_name: '範金鼎',
      branch_code: '9131',
      branch_name: '民權',
      market: 'TWSE',
      data_gaps: [],
    })
    expect(row?.['source_lineage']).toMatchObject({
      broker_id_source: 'same_file_head_office',
      raw_branch_name: '範金鼎-民權',
      source_canonical: 'twse_brk02',
    })
  })

  it('a broker branch is matched to its firm whether the name has 臺 or 台, and with or without blanks', () => {
    const rows = read(listed('1110', '台灣範銀'), listed('111E', '臺灣範銀-桃園'), listed('1111', '台灣範銀 - 台中'))
    expect(rows.map(row => [row['parent_broker_code'], row['branch_name']])).toEqual([
      ['1110', '桃園'],
      ['1110', '台中'],
    ])
    expect(brokerNameKey('臺灣 範\u3000銀')).toBe(brokerNameKey('台灣範銀'))
  })

  it('a broker branch without an exact firm name gets a fallback key and a named data gap', () => {
    const [row] = read(listed('1040', '臺範證券'), listed('1042', '臺範-臺南'))
    expect(row).toMatchObject({
      parent_broker_code: 'name:台範',
      parent_broker_name: '台範',
      data_gaps: ['broker_id_unresolved_fallback_key'],
    })
    expect(row?.['source_lineage']).toMatchObject({
      broker_id_source: 'fallback_key',
      broker_name_guess: '臺範',
      branch_name_guess: '臺南',
    })
  })

  it('broker branch codes keep their case: 585B and 585b are two branches', () => {
    expect(read(listed('5850', '範一'), listed('585B', '範一-永和'), listed('585b', '範一-內湖')).map(row => row['branch_code'])).toEqual([
      '585B',
      '585b',
    ])
  })

  it('a broker branch without an address has a null address and the gap address_missing', () => {
    expect(read(listed('5850', '範一'), listed('5851', '範一-高雄', ' '))[0]).toMatchObject({
      address: null,
      data_gaps: ['address_missing'],
    })
  })

  it('a broker branch states its source, with parsed days and half-width digits', () => {
    const [row] = read(listed('5850', '範一'), listed('585B', '範一-永和'))
    const source = { source_provider: 'twse', source_role: 'canonical', source_family: 'twse_open_data' }
    expect(row).toMatchObject({ ...source, address: '台北市範例路1號' })
    expect(row?.['source_lineage']).toEqual({
      emitter: 'twse_broker_branches',
      open_date: '1994-12-24',
      branch_code: '585B',
      broker_code: '5850',
      source_date: '2026-06-30',
      ...source,
      raw_branch_name: '範一-永和',
      broker_id_source: 'same_file_head_office',
      source_canonical: 'twse_brk02',
      branch_name_guess: '永和',
      broker_name_guess: '範一',
    })
  })

  it('the CSV list of broker branches keeps quoted commas and is dated by the requested day', () => {
    const csv = '證券商代號,證券商名稱,開業日,地址,電話\n5850,範一,78/04/03,台北市,1\n5853,範一-中壢,80/09/30,"桃園市中美路51號1,2樓",2\n'
    const [row] = rowsOf(branches.parse(bodyOf(csv), '2026-06-30'), 'broker-branch-reference')
    expect(row).toMatchObject({ branch_code: '5853', address: '桃園市中美路51號1,2樓', source_role: 'fallback' })
    expect(row?.['source_lineage']).toMatchObject({
      open_date: '1991-09-30',
      source_date: '2026-06-30',
      source_canonical: 'twse_broker_list_sheet',
    })
  })

  it.each([
    ['the CSV sheet has no date column', '證券商代號,證券商名稱,開業日,地址\n5850,範一,78/04/03,台北市\n5853,範一-中壢,80/09/30,桃園市\n'],
    ['open data leaves the date blank', [listed('5850', '範一'), { ...listed('5853', '範一-中壢'), 出表日期: ' ' }]],
  ])('if no day is requested, a list of broker branches is refused when %s', (_, content) => {
    const refusal = refusalOf(branches, bodyOf(content))
    expect(refusal.rule).toBe('day_not_stated')
    expect(refusal.message).toContain('The list has no date. Set the day you downloaded it with --date')
    expect(branches.parse(bodyOf(content), '2026-06-30').kind).toBe('rows')
  })

  it.each([
    ['wrong_table', 'it is another table', [{ 公司代號: '2330' }]],
    ['wrong_table', 'it has head offices only', [listed('5850', '範一')]],
    ['unreadable_code', 'a code is unreadable', [listed('高雄', '範一-高雄')]],
    ['impossible_date', 'an opening day does not exist', [{ ...listed('5851', '範一-高雄'), 開業日: '1130230' }]],
  ])('a list of broker branches is refused as %s when %s', (rule, _, content) =>
    expect(refusalOf(branches, bodyOf(content)).rule).toBe(rule),
  )
})

const firm = {
  出表日期: '1151007',
  證券代號: '9997',
  '券商(證券IB)簡稱': '範例一',
  '登記資本額（仟元）': '3000000',
  '實收資本額（仟元）': '5206132',
  '指撥營運金（仟元）': '0',
  營利事業統一編號: '03027502',
  變更日期: '1150529',
  區域代碼: '2　台北市',
  融資融券開辦日期: '0',
  設立日期: '501208',
  開業日期: '1001202',
  電話: '02-00000001',
  傳真: '',
  交割金融機構: '範例銀行',
  交割專戶帳號: '111-222-333',
  違約專戶: '444-555-666',
  錯帳專戶帳號: '777-888-999',
  業務種類: '經紀、自營',
  負責人: '',
  總經理: '範例乙',
  行政部門地址: '台&#63843;市範例&#63799;1號',
  備註: '',
  營業項目2: '102--在其營業處所受託買賣有價證券',
  營業項目10: '110--其他',
  營業項目1: '101--在集中交易市場受託買賣有價證券',
  營業項目3: '',
}
const firmRows = (...list: readonly object[]) => rowsOf(firms.parse(bodyOf(list), undefined), 'securities-firm-master')

describe('securities firms', () => {
  it('days of a securities firm are read from six or seven digits, absent days are null, and text is normalised', () => {
    expect(firmRows(firm)[0]).toEqual({
      broker_id: '9997',
      broker_name: '範例一',
      tax_id: '03027502',
      region_code: '2',
      phone: '02-00000001',
      fax: null,
      settlement_bank: '範例銀行',
      business_status: null,
      business_type: '經紀、自營',
      chairman: null,
      general_manager: '範例乙',
      admin_address: '台北市範例路1號',
      note: null,
      registered_capital_k: 3_000_000,
      paid_capital_k: 5_206_132,
      operating_capital_k: null,
      report_date: '2026-10-07',
      change_date: '2026-05-29',
      margin_start_date: null,
      established_date: '1961-12-08',
      business_start_date: '2011-12-02',
      market: 'TWSE',
      business_items: ['101--在集中交易市場受託買賣有價證券', '102--在其營業處所受託買賣有價證券', '110--其他'],
      source_family: 'twse_open_data',
      lineage: { grain: 'broker_id', source: 'twse_t187ap18', emitter: 'twse_securities_firms' },
    })
  })

  it("a securities firm's row contains no account number", () =>
    expect(JSON.stringify(firmRows(firm))).not.toMatch(/111-222-333|444-555-666|777-888-999/))

  it.each([
    [
      'wrong_table',
      'a column is missing',
      { ...firm, 業務種類: undefined, 證券代號: '9997', 出表日期: '1' },
      (row: object) => JSON.parse(JSON.stringify(row)),
    ],
    ['impossible_date', 'a day does not exist', { ...firm, 設立日期: '1130230' }, (row: object) => row],
    ['unreadable_number', 'a capital is not a number', { ...firm, '實收資本額（仟元）': '五百' }, (row: object) => row],
  ])('the register of securities firms is refused as %s when %s', (rule, _, row, as) =>
    expect(refusalOf(firms, bodyOf([as(row)])).rule).toBe(rule),
  )
})
