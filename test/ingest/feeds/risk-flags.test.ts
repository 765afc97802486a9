import { describe, expect, it } from 'vitest'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'
import { feeds } from '../../fixtures/ingest/bodies.ts'

const EVENTS = 'company-risk-events'
const feed = (name: string) => feeds.get(name)!
const flags = (name: string, content: unknown, day?: string) => rowsOf(feed(name).parse(bodyOf(content), day), EVENTS)
const brief = (rows: ReturnType<typeof flags>) => rows.map(row => [row['symbol'], row['event_date'], row['risk_type'], row['description']])

const NOTICE = {
  Number: '1',
  Code: '9901',
  Name: '範例',
  NumberOfAnnouncement: '2',
  TradingInfoForAttention: '六日漲幅達35.1%',
  Date: '1150630',
  ClosingPrice: '10.00',
  PE: '------',
}

describe('securities under attention', () => {
  it('attention flags are read from the open data of TWSE and TPEx', () => {
    expect(brief(flags('twse-attention', [NOTICE]))).toEqual([['9901', '2026-06-30', 'attention', '六日漲幅達35.1%']])
    const tpex = {
      Date: '1150630',
      SecuritiesCompanyCode: '9902',
      CompanyName: '範二',
      TradingInformation: '週轉率達12%',
      ClosePrice: '9.1',
      PriceEarningRatio: 'N/A',
    }
    expect(flags('tpex-attention', [tpex])[0]).toMatchObject({
      symbol: '9902',
      lineage: { authority: 'TPEX', feed: 'tpex-attention', event_date_is: 'announcement', source_release: '2026-06-30' },
    })
  })

  it("attention flags are read from the site's table and from CSV", () => {
    const fields = ['編號', '證券代號', '證券名稱', '累計次數', '注意交易資訊', '日期', '收盤價', '本益比']
    const row = ['1', '9901', '範例            ', '2', '六日漲幅達35.1%', '115.06.30', '10.00', '---']
    const expected = [['9901', '2026-06-30', 'attention', '六日漲幅達35.1%']]
    expect(brief(flags('twse-attention', { stat: 'OK', title: '公布注意有價證券', fields, data: [row], total: 1 }))).toEqual(expected)
    expect(brief(flags('twse-attention', `${fields.join(',')}\n${row.join(',')}\n`))).toEqual(expected)
  })

  it('attention reasons of one security and day are joined in one row', () => {
    const rows = flags('twse-attention', [NOTICE, { ...NOTICE, Number: '2', TradingInfoForAttention: '週轉率達12%' }, NOTICE])
    expect(brief(rows)).toEqual([['9901', '2026-06-30', 'attention', '六日漲幅達35.1%；週轉率達12%']])
  })

  it('attention flags without a date column have the last day in the sentence of the reason', () => {
    const row = { Code: '9901', Name: '範例', RecentlyMetAttentionSecuritiesCriteria: '115年6月26日至115年6月30日連續二次' }
    expect(brief(flags('twse-attention-series', [row]))).toEqual([
      ['9901', '2026-06-30', 'attention', '115年6月26日至115年6月30日連續二次'],
    ])
  })
})

describe('securities under disposition', () => {
  it.each([
    [
      'twse-disposition',
      {
        Number: '1',
        Date: '1150630',
        Code: '9901',
        Name: '範例',
        NumberOfAnnouncement: '1',
        ReasonsOfDisposition: '連續三次',
        DispositionPeriod: '115/07/01～115/07/14',
        DispositionMeasures: '第一次處置',
        Detail: '',
        LinkInformation: '',
      },
      '連續三次 / 第一次處置',
    ],
    [
      'tpex-disposition',
      {
        Date: '1150630',
        SecuritiesCompanyCode: '9901',
        CompanyName: '範例',
        DispositionPeriod: '1150701~1150714',
        DispositionReasons: '連續5個營業日',
        DisposalCondition: '每五分鐘撮合',
      },
      '連續5個營業日',
    ],
  ])('the feed %s records the first and last day of a disposition in the lineage', (name, row, reason) => {
    expect(flags(name, [row])).toMatchObject([
      {
        symbol: '9901',
        event_date: '2026-06-30',
        risk_type: 'disposition',
        description: reason,
        lineage: { effective_from: '2026-07-01', effective_to: '2026-07-14' },
      },
    ])
  })
})

describe('lists without a day', () => {
  const list = [
    { Code: '9901', Name: '範例', PeriodicCallAuctionTrading: '**' },
    { Code: '9902', Name: '範二', PeriodicCallAuctionTrading: '  ' },
  ]

  it('altered-trading flags have the requested day and state that it is the day of capture', () => {
    const rows = flags('twse-altered-trading', list, '2026-06-30')
    expect(brief(rows)).toEqual([
      ['9901', '2026-06-30', 'altered_trading', '變更交易方法，分盤集合競價'],
      ['9902', '2026-06-30', 'altered_trading', '變更交易方法'],
    ])
    expect(rows[0]).toMatchObject({ lineage: { event_date_is: 'day_of_capture' } })
  })

  it('altered-trading flags are refused without a requested day', () => {
    const refusal = refusalOf(feed('twse-altered-trading'), bodyOf(list))
    expect([refusal.rule, refusal.message]).toEqual(['needs_day', expect.stringContaining('--date')])
  })

  it('the trading mode list raises every flag marked with a full-width or plain Y', () => {
    const row = {
      SecuritiesCompanyCode: '9903',
      CompanyName: '範三',
      AlteredTrading: 'Ｙ',
      PeriodicTrading: 'Y',
      ManagedStock: 'Ｙ',
      SuspensionOfTrading: '',
      FinancialAnnouncements: 'Ｙ',
    }
    expect(
      brief(
        flags(
          'tpex-trading-mode',
          [row, { ...row, SecuritiesCompanyCode: '9904', AlteredTrading: '', ManagedStock: '', SuspensionOfTrading: 'Y' }],
          '2026-06-30',
        ),
      ),
    ).toEqual([
      ['9903', '2026-06-30', 'altered_trading', '變更交易方法，分盤交易'],
      ['9903', '2026-06-30', 'managed_stock', '管理股票'],
      ['9904', '2026-06-30', 'suspension', '停止交易'],
    ])
  })
})

it('a suspension is dated by its first day and states when trading resumes', () => {
  const row = {
    Number: '1',
    Code: '9901',
    Name: '範例',
    TradingHaltDate: '1150629',
    TradingHaltTime: '090000',
    TradingResumptionDate: '1150630',
    TradingResumptionTime: '090000',
  }
  const rows = flags('twse-suspension', [
    row,
    { ...row, Code: '9902', TradingResumptionDate: '', TradingResumptionTime: '' },
    { ...row, Code: '9903', TradingHaltDate: '' },
  ])
  expect(brief(rows)).toEqual([
    ['9901', '2026-06-29', 'suspension', '暫停交易 2026-06-29 090000；恢復交易 2026-06-30 090000'],
    ['9902', '2026-06-29', 'suspension', '暫停交易 2026-06-29 090000'],
  ])
})

describe('settlement defaults', () => {
  const table = {
    title: '個股達違約資訊揭露標準(註1)之證券資訊',
    totalCount: 1,
    fields: ['申報日期', '證券名稱', '證券代號', '證券商名稱', '個股違約總金額(註1)'],
  }
  const sums = {
    title: '證券商申報投資人違約金額',
    date: '115/06/01~115/06/30',
    totalCount: 1,
    fields: ['申報日期', '類別', '買進、賣出合計總金額', '買進、賣出相抵後金額'],
    data: [['115/06/30', '上櫃', '1', '1']],
  }

  it('settlement defaults are read from the second table with every reporting broker', () => {
    const body = {
      date: '20260601~20260630',
      stat: 'ok',
      tables: [sums, { ...table, data: [['115/06/30', '範例', '9901', '甲券商<br>乙券商', '96,000,000']] }],
    }
    expect(brief(flags('default-settlement', body))).toEqual([
      ['9901', '2026-06-30', 'default_settlement', '違約交割 96,000,000 元（申報證券商：甲券商、乙券商）'],
    ])
  })

  it('settlement defaults are empty when the second table has no rows', () => {
    const body = { date: '20260601~20260630', stat: 'ok', tables: [sums, { ...table, totalCount: 0, data: [] }] }
    expect(feed('default-settlement').parse(bodyOf(body), undefined)).toMatchObject({ kind: 'empty' })
  })
})

it.each([
  ['twse-attention', [{ Number: '0', Code: '', Name: '', Date: '' }]],
  [
    'tpex-disposition',
    [{ Date: '', SecuritiesCompanyCode: '', CompanyName: '', DispositionPeriod: '', DispositionReasons: '', DisposalCondition: '' }],
  ],
])('the feed %s reads its placeholder record as an empty list', (name, body) => {
  expect(feed(name).parse(bodyOf(body), '2026-06-30')).toMatchObject({ kind: 'empty' })
})

it('risk lists are refused for another table or an impossible day', () => {
  expect(refusalOf(feed('twse-disposition'), bodyOf([NOTICE])).rule).toBe('wrong_table')
  expect(refusalOf(feed('twse-attention'), bodyOf([{ ...NOTICE, Date: '1150631' }])).rule).toBe('impossible_date')
})

describe('risk archive', () => {
  const HEADING = 'stock_id,warning_type,announced_date,effective_from,effective_to,reason,source_url,fetched_at'
  const csvLine = (...cells: string[]): string => `${cells.join(',')},2026-06-30T12:00:00+00:00`
  const archive = (...lines: string[]): string => `${HEADING}\n${lines.join('\n')}\n`

  it('a row of the risk archive states whether its day is the announcement or the capture, depending on its source list', () => {
    const rows = flags(
      'risk-archive',
      archive(
        csvLine(
          '9901',
          'disposition',
          '2026-06-29',
          '2026-06-30',
          '2026-07-13',
          '連續三次',
          'https://openapi.twse.com.tw/v1/announcement/punish',
        ),
        csvLine(
          '9902',
          'method_changed',
          '2026-06-30',
          '2026-06-30',
          '',
          '變更交易方法',
          'https://openapi.twse.com.tw/v1/exchangeReport/TWT85U',
        ),
        csvLine('9903', 'full_cash', '2026-06-30', '2026-06-30', '', '停止交易', 'https://www.tpex.org.tw/openapi/v1/tpex_cmode'),
      ),
    )
    expect(rows.map(({ symbol, risk_type, lineage }) => [symbol, risk_type, lineage])).toMatchObject([
      ['9901', 'disposition', { authority: 'TWSE', event_date_is: 'announcement', effective_to: '2026-07-13' }],
      ['9902', 'altered_trading', { event_date_is: 'day_of_capture' }],
      ['9903', 'suspension', { authority: 'TPEX', event_date_is: 'day_of_capture' }],
    ])
  })

  it('the risk archive is refused for an unknown warning type', () => {
    expect(
      refusalOf(feed('risk-archive'), bodyOf(archive(csvLine('9901', 'rumour', '2026-06-29', '', '', 'x', 'https://example.org')))),
    ).toMatchObject({
      rule: 'unknown_value',
      message: '9901: warning_type is "rumour", which this feed does not support. Check the file against its source.',
    })
  })
})
