import { describe, expect, it } from 'vitest'
import tpexReductions from '../../../ingest/feeds/tpex-capital-reductions.ts'
import tpexReverse from '../../../ingest/feeds/tpex-etf-reverse-splits.ts'
import tpexSplits from '../../../ingest/feeds/tpex-etf-splits.ts'
import tpexExRights from '../../../ingest/feeds/tpex-ex-rights.ts'
import tpexPar from '../../../ingest/feeds/tpex-par-changes.ts'
import twseReductions from '../../../ingest/feeds/twse-capital-reductions.ts'
import twseSplits from '../../../ingest/feeds/twse-etf-splits.ts'
import twseExRights from '../../../ingest/feeds/twse-ex-rights.ts'
import twseDetail from '../../../ingest/feeds/twse-ex-rights-detail.ts'
import twsePar from '../../../ingest/feeds/twse-par-changes.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'
import {
  detailBody,
  exRightsBody,
  fundSplitsBody,
  parChangesBody,
  reductionsBody,
  tpexExRightsBody,
  tpexReductionsBody,
  tpexSplitsBody,
  WITH_RATIO,
} from '../../fixtures/feeds/events.ts'

describe('TWSE ex-rights results', () => {
  const cells = [
    '115年06月29日',
    '2330',
    '台積電          ',
    '1,490.00',
    '1,485.00',
    '5.000000',
    '息',
    '1,630.00',
    '1,340.00',
    '1,485.00',
    '1,485.00',
  ]
  const parsed = twseExRights.parse(bodyOf(exRightsBody('20260629', '20260630', [cells])), '2026-06-30')

  it('TWSE ex-rights rows have Gregorian dates, and the whole value of a cash dividend as dividend_value', () => {
    expect(rowsOf(parsed, 'ex-rights')).toEqual([
      {
        ticker: '2330',
        market: 'TWSE',
        ex_date: '2026-06-29',
        name: '台積電',
        kind: 'dividend',
        close_before: 1490,
        reference_price: 1485,
        value: 5,
        rights_value: 0,
        dividend_value: 5,
        limit_up: 1630,
        limit_down: 1340,
        opening_reference: 1485,
        price_less_dividend: 1485,
      },
    ])
  })

  it('TWSE ex-rights rows have null values for mixed rights and dividends, and for unprinted prices', () => {
    const [row] = rowsOf(
      twseExRights.parse(bodyOf(exRightsBody('20260629', '20260629', [cells.with(6, '權息').with(3, '--').with(4, '--')])), undefined),
      'ex-rights',
    )
    expect(row).toMatchObject({
      kind: 'rights_and_dividend',
      rights_value: null,
      dividend_value: null,
      close_before: null,
      reference_price: null,
    })
  })

  it('a TWSE ex-rights row that is listed twice is read once with a note', () => {
    const twice = twseExRights.parse(bodyOf(exRightsBody('20260629', '20260629', [cells, cells])), undefined)
    expect(rowsOf(twice, 'ex-rights')).toHaveLength(1)
    expect(twice.kind === 'rows' && twice.notes).toEqual(['1 duplicate rows were skipped'])
  })

  it.each([
    ['wrong_day', 'the requested day is outside its range', exRightsBody('20260629', '20260630', [cells]), '2026-07-01'],
    [
      'wrong_day',
      'its title and its end date disagree',
      { ...exRightsBody('20260629', '20260630', [cells]), endDate: '20260731' },
      undefined,
    ],
    ['row_outside_range', 'a row is outside its range', exRightsBody('20260630', '20260630', [cells]), undefined],
    ['impossible_date', 'a day does not exist', exRightsBody('20260629', '20260630', [cells.with(0, '115年02月30日')]), undefined],
    ['unknown_kind', 'a kind of event is unknown', exRightsBody('20260629', '20260630', [cells.with(6, '股')]), undefined],
    ['unreadable_number', 'a price is not a number', exRightsBody('20260629', '20260630', [cells.with(4, '1485元')]), undefined],
    ['wrong_table', 'it is another table', reductionsBody('20260601', '20260630', []), undefined],
  ])('a TWSE ex-rights body is refused as %s when %s', (rule, _, body, requestedDay) => {
    expect(refusalOf(twseExRights, bodyOf(body), requestedDay).rule).toBe(rule)
  })

  it('a TWSE ex-rights list without rows is empty for its own range of days and refused for another range', () => {
    const none = { ...exRightsBody('20260601', '20260628', []), stat: 'OK' }
    expect(twseExRights.parse(bodyOf(none), '2026-06-28')).toEqual({ kind: 'empty', date: '2026-06-28', reason: 'stat OK without rows' })
    expect(refusalOf(twseExRights, bodyOf(none), '2026-07-28').rule).toBe('wrong_day')
  })
})

describe('TWSE ex-rights details', () => {
  it('TWSE ex-rights details have the requested day, and figures without the printed units', () => {
    expect(rowsOf(twseDetail.parse(bodyOf(detailBody('0056 ', '1.07 元／股')), '2026-06-29'), 'ex-rights-details')).toEqual([
      expect.objectContaining({ ticker: '0056', ex_date: '2026-06-29', cash: 1.07, bonus: 0, offer_price: 0, entitlement: 0 }),
    ])
    expect(rowsOf(twseDetail.parse(bodyOf(detailBody('0056', '')), '2026-06-29'), 'ex-rights-details')[0]).toMatchObject({ cash: null })
  })

  it('TWSE ex-rights details are refused without a requested day', () => {
    expect(refusalOf(twseDetail, bodyOf(detailBody('0056', '1.07 元／股'))).rule).toBe('day_not_stated')
  })
})

it('a TPEx ex-rights row has the values of rights and dividend, and its details are published before the result', () => {
  const parsed = tpexExRights.parse(bodyOf(tpexExRightsBody('20260629~20260630')), '2026-06-29')
  expect(rowsOf(parsed, 'ex-rights')).toMatchObject([
    { ticker: '5274', market: 'TPEX', kind: 'rights_and_dividend', value: 12.5, rights_value: 7.5, dividend_value: 5 },
  ])
  expect(rowsOf(parsed, 'ex-rights-details')).toEqual([
    {
      ticker: '5274',
      market: 'TPEX',
      ex_date: '2026-06-29',
      cash: 5,
      bonus: 50,
      offer_price: 0,
      entitlement: 0,
      offering: 0,
      public_part: 0,
      employee_part: 0,
      holder_part: 0,
    },
  ])
  // Details are published before the results that use them.
  expect(Object.keys(parsed.kind === 'rows' ? parsed.rows : {})).toEqual(['ex-rights-details', 'ex-rights'])
})

describe('capital reductions', () => {
  it('TWSE capital reductions give the halt day and no exchange ratio', () => {
    const cells = ['115/06/29', '2002', '中鋼', '20.00', '25.00', '27.50', '22.50', '25.00', '--', '彌補虧損', '2002  ,20260617']
    const [row] = rowsOf(twseReductions.parse(bodyOf(reductionsBody('20260601', '20260630', [cells])), undefined), 'capital-changes')
    expect(row).toMatchObject({
      change_type: 'capital_reduction',
      resume_date: '2026-06-29',
      reason: '彌補虧損',
      close_before: 20,
      reference_price: 25,
      price_less_rights: null,
      exchange_ratio: null,
      halted_on: '2026-06-17',
    })
    const wrong = reductionsBody('20260601', '20260630', [cells.with(10, '2002,20260631')])
    expect(refusalOf(twseReductions, bodyOf(wrong)).rule).toBe('impossible_date')
  })

  it('the terms of TPEx capital reductions are read from the HTML cell', () => {
    const [row] = rowsOf(tpexReductions.parse(bodyOf(tpexReductionsBody('5274')), undefined), 'capital-changes')
    expect(row).toMatchObject({ exchange_ratio: 0.812345678, refund_per_share: 1.5, halted_on: '2026-06-17', price_less_rights: null })
  })

  it('TPEx capital reductions are refused when the HTML cell names another security', () => {
    expect(refusalOf(tpexReductions, bodyOf(tpexReductionsBody('5275'))).rule).toBe('details_of_another')
  })
})

describe('par value changes and splits', () => {
  const par = ['115/06/29', '2327', '國巨*', '600.00', '150.00', '165.00', '135.00', '150.00', '2327,20260617,20260629']

  it('TWSE par value changes are read from the share list, splits and reverse splits from the fund list', () => {
    expect(rowsOf(twsePar.parse(bodyOf(parChangesBody([par])), undefined), 'capital-changes')).toMatchObject([
      { change_type: 'par_value_change', ticker: '2327', reference_price: 150, halted_on: '2026-06-17' },
    ])
    const fund = ['115/06/29', '0050', '元大台灣50', '分割', '188.65', '47.16', '51.85', '42.45', '47.16']
    const kinds = (rows: readonly (readonly string[])[]) =>
      rowsOf(twseSplits.parse(bodyOf(fundSplitsBody('20260601', '20260630', rows)), undefined), 'capital-changes').map(
        row => row['change_type'],
      )
    expect(kinds([fund, fund.with(1, '00632R').with(3, '反分割').with(4, '3.00').with(5, '21.00')])).toEqual([
      'etf_split',
      'etf_reverse_split',
    ])
    expect(kinds([fund.with(3, '')])).toEqual(['etf_split'])
    expect(refusalOf(twseSplits, bodyOf(fundSplitsBody('20260601', '20260630', [fund.with(3, '合併')]))).rule).toBe('unknown_kind')
  })

  it('TPEx par value changes give the ratio and both par values', () => {
    expect(
      rowsOf(tpexPar.parse(bodyOf(tpexSplitsBody('6613', ['169.00', '84.50'], WITH_RATIO)), undefined), 'capital-changes'),
    ).toMatchObject([{ change_type: 'par_value_change', exchange_ratio: 2, par_before: 10, par_after: 5, halted_on: '2026-06-17' }])
  })

  it('each TPEx feed of par value changes, splits or reverse splits refuses a list of another of these feeds', () => {
    const bodies = {
      'tpex-par-changes': bodyOf(tpexSplitsBody('6613', ['169.00', '84.50'], WITH_RATIO)),
      'tpex-etf-splits': bodyOf(tpexSplitsBody('00679B', ['100.00', '25.00'], '')),
      'tpex-etf-reverse-splits': bodyOf(tpexSplitsBody('00679B', ['5.00', '50.00'], '')),
    }
    for (const feed of [tpexPar, tpexSplits, tpexReverse])
      for (const [name, body] of Object.entries(bodies))
        if (name === feed.name) expect(rowsOf(feed.parse(body, undefined), 'capital-changes')).toHaveLength(1)
        else expect(refusalOf(feed, body).rule).toBe('wrong_table')
  })

  it('placeholders dated 2099 are left out with a note, and a list of only placeholders is empty', () => {
    const example = ['188/12/31', '00632R', '元大台灣50反1', '反分割', '1.00', '100.00', '110.00', '90.00', '100.00']
    const fund = ['115/06/29', '0050', '元大台灣50', '分割', '188.65', '47.16', '51.85', '42.45', '47.16']
    const both = twseSplits.parse(bodyOf(fundSplitsBody('20260601', '20260630', [fund, example])), undefined)
    expect(rowsOf(both, 'capital-changes')).toHaveLength(1)
    expect(both.kind === 'rows' && both.notes).toEqual(['1 placeholders dated 2099 were skipped: 00632R'])
    expect(twseSplits.parse(bodyOf(fundSplitsBody('20990101', '20991231', [example])), undefined)).toEqual({
      kind: 'empty',
      date: null,
      reason: 'only placeholders dated 2099',
    })
  })
})
