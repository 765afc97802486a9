import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import indices from '../../../ingest/feeds/indices.ts'
import isin from '../../../ingest/feeds/isin.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const HEADS = 'type,code,name,ISIN,start,market,group,CFI\n'
const list = (...lines: readonly string[]) => bodyOf(HEADS + lines.map(line => `${line}\n`).join(''))
const themes = (body: ReturnType<typeof bodyOf>, requestedDay = '2026-06-30') => rowsOf(isin.parse(body, requestedDay), 'theme-taxonomy')
const named = (body: ReturnType<typeof bodyOf>) =>
  themes(body).map(row => [row['symbol'], row['theme_id'], row['theme_name'], row['market']])

describe('industries', () => {
  const chip = '股票,9901,範例,TW0000000001,1994/09/05,上市,半導體業,ESVUFR'

  it('the ISIN list gives one industry row per classified security, with the official code', () => {
    expect(themes(list(chip))).toEqual([
      {
        symbol: '9901',
        theme_id: 'industry_24',
        theme_name: '半導體業',
        taxonomy_type: 'industry',
        market: 'TWSE',
        classification_level: 'level_2',
        source_name: 'twse_isin_list',
        source_url: 'https://isin.twse.com.tw/',
        as_of_date: '2026-06-30',
        source_role: 'official_classification',
        lineage: {
          sources: ['twse_isin_list'],
          theme_policy: 'explicit_map_entries_only',
          mapping_version: '1',
          taxonomy_version: '1',
          subindustry_policy: 'not_assigned',
        },
        updated_at: '2026-06-30T00:00:00+08:00',
      },
    ])
  })

  it('the ISIN list gives no industry row for securities without an industry, and counts these securities in a note', () => {
    const parsed = isin.parse(
      list(chip, 'ETF,0050,範五十,TW1,2003/06/30,上市,,CEOJEU', '特別股,1101B,範特,TW2,2018/12/18,上市,,EPNRAR'),
      '2026-06-30',
    )
    expect(rowsOf(parsed, 'theme-taxonomy')).toHaveLength(1)
    expect(parsed.kind === 'rows' && parsed.notes).toEqual(['2 of 3 securities have no industry, or are on a market that is not served'])
  })

  it('different spellings of an industry get one id, and emerging stocks are left out', () => {
    const lines = [
      '9902,範甲,上櫃,金融業',
      '9903,範乙,上市臺灣創新板,金融保險業',
      '9904,範丙,TPEX,農業科技',
      '9905,範丁,興櫃,半導體業',
      '9906,範戊,TWSE,ETF',
    ]
    expect(named(bodyOf(`stock_id,name,market,industry\n${lines.join('\n')}\n`))).toEqual([
      ['9902', 'industry_17', '金融保險業', 'TPEX'],
      ['9903', 'industry_17', '金融保險業', 'TWSE'],
      ['9904', 'industry_33', '農業科技業', 'TPEX'],
    ])
  })

  it('an industry without an official code gets an id derived from its name', () => {
    expect(named(list('股票,9907,範己,TW3,2020/01/01,上櫃,太空業,ESVUFR'))).toEqual([['9907', 'industry_u592a7a7a696d', '太空業', 'TPEX']])
  })

  it('the ISIN feed reads industries from the Big5 query page', () => {
    const page = { name: 'isin', bytes: readFileSync(new URL('../../fixtures/feeds/isin-big5.html', import.meta.url)) }
    const parsed = isin.parse(page, '2026-06-30')
    expect(rowsOf(parsed, 'theme-taxonomy')).toMatchObject([{ symbol: '9901', theme_id: 'industry_24', market: 'TWSE' }])
    expect(parsed.kind === 'rows' && parsed.notes?.[0]).toContain('not in cp950')
  })

  it.each([
    ['day_not_stated', 'no day is requested', list(chip), undefined, '--date'],
    ['market_not_stated', 'no column states the market', bodyOf('code,name,industry\n9901,範例,半導體業\n'), '2026-06-30', '"market"'],
    ['unknown_market', 'it names an unknown market', list(chip.replace('上市', '火星')), '2026-06-30', '火星'],
    ['wrong_table', 'it is another CSV table', bodyOf('a,b\n1,2\n'), '2026-06-30', 'industry'],
    [
      'wrong_table',
      'it is another page',
      bodyOf('<html><body><table><tr><td>1</td></tr></table></body></html>'),
      '2026-06-30',
      'ISIN query',
    ],
  ])('a list of securities is refused as %s when %s', (rule, _, body, requestedDay, message) => {
    const refusal = refusalOf(isin, body, requestedDay)
    expect(refusal.rule).toBe(rule)
    expect(refusal.message).toContain(message)
  })
})

describe('securities', () => {
  const securities = (body: ReturnType<typeof bodyOf>) => rowsOf(isin.parse(body, '2026-06-30'), 'listed-securities')

  it('a security has its name, type, ISIN and listing day from the list, with or without an industry', () => {
    const lines = ['股票,9901,範例,TW0000000001,1994/09/05,上市,半導體業,ESVUFR', 'ETF,00999A,範五十　,TW1,,上櫃,,CEOJEU']
    expect(securities(list(...lines))).toEqual([
      {
        ticker: '9901',
        market: 'TWSE',
        name: '範例',
        security_type: '股票',
        industry: '半導體業',
        isin: 'TW0000000001',
        listed_on: '1994-09-05',
        cfi: 'ESVUFR',
        as_of_date: '2026-06-30',
        source_name: 'twse_isin_list',
      },
      {
        ticker: '00999A',
        market: 'TPEX',
        name: '範五十',
        security_type: 'ETF',
        industry: null,
        isin: 'TW1',
        listed_on: null,
        cfi: 'CEOJEU',
        as_of_date: '2026-06-30',
        source_name: 'twse_isin_list',
      },
    ])
  })

  it('a list with fewer columns gives null for the missing columns and leaves out emerging stocks and nameless entries', () => {
    const rows = securities(bodyOf('code,name,industry,market\n9901,範例,金融業,TWSE\n9902,範甲,其他,興櫃\n9903,,其他,TPEX\n'))
    expect(rows).toEqual([
      {
        ticker: '9901',
        market: 'TWSE',
        name: '範例',
        security_type: null,
        industry: '金融保險業',
        isin: null,
        listed_on: null,
        cfi: null,
        as_of_date: '2026-06-30',
        source_name: 'industry_list',
      },
    ])
  })

  it('the ISIN feed reads securities from the Big5 query page', () => {
    const page = { name: 'isin', bytes: readFileSync(new URL('../../fixtures/feeds/isin-big5.html', import.meta.url)) }
    expect(securities(page)).toMatchObject([{ ticker: '9901', isin: 'TW0000000001', security_type: '股票' }])
  })

  it('a security with an impossible listing day is refused', () =>
    expect(refusalOf(isin, list('股票,9901,範例,TW1,1994/13/05,上市,半導體業,ESVUFR'), '2026-06-30').rule).toBe('impossible_date'))
})

const entry = (symbol: string, exchange: string, name: string) => ({
  symbol,
  exchange,
  market: exchange === 'TWSE' ? 'TSE' : 'OTC',
  name,
  ex_ch: `tse_${symbol}.tw`,
})

describe('indices', () => {
  const twse = [
    entry('IX0001', 'TWSE', '發行量加權股價指數'),
    entry('IX0028', 'TWSE', '半導體類指數'),
    entry('IX0142', 'TWSE', '臺灣全市場指數'),
  ]

  it('the index list classifies broad-market indices and counts all other indices in a note', () => {
    const parsed = indices.parse(bodyOf(twse), '2026-06-30')
    const rows = rowsOf(parsed, 'index-classification')
    expect(rows.map(row => row['index_code'])).toEqual(['IX0001', 'IX0142'])
    expect(rows[0]).toEqual({
      index_code: 'IX0001',
      market: 'TWSE',
      as_of_date: '2026-06-30',
      classification_version: '1',
      index_name: '發行量加權股價指數',
      index_type: 'broad_market',
      sector: null,
      industry: null,
      parent_index_code: null,
      is_sector_index: false,
      is_broad_market_index: true,
      theme_primary: null,
      theme_secondary: null,
      classification_source: 'classification_map',
      provider: 'twse',
      source_role: 'curated_classification',
      lineage: {
        source_key: { market: 'TWSE', as_of_date: '2026-06-30', index_code: 'IX0001' },
        mapping_rule: 'whole_market_index_by_code',
        upstream_lineage: { list: 'twse_index_list' },
        classification_version: '1',
        excluded_fields_reason: 'broad_market_has_no_sector_industry_or_theme',
      },
      updated_at: '2026-06-30T00:00:00+08:00',
    })
    expect(parsed.kind === 'rows' && parsed.notes).toEqual(['1 of 3 indices are not broad-market indices of TWSE and were skipped'])
  })

  it('the TPEx index list skips indices of TWSE', () => {
    const tpex = [entry('IX0043', 'TPEx', '櫃買指數'), entry('IX0142', 'TWSE', '臺灣全市場指數')]
    const rows = rowsOf(indices.parse(bodyOf(tpex), '2026-06-30'), 'index-classification')
    expect(rows.map(row => [row['index_code'], row['market']])).toEqual([['IX0043', 'TPEX']])
  })

  it.each([
    ['day_not_stated', 'no day is requested', twse, undefined],
    ['wrong_table', 'its entries have other columns', [{ symbol: 'IX0001' }], '2026-06-30'],
    ['wrong_table', 'it is another table', { stat: 'OK', data: [['1']] }, '2026-06-30'],
    ['unknown_market', 'a market is unknown', [entry('SPX', 'NYSE', 'S&P')], '2026-06-30'],
  ])('a list of indices is refused as %s when %s', (rule, _, content, asked) =>
    expect(refusalOf(indices, bodyOf(content), asked).rule).toBe(rule),
  )
})
