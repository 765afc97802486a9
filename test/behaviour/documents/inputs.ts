import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalog, type Row } from '../../../catalog/index.ts'
import { bodyOf, T86_FIELDS } from '../../fixtures/feeds/bodies.ts'

/** Rows as CSV. JSON columns are written as JSON text. */
function csvOf(rows: readonly Row[]): string {
  const cell = (value: unknown): string => `"${(typeof value === 'object' ? JSON.stringify(value) : String(value)).replaceAll('"', '""')}"`
  return [Object.keys(rows[0]!).join(','), ...rows.map(row => Object.values(row).map(cell).join(','))].join('\n')
}

/** Writes the input files that commands of the documents use, in the exchanges' formats. */
export async function writeInputs(dir: string): Promise<void> {
  writeFileSync(join(dir, 'events.csv'), csvOf((await loadCatalog()).get('company-risk-events')!.example))
  mkdirSync(join(dir, 'downloads'))
  const legs = ['2330', '台積電', ...Array.from({ length: 17 }, () => '0')]
  const t86 = {
    stat: 'OK',
    date: '20230130',
    title: '112年01月30日 三大法人買賣超日報',
    fields: T86_FIELDS[2017],
    data: [legs],
    selectType: 'ALLBUT0999',
    total: 1,
  }
  writeFileSync(join(dir, 'downloads/T86_20230130.json'), bodyOf(t86).bytes)
  const fields = [
    '證券代號',
    '證券名稱',
    '成交股數',
    '成交筆數',
    '成交金額',
    '開盤價',
    '最高價',
    '最低價',
    '收盤價',
    '漲跌(+/-)',
    '漲跌價差',
  ]
  const quotes = {
    title: '112年01月30日 每日收盤行情(全部)',
    fields,
    data: [['2330', '台積電', '1,000', '2', '500,000', '500', '501', '499', '500', '<p>X</p>', '0.00']],
  }
  const indices = {
    title: '112年01月30日 價格指數(臺灣證券交易所)',
    fields: ['指數', '收盤指數', '漲跌(+/-)', '漲跌點數', '漲跌百分比(%)', '特殊處理註記'],
    data: [['發行量加權股價指數', '15,493.82', "<p style ='color:red'>+</p>", '560.89', '3.76', '']],
  }
  writeFileSync(join(dir, 'downloads/MI_INDEX_20230130.json'), bodyOf({ stat: 'OK', date: '20230130', tables: [indices, quotes] }).bytes)
  const cells = (tag: string, ...texts: readonly string[]): string => `<tr>${texts.map(text => `<${tag}>${text}</${tag}>`).join('')}</tr>`
  const lines = ['利息淨收益', '利息以外淨損益', '本期稅後淨利（淨損）', '淨利（損）歸屬於母公司業主', '基本每股盈餘（元）']
  const bank = `${cells('th', '公司代號', '公司名稱', ...lines)}${cells('td', '2801', '彰銀', '5', '4', '3,451', '--', '0.33')}`
  const season = `<html><body><h2>上市公司第一季資料</h2><p>單位：新台幣仟元</p><table>${bank}</table></body></html>`
  writeFileSync(join(dir, 'downloads/t163sb04_sii_season1.html'), season)
  // First lists need the minimum number of rows of a complete list, or they are refused.
  const headings = cells('td', '有價證券代號', '有價證券名稱', '市場別', '產業別')
  const securities = Array.from({ length: 500 }, (_, at) => cells('td', String(9_000 + at), `範例${at}`, '上市', '水泥工業')).join('')
  writeFileSync(join(dir, 'downloads/class_main.html'), `<html><body><table>${headings}${securities}</table></body></html>`)
  const branches = Array.from({ length: 300 }, (_, at) => `9${String(at).padStart(3, '0')},統一-範例${at},83/05/02,新北市\n`).join('')
  writeFileSync(join(dir, 'downloads/brokers.csv'), `證券商代號,證券商名稱,開業日,地址\n5850,統一,78/04/03,台北市\n${branches}`)
  writeFileSync(join(dir, 'holidays.csv'), 'market,date,is_open,reason\nTWSE,2026-02-17,false,春節\n')
}
