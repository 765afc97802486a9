import { afterEach, describe, expect, it } from 'vitest'
import { day, quote, trade } from '../../fixtures/publish/rows.ts'
import { stored, storedRows } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
const QUOTES = 'daily-prices'
const FIRMS = 'securities-firm-master'
let s: TestService
afterEach(() => s.close())

const held = async (slug: string, names: string) =>
  (await storedRows(s.workspace.session, s.workspace.releases, slug, names, `ORDER BY ${names}`)).map(row => Object.values(row).join(' '))

describe('a day that is published again', () => {
  it('loses the rows it no longer has, and no other day does', async () => {
    s = await service({ examples: false })
    await s.publish(TRADES, [...day('2026-06-29', 1), ...day('2026-06-30', 2)])
    const { changes } = await s.publish(TRADES, day('2026-06-30', 2, ['1101', '2330']))
    expect(changes).toEqual({
      kind: 'revision',
      rows_added: 0,
      rows_changed: 0,
      rows_removed: 1,
      date_from: '2026-06-30',
      date_to: '2026-06-30',
      reach: { added: null, changed: null, removed: ['2026-06-30', '2026-06-30'] },
    })
    expect(await held(TRADES, 'ticker, trade_date')).toEqual([
      '1101 2026-06-29',
      '1101 2026-06-30',
      '2330 2026-06-29',
      '2330 2026-06-30',
      '2454 2026-06-29',
    ])
    const { spans, manifest } = stored(s.workspace.releases, TRADES)
    expect([manifest.statistics.rows, spans.slices['TWSE 2026-06-30']?.[0], spans.slices['TWSE 2026-06-29']?.[0]]).toEqual([5, 2, 3])
  })

  it('replaces its own market and leaves the other', async () => {
    s = await service({ examples: false })
    const otc = { market: 'TPEX' }
    await s.publish(TRADES, [...day('2026-06-30', 1), trade('6488', '2026-06-30', 5, otc), trade('8069', '2026-06-30', 6, otc)])
    await s.publish(TRADES, [trade('6488', '2026-06-30', 5, otc)])
    expect(await held(TRADES, 'market, ticker')).toEqual(['TPEX 6488', 'TWSE 1101', 'TWSE 2330', 'TWSE 2454'])
  })

  it('under the other market replaces the row of the same security, so that a day never has it twice', async () => {
    s = await service({ examples: false })
    for (const [slug, row] of [
      [QUOTES, quote],
      [TRADES, trade],
    ] as const) {
      await s.publish(slug, [row('6488', '2026-06-29', 1_000, { market: 'TPEX' }), row('6488', '2026-06-30', 2_000, { market: 'TPEX' })])
      await s.publish(slug, [row('6488', '2026-06-30', 3_000)])
      expect(await held(slug, 'ticker, trade_date, market')).toEqual(['6488 2026-06-29 TPEX', '6488 2026-06-30 TWSE'])
      expect(stored(s.workspace.releases, slug).manifest.statistics).toMatchObject({ rows: 2, keys: 1 })
    }
  })
})

describe('a published list', () => {
  const firm = (id: string) => ({ ...s.dataset(FIRMS).example[0]!, broker_id: id })

  it('that is replaced whole loses what it no longer has', async () => {
    s = await service({ examples: false })
    const ids = Array.from({ length: 40 }, (_, index) => String(1000 + index))
    await s.publish(FIRMS, ids.map(firm))
    const { changes } = await s.publish(FIRMS, [...ids.slice(1), '2000'].map(firm))
    expect(changes).toMatchObject({ rows_added: 1, rows_changed: 0, rows_removed: 1 })
    expect(await held(FIRMS, 'broker_id')).toEqual([...ids.slice(1), '2000'])
    const { parts, statistics } = stored(s.workspace.releases, FIRMS).manifest
    expect([parts.length, statistics.rows, statistics.keys]).toEqual([1, 40, 40])
  })

  it('of one market replaces that market’s list alone', async () => {
    s = await service({ examples: false })
    const [row] = s.dataset('theme-taxonomy').example
    const theme = (symbol: string, market: string, theme_id = 'industry_24') => ({ ...row, symbol, market, theme_id })
    await s.publish('theme-taxonomy', [theme('2330', 'TWSE'), theme('6488', 'TPEX'), theme('8069', 'TPEX')])
    await s.publish('theme-taxonomy', [theme('2330', 'TWSE', 'industry_01'), theme('6488', 'TWSE')])
    expect(await held('theme-taxonomy', 'symbol, market, theme_id')).toEqual([
      '2330 TWSE industry_01',
      '6488 TWSE industry_24',
      '8069 TPEX industry_24',
    ])
  })
})

describe('rows without a slice', () => {
  it('replace those of equal grain and leave the others', async () => {
    s = await service({ examples: false })
    const [row] = s.dataset('company-risk-events').example
    const event = (date: string, description: string) => ({ ...row, event_date: date, description })
    await s.publish('company-risk-events', [event('2026-06-29', 'a'), event('2026-06-30', 'b')])
    const { changes } = await s.publish('company-risk-events', [event('2026-06-30', 'c'), event('2026-07-01', 'd')])
    expect(changes).toMatchObject({ rows_added: 1, rows_changed: 1, rows_removed: 0 })
    expect(await held('company-risk-events', 'event_date, description')).toEqual(['2026-06-29 a', '2026-06-30 c', '2026-07-01 d'])
  })
})
