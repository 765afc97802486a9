import { describe, expect, it } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { type FlatFeed, flatFeed } from '../../../ingest/formats/index.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'
import { feeds } from '../../fixtures/ingest/bodies.ts'

const catalog = await loadCatalog()
const DAY = '2024-01-02'
const feed = (name: string) => feeds.get(name)!
const lines = (...text: readonly string[]): string => `${text.join('\r\n')}\r\n`

describe('tables of TAIFEX', () => {
  const HEAD =
    '交易日期,契約,到期月份(週別),開盤價,最高價,最低價,收盤價,漲跌價,漲跌%,成交量,結算價,未沖銷契約數,最後最佳買價,最後最佳賣價,歷史最高價,歷史最低價,是否因訊息面暫停交易,交易時段,價差對單式委託成交量'
  const futures = (...rows: readonly string[]) => bodyOf(lines(HEAD, ...rows))
  const ROW = '2024/01/02,TX,202401  ,17900,17990,17800,17950,50,0.28%,1234,17955,5678,17949,17951,18000,15000,,一般,,'

  it('rows of futures have the column types of their dataset, with null for a dash', () => {
    const night = '2024/01/02,TX,202401/202402,-,-,-,-,-,-,0,-,-,-27,-20,-,-,,盤後,8,'
    const rows = rowsOf(feed('taifex-futures').parse(futures(ROW, night), DAY), 'futures-daily')
    expect(rows).toEqual([
      {
        contract: 'TX',
        trade_date: DAY,
        contract_month: '202401',
        session: 'regular',
        open: 17_900,
        high: 17_990,
        low: 17_800,
        close: 17_950,
        change: 50,
        change_percent: 0.28,
        volume: 1_234,
        settlement_price: 17_955,
        open_interest: 5_678,
        best_bid: 17_949,
        best_ask: 17_951,
        historical_high: 18_000,
        historical_low: 15_000,
        trading_halt: null,
        spread_volume: null,
      },
      expect.objectContaining({ session: 'after_hours', contract_month: '202401/202402', close: null, best_bid: -27, spread_volume: 8 }),
    ])
  })

  it.each([
    ['wrong_day', 'a row has another day', futures(ROW, ROW.replace('2024/01/02', '2024/01/03'))],
    ['unknown_word', 'a session has a new name', futures(ROW.replace('一般', '夜盤'))],
    ['absent_value', 'a volume is missing', futures(ROW.replace(',1234,', ',-,'))],
    ['unreadable_number', 'a price is a word', futures(ROW.replace('17990', '無'))],
    ['damaged_body', 'a row has a cell too many', futures(`${ROW},`)],
    ['wrong_table', 'a column is missing', bodyOf(lines(HEAD.replace('結算價,', ''), ROW))],
    ['wrong_table', 'two columns have the same heading', bodyOf(lines(HEAD.replace('歷史最低價', '歷史最高價'), ROW))],
  ])('a table of futures is refused as %s if %s', (rule, _, body) => expect(refusalOf(feed('taifex-futures'), body, DAY).rule).toBe(rule))

  it('a heading without rows and the page that states "no data" are read as empty for the requested day', () => {
    expect(feed('taifex-futures').parse(futures(), DAY)).toEqual({ kind: 'empty', date: DAY, reason: 'a heading without rows' })
    const page = '<html><body><script>\nalert("查無資料");\nwindow.location.replace("futContractsDateView");\n</script></body></html>'
    expect(feed('taifex-futures-institutional').parse(bodyOf(page), DAY)).toMatchObject({ kind: 'empty', date: DAY })
  })

  it('the table of large traders is read up to its notes, in both forms', () => {
    const site = lines(
      '日期,商品(契約),商品名稱(契約名稱),到期月份(週別),交易人類別,前五大交易人買方,前五大交易人賣方,前十大交易人買方,前十大交易人賣方,全市場未沖銷部位數',
      '2024/01/02,TX     ,臺股期貨(TX+MTX/4)  ,999999  ,1,10,20,30,40,50',
      '',
      '月份類別格式: 666666為所有週到期契約合計，999999 為所有契約合計。',
      '-表無週到期契約；"0"表無未沖銷部位。',
    )
    const open = lines(
      '日期,契約,商品名稱(契約名稱),到期月份(週別),交易人類別,前五大交易人買方數量,前五大交易人賣方數量,前十大交易人買方數量,前十大交易人賣方數量,全市場未沖銷部位數',
      '20240102,TX,臺股期貨(TX+MTX/4),999912,1,10,20,30,40,50',
    )
    const [first, second] = [site, open].map(text => rowsOf(feed('taifex-large-traders-futures').parse(bodyOf(text), DAY), 'large-traders'))
    expect(first).toMatchObject([
      { contract: 'TX', instrument: 'futures', contract_month: '999999', trader_type: 'institutions', top5_buy: 10 },
    ])
    expect(second).toEqual(first)
  })

  it('institutional values in thousand TWD become TWD, under the headings of 2023 and of 2026', () => {
    const old =
      '日期,商品名稱,身份別,多方交易口數,多方交易契約金額(千元),空方交易口數,空方交易契約金額(千元),多空交易口數淨額,多空交易契約金額淨額(千元),多方未平倉口數,多方未平倉契約金額(千元),空方未平倉口數,空方未平倉契約金額(千元),多空未平倉口數淨額,多空未平倉契約金額淨額(千元)'
    const newer = old
      .replace('多方交易契約金額', '多方契約金額')
      .replace('空方交易契約金額', '空方契約金額')
      .replace('多空交易口數淨額', '多空口數淨額')
      .replace('多空交易契約金額淨額', '多空契約金額淨額')
    for (const heads of [old, newer]) {
      const body = bodyOf(lines(heads, '2024/01/02,臺股期貨,外資及陸資,3,300,1,100,2,200,6,600,4,400,2,200'))
      expect(rowsOf(feed('taifex-futures-institutional').parse(body, DAY), 'futures-institutional')).toMatchObject([
        {
          product: '臺股期貨',
          investor: 'foreign',
          long_volume: 3,
          long_value: 300_000,
          net_value: 200_000,
          net_open_interest_value: 200_000,
        },
      ])
    }
  })
})

describe('final settlement prices', () => {
  const record = {
    TheFinalSettlementDay: '20240117',
    DeliveryMonth: '202401',
    Contract: 'TX',
    ContractName: '臺股期貨',
    TheFinalSettlementPrice: '17,161',
  }

  it('each expiry becomes a row, whether the body is JSON of all contracts or CSV of one kind', () => {
    const csv = lines('到期日,商品代號,商品名稱,契約月份,最後結算價', '2024/01/17,TX,臺股期貨,202401,17161')
    for (const body of [bodyOf([record]), bodyOf(csv)])
      expect(rowsOf(feed('taifex-final-settlement').parse(body, undefined), 'final-settlement')).toEqual([
        {
          contract: 'TX',
          settlement_date: '2024-01-17',
          contract_month: '202401',
          contract_name: '臺股期貨',
          final_settlement_price: 17_161,
        },
      ])
  })

  it.each([
    ['wrong_table', 'it has settled positions', { ...record, 'Long(lot)': '5' }],
    ['absent_value', 'a price is missing', { ...record, TheFinalSettlementPrice: '-' }],
    ['impossible_date', 'a day is invalid', { ...record, TheFinalSettlementDay: '20240230' }],
  ])('a table of final settlement prices is refused as %s if %s', (rule, _, row) =>
    expect(refusalOf(feed('taifex-final-settlement'), bodyOf([row])).rule).toBe(rule),
  )
})

describe('rates', () => {
  const table = { headerSet: { Table1: [{ data: '新台幣NTD/USD' }, { data: '英鎊USD/GBP' }] }, data: [['20240102', '31.1', '-']] }

  it('each currency with a rate becomes a row, in each of the three JSON forms of the source', () => {
    const today = { data: { structure: { Table1: table.headerSet.Table1 }, dataSets: table.data } }
    for (const body of [bodyOf(table), bodyOf(JSON.stringify(JSON.stringify(table))), bodyOf(today)])
      expect(rowsOf(feed('cbc-fx-rates').parse(body, undefined), 'fx-rates')).toEqual([
        { source: 'cbc', date: DAY, pair: 'USD/TWD', rate: 31.1 },
      ])
  })

  it('a month of rates has its month in ISO form and its last day', () => {
    const rates = { headerSet: { Table1: [{ data: '金融業拆款' }] }, data: [['2024M02', '0.685']] }
    expect(rowsOf(feed('cbc-money-market').parse(bodyOf(rates), undefined), 'money-market-rates')).toEqual([
      { month: '2024-02', period_end: '2024-02-29', item: 'interbank_call_loan', rate: 0.685 },
    ])
  })
})

describe('totals of the market', () => {
  const statistics = (title: string, fields: readonly string[], data: readonly (readonly string[])[], more: object = {}) => ({
    stat: 'OK',
    date: '20240102',
    tables: [{ title: `113年01月02日 ${title}`, fields, data, ...more }],
  })

  it('turnover classes are recognized regardless of their printed numbers, and printed totals are compared, not stored', () => {
    const fields = ['成交統計', '成交金額(元)', '成交股數(股)', '成交筆數']
    const data = [
      ['1.一般股票', '1,000', '100', '10'],
      ['4.ETF', '500', '50', '5'],
      ['證券合計(1+6)', '1,000', '100', '10'],
      ['總計(1~15)', '1,500', '150', '15'],
    ]
    const parsed = feed('twse-market-classes').parse(bodyOf(statistics('大盤統計資訊', fields, data)), DAY)
    expect(rowsOf(parsed, 'market-turnover-by-class').map(row => [row['class'], row['name'], row['value']])).toEqual([
      ['stocks', '1.一般股票', 1_000],
      ['etf', '4.ETF', 500],
    ])
    expect(parsed.kind === 'rows' && parsed.statedTotals?.['market-turnover-by-class']).toEqual({
      held: 2,
      totals: [
        { column: 'value', of: null, stated: 1_500 },
        { column: 'volume', of: null, stated: 150 },
        { column: 'transactions', of: null, stated: 15 },
      ],
    })
  })

  it('breadth of TWSE has a row of all securities and a row of stocks', () => {
    const data = [
      ['上漲(漲停)', '4,916(55)', '764(14)'],
      ['下跌(跌停)', '2,052(69)', '132(0)'],
      ['持平', '228', '67'],
      ['未成交', '11,438', '1'],
      ['無比價', '4,400', '4'],
    ]
    const parsed = feed('twse-market-breadth').parse(bodyOf(statistics('漲跌證券數合計', ['類型', '整體市場', '股票'], data)), DAY)
    expect(rowsOf(parsed, 'market-breadth')).toMatchObject([
      {
        scope: 'all',
        advances: 4_916,
        limit_up: 55,
        declines: 2_052,
        limit_down: 69,
        unchanged: 228,
        no_trade: 11_438,
        no_comparison: 4_400,
      },
      { scope: 'stocks', advances: 764, limit_up: 14, listed: null },
    ])
  })

  it('margin totals of TPEx come from the sums of the table, with purchases and sales in their own columns', () => {
    const fields = ['代號', '名稱', '前資餘額(張)', '資買', '資賣', '現償', '資餘額', '前券餘額(張)', '券賣', '券買', '券償', '券餘額']
    const summary = [
      ['', '合計(張)', '100', '20', '10', '5', '105', '50', '8', '3', '1', '54'],
      ['', '融資金(仟元)', '9,000', '200', '100', '50', '9,050', '', '', '', '', ''],
    ]
    const rows = rowsOf(
      feed('tpex-market-margin').parse(bodyOf(statistics('融資融券餘額', fields, [], { summary, totalCount: 1 })), DAY),
      'market-margin',
    )
    expect(rows.map(row => [row['item'], row['buy'], row['sell'], row['repayment'], row['balance_before'], row['balance']])).toEqual([
      ['margin', 20, 10, 5, 100, 105],
      ['margin_value', 200, 100, 50, 9_000, 9_050],
      ['short', 3, 8, 1, 50, 54],
    ])
  })

  it('one body of day trades has the rows of securities and the totals of the market', () => {
    const total =
      '當日沖銷交易總成交股數,當日沖銷交易總成交股數占市場比重,當日沖銷交易總買進成交金額,當日沖銷交易總買進成交金額占市場比重,當日沖銷交易總賣出成交金額,當日沖銷交易總賣出成交金額占市場比重'
    const each = '證券代號,證券名稱,暫停現股賣出後現款買進當沖註記,當日沖銷交易成交股數,當日沖銷交易買進成交金額,當日沖銷交易賣出成交金額'
    const body = {
      stat: 'ok',
      date: '20240102',
      tables: [
        { title: '統計資訊', date: '113/01/02', fields: total.split(','), data: [['1,000', '28.97%', '90', '51.10%', '91', '51.26%']] },
        { title: '', date: '113/01/02', fields: each.split(','), data: [['9958', '範例鋼', ' ', '1,000', '90', '91']] },
      ],
    }
    const parsed = feed('tpex-day-trading').parse(bodyOf(body), DAY)
    expect(rowsOf(parsed, 'day-trading')).toMatchObject([{ ticker: '9958', market: 'TPEX', suspension_mark: null, volume: 1_000 }])
    expect(rowsOf(parsed, 'day-trading-market')).toMatchObject([{ market: 'TPEX', volume: 1_000, volume_share: 28.97, sell_share: 51.26 }])
  })
})

it('the day-trades feed reads the shorter TWSE table of a closed day as empty, and refuses another table', () => {
  const stub = (fields: readonly string[]) => ({
    stat: 'OK',
    date: '20240101',
    tables: [{ title: '113年01月01日 當日沖銷交易標的', fields, data: [] }, {}],
  })
  const own = bodyOf(stub(['證券代號', '證券名稱', '暫停現股賣出後現款買進當沖註記']))
  expect(feed('twse-day-trading').parse(own, '2024-01-01')).toMatchObject({ kind: 'empty', date: '2024-01-01' })
  expect(refusalOf(feed('twse-day-trading'), bodyOf(stub(['證券代號', '證券名稱'])), '2024-01-01').rule).toBe('wrong_table')
})

describe('convertible bonds and events', () => {
  it('a convertible bond gets its code from its second line, and an unused cell does not shift its limits', () => {
    const body = lines(
      'TITLE,交易行情表',
      'DATADATE,日期:113年01月02日',
      'ALIGN,C,L',
      'HEADER,代號,名稱,交易,收市,漲跌,開市,最高,最低,筆數,單位,金額,均價,明日參價,明日漲停,明日跌停',
      'BODY,"99581","範例一  ","等價","","","","","","","","","","102.00 ","101.95 ","112.10 ","91.80  "',
      'BODY,"","","議價","","","","","","","","","","","",""',
    )
    const rows = rowsOf(feed('tpex-cb-prices').parse(bodyOf(body), DAY), 'cb-prices')
    expect(rows).toMatchObject([
      {
        bond_code: '99581',
        trade_date: DAY,
        trade_type: 'order_book',
        close: null,
        average_price: 102,
        next_limit_up: 112.1,
        next_limit_down: 91.8,
      },
      { bond_code: '99581', trade_type: 'negotiated', name: '範例一', next_limit_up: null },
    ])
    expect(refusalOf(feed('tpex-cb-prices'), bodyOf(body), '2024-01-03').rule).toBe('wrong_day')
  })

  it('delistings have Gregorian days in all three forms of the source', () => {
    const twse = [
      { DelistingDate: '115/06/23', Company: '範例', Code: '9958' },
      { DelistingDate: '090/01/20', Company: '範例', Code: '9959' },
    ]
    expect(rowsOf(feed('twse-delistings').parse(bodyOf(twse), undefined), 'delistings').map(row => row['delisting_date'])).toEqual([
      '2026-06-23',
      '2001-01-20',
    ])
    const tpex = {
      stat: 'ok',
      tables: [
        {
          fields: ['股票代號', '公司名稱', '終止上櫃日期', '終止上櫃原因', '公司資料網址'],
          data: [['9958', '範例', '115-06-08', '規則', 'x']],
        },
      ],
    }
    expect(rowsOf(feed('tpex-delistings').parse(bodyOf(tpex), undefined), 'delistings')).toEqual([
      { ticker: '9958', market: 'TPEX', delisting_date: '2026-06-08', company_name: '範例', reason: '規則' },
    ])
  })

  it('the list of TPEx delistings of all years is read completely, and refused if rows are missing', () => {
    const body = (totalCount: number) => {
      const fields = ['股票代號', '公司名稱', '終止上櫃日期', '終止上櫃原因', '公司資料網址']
      const data = [
        ['9958', '範例', '115-06-08', '', 'x'],
        ['9959', '範例', '81-10-27', '規則', 'x'],
      ]
      return bodyOf({ stat: 'ok', date: 'ALL', tables: [{ title: '', fields, data, totalCount, notes: [] }] })
    }
    expect(rowsOf(feed('tpex-delistings').parse(body(2), undefined), 'delistings')).toMatchObject([
      { ticker: '9958', delisting_date: '2026-06-08', reason: null },
      { ticker: '9959', delisting_date: '1992-10-27', reason: '規則' },
    ])
    expect(refusalOf(feed('tpex-delistings'), body(582)).rule).toBe('row_count_mismatch')
  })

  it('investor conferences are read from announcements with line breaks or blanks, and other announcements are skipped', () => {
    const said = (day: string, br: string) =>
      [
        '符合條款第四條第XX款：12',
        `1.召開法人說明會之日期：${day}`,
        '2.召開法人說明會之時間：14 時 00 分',
        '3.召開法人說明會之地點：範例路1號',
        '4.法人說明會擇要訊息：說明營運',
        '5.其他應敘明事項：無',
      ].join(br)
    const announced = (code: string, text: string) => ({ 公司代號: code, '主旨 ': '範例', 符合條款: '第12款', 說明: text })
    const body = [
      announced('9958', said('113/01/16', '\r\n')),
      announced('9959', said('113/01/16 ~ 113/01/17', ' ')),
      announced('9960', '董事會決議'),
      announced('9958', said('113/01/16', ' ')),
    ]
    const parsed = feed('twse-investor-conferences').parse(bodyOf(body), undefined)
    expect(rowsOf(parsed, 'investor-conferences')).toEqual([
      {
        ticker: '9958',
        market: 'TWSE',
        conference_start: '2024-01-16',
        time: '14:00',
        conference_end: '2024-01-16',
        location: '範例路1號',
        summary: '說明營運',
      },
      expect.objectContaining({ ticker: '9959', conference_start: '2024-01-16', conference_end: '2024-01-17' }),
    ])
    expect(parsed).toMatchObject({ notes: [expect.stringContaining('1 of 4 announcements')] })
    const unclear = [announced('9958', said('近期', ' '))]
    expect(refusalOf(feed('twse-investor-conferences'), bodyOf(unclear)).rule).toBe('unreadable_conference')
  })
})

describe('tables whose fields are known from their published lists', () => {
  const GENERAL = { 公司名稱: '範例', 流動資產: '40.00', 非流動資產: '60.00', 流動負債: '10.00', 非流動負債: '20.00' }
  const EQUITY = { 股本: '50', 資本公積: '5', 其他權益: '-5', 庫藏股票: '0', 非控制權益: '', 每股參考淨值: '14.00' }
  const SHARES = { 待註銷股本股數: '0', '預收股款（權益項下）之約當發行股數': '0', 母公司暨子公司所持有之母公司庫藏股股數: '0' }
  const FILED = { 出表日期: '1150815', 年度: '115', 季別: '2', 公司代號: '9958', ...EQUITY, ...SHARES, 保留盈餘: '20' }
  const OWNERS = '歸屬於母公司業主之權益合計'
  const listed = { ...FILED, ...GENERAL, 資產總額: '100', 負債總額: '30', 權益總額: '70', [OWNERS]: '70' }

  it('balance sheets have amounts in TWD and the last day of the quarter, for either name of a total', () => {
    const { 資產總額, 負債總額, 權益總額, ...others } = listed
    const otherNames = { ...others, 資產總計: 資產總額, 負債總計: 負債總額, 權益總計: 權益總額 }
    const [first, second] = [listed, otherNames].map(row =>
      rowsOf(feed('twse-balance-sheets').parse(bodyOf([row]), undefined), 'balance-sheet'),
    )
    expect(first).toMatchObject([
      {
        ticker: '9958',
        market: 'TWSE',
        period_end: '2026-06-30',
        current_assets: 40_000,
        total_assets: 100_000,
        total_liabilities: 30_000,
        total_equity: 70_000,
        other_equity: -5_000,
        non_controlling_interests: null,
        book_value_per_share: 14,
        treasury_shares_count: 0,
        deposits: null,
      },
    ])
    expect(second).toEqual(first)
  })

  it('balance sheets of banks are read under English names of the company and the quarter', () => {
    const { 流動資產, 非流動資產, 流動負債, 非流動負債, 年度, 季別, 公司代號, 公司名稱, ...others } = listed
    const company = { Year: 年度, Season: 季別, SecuritiesCompanyCode: 公司代號, CompanyName: 公司名稱 }
    const body = [{ ...others, ...company, 現金及約當現金: '7', '貼現及放款－淨額': '30', 存款及匯款: '20' }]
    expect(rowsOf(feed('tpex-balance-sheets').parse(bodyOf(body), undefined), 'balance-sheet')).toMatchObject([
      {
        ticker: '9958',
        name: '範例',
        current_assets: null,
        cash_and_cash_equivalents: 7_000,
        loans_and_discounts: 30_000,
        deposits: 20_000,
      },
    ])
  })

  it('a statement form that no company files is empty, and a quarter that does not exist is refused', () => {
    const blank = Object.fromEntries(Object.keys(listed).map(name => [name, '']))
    const parsed = feed('twse-balance-sheets').parse(bodyOf([blank]), undefined)
    expect(parsed.kind === 'empty' && feed('twse-balance-sheets').nothing!.test(parsed.reason)).toBe(true)
    expect(refusalOf(feed('twse-balance-sheets'), bodyOf([{ ...listed, 季別: '5' }])).rule).toBe('impossible_date')
  })

  it('revenue in million TWD becomes TWD, and margins are read with and without formulas in the headings', () => {
    const names = ['毛利率', '營業利益率', '稅前純益率', '稅後純益率']
    const formulas = ['(營業毛利)', '(營業利益)', '(稅前純益)', '(稅後純益)'].map(part => `(%)${part}/(營業收入)`)
    const margins = (headings: readonly string[]) => Object.fromEntries(headings.map((name, index) => [name, `${40 - 10 * index}.50`]))
    const company = { 年度: '115', 季別: '2', 公司代號: '9958', 公司名稱: '範例' }
    const twse = { ...company, '營業收入(百萬元)': '1,234.56', ...margins(names.map((name, index) => name + formulas[index])) }
    const tpex = { ...company, 營業收入百萬元: '1234.56', ...margins(names) }
    const row = { revenue: 1_234_560_000, gross_margin: 40.5, operating_margin: 30.5, pretax_margin: 20.5, net_margin: 10.5 }
    expect(rowsOf(feed('twse-profitability').parse(bodyOf([twse]), undefined), 'profitability')).toMatchObject([row])
    expect(rowsOf(feed('tpex-profitability').parse(bodyOf([tpex]), undefined), 'profitability')).toMatchObject([row])
  })

  it('an announcement that is printed twice is read once, and its time has leading zeros', () => {
    const twse = {
      發言日期: '1150630',
      發言時間: '70012',
      公司代號: '9958',
      公司名稱: '範例',
      '主旨 ': '董事會決議',
      符合條款: '第14款',
      事實發生日: '1150629',
      說明: '1.日期\r\n2.內容',
    }
    const parsed = feed('twse-announcements').parse(bodyOf([twse, twse]), undefined)
    expect(rowsOf(parsed, 'announcements')).toEqual([
      {
        ticker: '9958',
        market: 'TWSE',
        announced_on: '2026-06-30',
        announced_time: '07:00:12',
        subject: '董事會決議',
        name: '範例',
        clause: '第14款',
        event_date: '2026-06-29',
        description: '1.日期\r\n2.內容',
      },
    ])
    expect(parsed).toMatchObject({ notes: ['1 rows repeat others and were skipped'] })
    const { 公司代號, 公司名稱, '主旨 ': 主旨, ...others } = twse
    const tpex = { ...others, SecuritiesCompanyCode: 公司代號, CompanyName: 公司名稱, 主旨 }
    expect(rowsOf(feed('tpex-announcements').parse(bodyOf([tpex]), undefined), 'announcements')).toMatchObject([
      { market: 'TPEX', subject: '董事會決議' },
    ])
    expect(refusalOf(feed('twse-announcements'), bodyOf([{ ...twse, 發言時間: '256000' }])).rule).toBe('impossible_time')
  })

  it('announced ex-days of both markets have the same kinds, and null for an amount that is not announced', () => {
    const offering = { SubscriptionPricePerShare: '' }
    const twse = {
      ...offering,
      ...{ Date: '1150820', Code: '9958', Name: '範例', Exdividend: '權息', StockDividendRatio: '0.10000000', CashDividend: '3.00000000' },
      ...{ SubscriptionRatio: '', SharesOffered: '', SharesEmpOwner: '', SharesholderOwner: '', StockHoldingRatio: '' },
    }
    const tpex = {
      ...offering,
      ...{ ExRrightsExDividendDate: '1150821', SecuritiesCompanyCode: '9959', CompanyName: '範例', ExRrightsExDividend: '除息' },
      ...{ StockDividendRatio: '0.00000000', SubscriptionRatioToNewSharesIssued: '0', CashDividend: '尚未公告' },
      ...{ AllocatedForPublicUnderwriting: '0', SubscribedByEmployees: '0', SubscribedByExistingShareholders: '0' },
      SubscribedProRataInThousandShares: '0',
    }
    expect(rowsOf(feed('twse-ex-rights-forecast').parse(bodyOf([twse]), undefined), 'ex-rights-forecast')).toMatchObject([
      { ex_date: '2026-08-20', kind: 'rights_and_dividend', cash_dividend: 3, stock_dividend_ratio: 0.1, subscription_price: null },
    ])
    expect(rowsOf(feed('tpex-ex-rights-forecast').parse(bodyOf([tpex]), undefined), 'ex-rights-forecast')).toMatchObject([
      { ticker: '9959', ex_date: '2026-08-21', kind: 'dividend', cash_dividend: null, stock_dividend_ratio: 0 },
    ])
    expect(refusalOf(feed('twse-ex-rights-forecast'), bodyOf([{ ...twse, Exdividend: '減資' }])).rule).toBe('unknown_word')
    expect(refusalOf(feed('twse-ex-rights-forecast'), bodyOf([{ ...twse, CashDividend: '三元' }])).rule).toBe('unreadable_number')
  })

  it('the register of funds is read without the persons and telephone numbers in it', () => {
    const fund = {
      出表日期: '1150630',
      基金代號: '00999A',
      基金簡稱: '範例基金',
      基金類型: '主動式',
      基金中文名稱: '範例主動式基金',
      基金英文名稱: 'Example Fund',
      '標的指數/追蹤指數名稱': '',
      標的指數是否為客製化或需揭露相關資訊之指數: '否',
      是否包含國外成分股: '否',
      績效指標中文名稱: '',
      成立日期: '1150330',
      上市日期: '1150409',
      基金經理人: '某人',
      經理公司總機: '02-0000-0000',
      '發行單位數/轉換數': '1455140000',
      保管機構: '範例銀行',
      備註: '',
    }
    const [row] = rowsOf(feed('twse-etf-register').parse(bodyOf([fund]), undefined), 'etf-register')
    expect(row).toMatchObject({ ticker: '00999A', index_name: null, established_on: '2026-03-30', units_issued: 1_455_140_000 })
    expect(JSON.stringify(row)).not.toMatch(/某人|0000-0000/)
  })
})

describe('declarations of flat tables', () => {
  const declared: FlatFeed = {
    name: 'sample-delistings',
    title: 'Sample',
    url: 'https://www.twse.com.tw/',
    dataset: 'delistings',
    called: { en: 'a sample', zh: '範例' },
    columns: {
      ticker: '代號',
      market: { always: 'TWSE' },
      delisting_date: '日期',
      company_name: '名稱',
      reason: { from: '原因', optional: true },
    },
  }

  it('an optional column that a flat table lacks is null, and an inserted column has no effect', () => {
    const body = bodyOf(lines('新欄,日期,代號,名稱', 'x,113/01/02,9958,範例'))
    expect(rowsOf(flatFeed(declared, catalog).parse(body, undefined), 'delistings')).toMatchObject([{ ticker: '9958', reason: null }])
  })

  it('a declaration with an unknown column, without a stored column, or of an unknown dataset is an error', () => {
    const { reason: _, ...fewer } = 'columns' in declared ? declared.columns : {}
    expect(() => flatFeed({ ...declared, columns: fewer }, catalog)).toThrow(
      'sample-delistings has no source for columns of delistings: reason',
    )
    expect(() => flatFeed({ ...declared, columns: { ...fewer, reson: '原因' } }, catalog)).toThrow(
      'columns that delistings does not store: reson',
    )
    expect(() => flatFeed({ ...declared, dataset: 'delisting' }, catalog)).toThrow('unknown dataset delisting')
  })
})
