import { grouped, bodyOf as t86Of } from './day-files.ts'

export interface FeedFile {
  readonly feed: string
  readonly name: string
  readonly content: string
}

const [TWSE, TPEX] = [1_200, 800]
const tickersOf = (market: 'TWSE' | 'TPEX'): readonly string[] => (market === 'TWSE' ? from(1_000, TWSE) : from(4_000, TPEX))
const from = (first: number, count: number): readonly string[] => Array.from({ length: count }, (_, at) => String(first + at))

export const DROPPED = [
  'daily-prices',
  'institutional-positioning',
  'margin-trading',
  'securities-lending',
  'valuation',
  'foreign-holding',
] as const
export const SECURITIES = [tickersOf('TWSE')[0]!, tickersOf('TPEX')[0]!] as const

/** Returns an integer below `most`. The sequence depends only on the day. */
type Chance = (most: number) => number

function chanceOf(day: string, salt: number): Chance {
  let seed = Number(day.replaceAll('-', '')) * 31 + salt
  return most => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * most)
  }
}

const roc = (day: string, between = '/'): string => [Number(day.slice(0, 4)) - 1911, day.slice(5, 7), day.slice(8)].join(between)
export const inWords = (day: string): string => `${Number(day.slice(0, 4)) - 1911}年${day.slice(5, 7)}月${day.slice(8)}日`
export const compact = (day: string): string => day.replaceAll('-', '')

type Cells = readonly (string | number)[]
type RowOf = (chance: Chance) => Cells

function twse(day: string, salt: number, title: string, fields: readonly string[], rowOf: RowOf) {
  const data = rowsOf('TWSE', day, salt, rowOf)
  return { stat: 'OK', date: compact(day), title: `${inWords(day)} ${title}`, fields, data, total: data.length }
}

function tpex(day: string, salt: number, title: string, fields: readonly string[], rowOf: RowOf) {
  const data = rowsOf('TPEX', day, salt, rowOf)
  return { date: compact(day), tables: [{ title, date: roc(day), totalCount: data.length, fields, data, notes: [] }], stat: 'ok' }
}

function rowsOf(market: 'TWSE' | 'TPEX', day: string, salt: number, rowOf: RowOf): readonly Cells[] {
  const chance = chanceOf(day, salt)
  return tickersOf(market).map(ticker => [ticker, `測試${ticker}`, ...rowOf(chance)])
}

const QUOTE_FIELDS = ['證券代號', '證券名稱', '成交股數', '成交筆數', '成交金額', '開盤價', '最高價', '最低價', '收盤價']
const TPEX_QUOTE_FIELDS = ['代號', '名稱', '收盤', '開盤', '最高', '最低', '成交股數', '成交金額(元)', '成交筆數']

function quote(chance: Chance) {
  const low = 20 + chance(20_000) / 100
  const [open, high, close] = [low + chance(300) / 100, low + 3, low + chance(300) / 100]
  const volume = 1_000 + chance(40_000_000)
  const price = (value: number): string => value.toFixed(2)
  return {
    open: price(open),
    high: price(high),
    low: price(low),
    close: price(close),
    volume: grouped(volume),
    turnover: grouped(Math.round(volume * low)),
    trades: grouped(1 + chance(9_000)),
  }
}

const NET = ['買進股數', '賣出股數', '買賣超股數']

function trades(chance: Chance, most: number): readonly [string, string, string, net: number] {
  const [bought, sold] = [chance(most), chance(most)]
  return [grouped(bought), grouped(sold), grouped(bought - sold), bought - sold]
}

function institutions(chance: Chance): Cells {
  const [foreign, trust, own, hedge] = [8e6, 1e6, 3e5, 3e5].map(most => trades(chance, most))
  const dealers = own![3] + hedge![3]
  const shown = (leg: typeof foreign): Cells => leg!.slice(0, 3)
  const both = [grouped(0), grouped(0), grouped(dealers)]
  return [
    ...[...shown(foreign), '0', '0', '0', ...shown(foreign), ...shown(trust), ...shown(own), ...shown(hedge), ...both],
    grouped(foreign![3] + trust![3] + dealers),
  ]
}

/**
 * Returns the previous balance, additions, deductions, repayments, the new balance and the limit.
 *
 * @param unit 1 for lots, 1,000 for shares
 */
function balance(chance: Chance, unit = 1): readonly number[] {
  const [before, into, out] = [5_000 + chance(9_000), chance(2_000), chance(2_000)]
  const back = chance(50)
  return [before, into, out, back, before + into - out - back, 500_000].map(lots => lots * unit)
}

const printed = (values: readonly number[], ...places: readonly number[]): readonly string[] => places.map(place => grouped(values[place]!))

const MARGIN_FIELDS = [
  '代號',
  '名稱',
  ...[
    '買進',
    '賣出',
    '現金償還',
    '前日餘額',
    '今日餘額',
    '限額',
    '買進',
    '賣出',
    '現券償還',
    '前日餘額',
    '今日餘額',
    '限額',
    '資券互抵',
    '註記',
  ],
]
const TPEX_MARGIN_FIELDS = [
  '代號',
  '名稱',
  ...[
    '前資餘額(張)',
    '資買',
    '資賣',
    '現償',
    '資餘額',
    '資屬證金',
    '資使用率(%)',
    '資限額',
    '前券餘額(張)',
    '券賣',
    '券買',
    '券償',
    '券餘額',
    '券屬證金',
    '券使用率(%)',
    '券限額',
    '資券相抵(張)',
    '備註',
  ],
]
const LENDING = ['前日餘額', '賣出', '買進', '現券']
const SOLD = ['前日餘額', '當日賣出', '當日還券']

/**
 * Returns the balances of margin short sales, then of borrowed shares that were sold. In shares.
 */
function lending(chance: Chance): Cells {
  const [margin, borrowed] = [balance(chance, 1_000), balance(chance, 1_000)]
  const after = borrowed[0]! + borrowed[1]! - borrowed[2]!
  return [...printed(margin, 0, 1, 2, 3, 4, 5), ...printed(borrowed, 0, 1, 2), '0', grouped(after), '1,000,000', ' ']
}

function holding(chance: Chance): Cells {
  const [issued, held] = [1e9, chance(6e8)]
  const share = (held / issued) * 100
  return [...[issued, issued - held, held].map(grouped), (100 - share).toFixed(2), share.toFixed(2), '100.00', '100.00', '', '113/07/08']
}

const HOLDING_FIELDS = [
  '發行股數',
  '外資及陸資尚可投資股數',
  '全體外資及陸資持有股數',
  '外資及陸資尚可投資比率',
  '全體外資及陸資持股比率',
  '外資及陸資共用法令投資上限比率',
  '陸資法令投資上限比率',
  '與前日異動原因(註)',
]

function holdingPage(day: string): string {
  const fields = ['證券代號', '證券名稱', ...HOLDING_FIELDS, '最近一次上櫃公司申報外資持股異動日期']
  const line = (tag: string, cells: Cells): string =>
    `<tr>${cells.map(cell => `<${tag} align=right><font size=2>${cell}&nbsp;</${tag}>`).join('')}</tr>`
  const rows = rowsOf('TPEX', day, 12, holding).map(cells => line('td', cells))
  const title = `<tr><th colspan=11><font size=3>${roc(day)}外資及陸資投資持股統計</th></tr>`
  return `<html><body><center><table border=1>${title}\n${line('th', fields)}\n${rows.join('\n')}</table></center></body></html>`
}

export function filesOf(day: string): readonly FeedFile[] {
  const json = (feed: string, content: unknown): FeedFile => ({
    feed,
    name: `${feed}_${compact(day)}.json`,
    content: JSON.stringify(content),
  })
  const quotes = twse(day, 1, '每日收盤行情(全部(不含權證、牛熊證))', QUOTE_FIELDS, chance => {
    const { volume, trades, turnover, open, high, low, close } = quote(chance)
    return [volume, trades, turnover, open, high, low, close]
  })
  const margin: RowOf = chance => {
    const [long, short] = [balance(chance), balance(chance)]
    return [...printed(long, 1, 2, 3, 0, 4, 5), ...printed(short, 2, 1, 3, 0, 4, 5), '0', ' ']
  }
  const tpexMargin: RowOf = chance => {
    const [long, short] = [balance(chance), balance(chance)]
    return [
      ...printed(long, 0, 1, 2, 3, 4),
      '1',
      '0.3',
      grouped(long[5]!),
      ...printed(short, 0, 1, 2, 3, 4),
      '0',
      '0.01',
      grouped(short[5]!),
      '0',
      '',
    ]
  }
  const ratio = (chance: Chance): string => (1 + chance(4_000) / 100).toFixed(2)
  return [
    json('twse-quotes', { tables: [quotes], params: { date: compact(day), type: 'ALLBUT0999' }, stat: 'OK', date: compact(day) }),
    json(
      'tpex-quotes',
      tpex(day, 2, '上櫃股票行情', TPEX_QUOTE_FIELDS, chance => {
        const { volume, trades, turnover, open, high, low, close } = quote(chance)
        return [close, open, high, low, volume, turnover, trades]
      }),
    ),
    { feed: 'twse-t86', name: `T86_${compact(day)}.json`, content: t86Of(day, tickersOf('TWSE')) },
    json(
      'tpex-institutional',
      tpex(
        day,
        4,
        '三大法人買賣明細資訊',
        ['代號', '名稱', ...Array.from({ length: 7 }, () => NET).flat(), '三大法人買賣超股數合計'],
        institutions,
      ),
    ),
    json('twse-margin', { stat: 'OK', date: compact(day), tables: [twse(day, 5, '融資融券彙總 (全部)', MARGIN_FIELDS, margin)] }),
    json('tpex-margin', tpex(day, 6, '上櫃股票融資融券餘額', TPEX_MARGIN_FIELDS, tpexMargin)),
    json(
      'twse-lending',
      twse(
        day,
        7,
        '信用額度總量管制餘額表',
        ['代號', '名稱', ...LENDING, '今日餘額', '限額', ...SOLD, '當日調整', '當日餘額', '次一營業日可限額', '備註'],
        lending,
      ),
    ),
    json(
      'tpex-lending',
      tpex(
        day,
        8,
        '信用額度總量管制餘額表',
        ['股票代號', '股票名稱', ...LENDING, '當日餘額', '限額', ...SOLD, '當日調整數額', '當日餘額', '次一營業日可借券賣出限額', '備註'],
        lending,
      ),
    ),
    json(
      'twse-valuation',
      twse(
        day,
        9,
        '個股日本益比、殖利率及股價淨值比',
        ['證券代號', '證券名稱', '殖利率(%)', '股利年度', '本益比', '股價淨值比', '財報年/季'],
        chance => [ratio(chance), 112, ratio(chance), ratio(chance), '113/3'],
      ),
    ),
    json(
      'tpex-valuation',
      tpex(day, 10, '', ['股票代號', '公司名稱', '本益比', '每股股利', '股利年度', '殖利率(%)', '股價淨值比'], chance => [
        ratio(chance),
        '1.20',
        112,
        ratio(chance),
        ratio(chance),
      ]),
    ),
    json(
      'twse-foreign-holding',
      twse(
        day,
        11,
        '外資及陸資投資持股統計',
        ['證券代號', '證券名稱', ...HOLDING_FIELDS, '最近一次上市公司申報外資及陸資持股異動日期'].toSpliced(2, 0, '國際證券編碼'),
        chance => ['', ...holding(chance)],
      ),
    ),
    { feed: 'tpex-foreign-holding', name: `holding_${compact(day)}.html`, content: holdingPage(day) },
  ]
}
