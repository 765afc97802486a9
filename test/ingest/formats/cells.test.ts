import { describe, expect, it } from 'vitest'
import { decode } from '../../../ingest/formats/content.ts'
import { csvLines } from '../../../ingest/formats/csv.ts'
import { daysIn, rangeOf } from '../../../ingest/formats/days.ts'
import {
  dayOf,
  dayOrNull,
  decimalCell,
  figureOf,
  heading,
  htmlTables,
  integerCell,
  plainText,
  presentInteger,
  tickerCell,
  tidyOrNull,
  tidyText,
} from '../../../ingest/formats/index.ts'

const bytes = (...values: readonly number[]) => ({ name: 'bytes', bytes: Uint8Array.from(values) })
const text = (value: string) => ({ name: 'text', bytes: new TextEncoder().encode(value) })

describe('a cell with a figure', () => {
  it.each([
    ['1,234', 1234],
    ['-51,058,721', -51058721],
    ['-3.26 ', -3.26],
    ['+0.64', 0.64],
    ['X0.00', 0],
    ['0', 0],
    ['-0', 0],
    [0, 0],
    [97.42, 97.42],
    ['"100.00"'.slice(1, -1), 100],
    ['<p style= color:red>1.35</p>', 1.35],
    ['１２３', 123],
    ['.5', 0.5],
  ])('reads %j as %j', (cell, figure) => expect(figureOf(cell)).toBe(figure))

  it('refuses a figure with more digits than a double carries, rather than round it; zeros around it are none of them', () => {
    expect(figureOf('1505.1234567890123456789')).toBeUndefined()
    expect(figureOf('1,505.500000000000000000')).toBe(1505.5)
  })

  it.each(['', '-', '--', '---', ' ---', '--- ', 'N/A', '<p> </p>', null, undefined])('takes %j for no figure, not for zero', cell =>
    expect(figureOf(cell)).toBeNull(),
  )

  it.each(['除息 ', '4,916(55)', '1,23', '12,34,567', '1.2.3', '+', Number.NaN, Number.POSITIVE_INFINITY, true, {}])(
    'does not guess at %j',
    cell => expect(figureOf(cell)).toBeUndefined(),
  )

  it('is refused with its row and column when it cannot be read', () => {
    expect(() => decimalCell('除息', '漲跌', '2330')).toThrow('2330: 漲跌 says "除息"')
    expect(() => integerCell('1.5', '成交股數', '2330')).toThrow('where a whole number belongs')
    expect(() => integerCell('9007199254740993', '成交股數', '2330')).toThrow('where a whole number belongs')
    expect(() => presentInteger('--', '成交股數', '2330')).toThrow('2330: 成交股數 is empty')
  })
})

describe('a cell with a day', () => {
  it.each([
    ['20230130', '2023-01-30'],
    ['1130502', '2024-05-02'],
    ['510209', '1962-02-09'],
    ['0510209', '1962-02-09'],
    ['112/01/30', '2023-01-30'],
    ['113.05.02', '2024-05-02'],
    ['112年01月30日', '2023-01-30'],
    ['民國 114 年 05 月 12 日', '2025-05-12'],
    ['1962/02/09', '1962-02-09'],
    ['2026-06-30', '2026-06-30'],
    [' １１３/２/２９ ', '2024-02-29'],
  ])('reads %j as %s', (cell, day) => expect(dayOf(cell)).toBe(day))

  it.each(['20230229', '112/13/01', '1120230', '113/02/30', '0', '', '--', '一百十三年三月十一日', '2023', '99999999'])(
    'does not take %j for one',
    cell => expect(dayOf(cell)).toBeUndefined(),
  )

  it('sorts years before and after 100 of the republic by their day, not their text', () => {
    const days = ['991231', '1000101', '0510209'].map(dayOf)
    expect([...days].sort()).toEqual(['1962-02-09', '2010-12-31', '2011-01-01'])
  })

  it.each(['115/05/07～115/05/20', '1150507~1150520', '115.05.07〜115.05.20'])('is either end of %j', range =>
    expect(rangeOf(range)).toEqual(['2026-05-07', '2026-05-20']),
  )

  it('is not a range that runs backwards or has a wrong end', () => {
    expect(rangeOf('1150520~1150507')).toBeUndefined()
    expect(rangeOf('1150507~1150540')).toBeUndefined()
  })

  it('is found inside a title, and an impossible one is not overlooked', () => {
    expect(daysIn('114年10月28日 外資及陸資買賣超彙總表')).toEqual(['2025-10-28'])
    expect(daysIn('114年02月30日 三大法人買賣超日報')).toEqual([undefined])
    expect(daysIn('臺灣50權重上限30%指數')).toEqual([])
  })

  it('is null where the exchange writes 0 or dashes, and refused where it writes nonsense', () => {
    expect(['0', '', '--', '0000000'].map(cell => dayOrNull(cell, '設立日期'))).toEqual([null, null, null, null])
    expect(() => dayOrNull('1130230', '設立日期')).toThrow('設立日期 says "1130230", which is no day')
  })
})

describe('bytes of a body', () => {
  it('are UTF-8 with or without a mark, whatever the headers said', () => {
    expect(decode(text('臺積電')).value).toBe('臺積電')
    expect(decode(bytes(0xef, 0xbb, 0xbf, 0x41)).value).toBe('A')
  })

  it('are cp950 when they are not UTF-8', () => expect(decode(bytes(0xa5, 0x78, 0xbf, 0x6e, 0xb9, 0x71)).value).toBe('台積電'))

  it('outside cp950 are counted, not dropped', () => {
    expect(decode(bytes(0xa5, 0x78, 0xfe, 0xfe))).toEqual({
      value: '台\ufffd\ufffd',
      notes: ['2 characters are outside cp950 and were read as U+FFFD'],
    })
  })

  it('that stop inside a character are damaged, not another code page', () => {
    expect(() => decode({ name: 'cut', bytes: text('{"stat":"很抱歉').bytes.slice(0, -1) })).toThrow('stops inside a character')
  })

  it.each(['', '\r\n'])('that say nothing (%j) are damaged, not an empty day', blank => expect(() => decode(text(blank))).toThrow('blank'))
})

describe('a column heading', () => {
  it('is the same whatever its brackets, blanks, breaks and markup', () => {
    expect(heading('基本每股盈餘（元）')).toBe(heading('基本每股盈餘(元)'))
    expect(heading('次日 參考價')).toBe('次日參考價')
    expect(heading('公司<br>代號')).toBe('公司代號')
    expect(heading(' 成交金額(元)\n')).toBe('成交金額(元)')
    expect(heading('主旨 ')).toBe('主旨')
  })
})

describe('a cell with text', () => {
  it('is read through entities and compatibility forms', () => {
    expect(tidyText('台&#63843;市中山區南京東&#63799;二段')).toBe('台北市中山區南京東路二段')
    expect(tidyText('信義區松智路１號（部分）')).toBe('信義區松智路1號(部分)')
    expect(tidyOrNull(' \u3000 ')).toBeNull()
  })

  it('keeps a code as it is: zeros, letters and case', () => {
    expect(['0050', '00632R', '9105', '910322', '2881A', '2409  '].map(tickerCell)).toEqual([
      '0050',
      '00632R',
      '9105',
      '910322',
      '2881A',
      '2409',
    ])
    expect(() => tickerCell('台積電')).toThrow('"台積電" stands where a security\'s code belongs')
    expect(() => tickerCell('50')).toThrow()
  })
})

describe('a CSV file', () => {
  it('keeps ="0050" as text and quoted commas in their cell', () => {
    expect(csvLines('="0050","a,b",\n="00632R",c,\n')).toEqual([
      ['0050', 'a,b', ''],
      ['00632R', 'c', ''],
    ])
  })

  it('whose last line is not ended is damaged', () => expect(() => csvLines('a,b\n1,2')).toThrow('last line of the file is not ended'))
  it('whose quotes do not match is damaged', () => expect(() => csvLines('a,b\n"1,2\n')).toThrow('CSV is damaged'))
})

describe('a page', () => {
  it('gives its innermost tables whatever the case of the tags', () => {
    const page = '<html><table><tr><td><TABLE><TR><TH>甲</th><TD>1&nbsp;</TD></TR></TABLE></td></tr></table></html>'
    expect(htmlTables(page)).toEqual([[['甲', '1']]])
  })

  it.each(['<html><table><tr><td>1</td></tr></table>', '<table><tr><td>1'])('that stops early is damaged: %s', page =>
    expect(() => htmlTables(page)).toThrow('stops before it ends'),
  )

  it('shows the text of a cell without its markup', () => expect(plainText("<p style ='color:green'>-</p>")).toBe('-'))
})
