import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
let today = '2026-07-01'
const setDay = (day: string): void => {
  today = day
}
beforeEach(async () => {
  s = await service({ examples: false, indexed: false, now: () => new Date(`${today}T12:00:00Z`) })
})
afterEach(() => s.close())

describe('daily series', () => {
  const curve = (...days: readonly string[]): readonly Row[] =>
    days.map((day, index) => ({ ...(s.dataset('bond-yield-curve').example[1] as Row), trade_date: day, as_of: day, yield_rate: 1 + index }))
  const rate = async (asOf: string) => {
    const ask = async () => {
      const url = `/v2/query?entity_type=bond_tenor&entity_id=10Y&fields=yield_rate&as_of_date=${asOf}`
      const { data, missing } = (await s.get(url, s.keyOn('max'))).json()
      return missing.length > 0 ? missing[0].reason : [data[0].fields.yield_rate.as_of_date, data[0].fields.yield_rate.value]
    }
    const fromDisk = await ask()
    await s.newest.refresh()
    expect(await ask()).toEqual(fromDisk)
    return fromDisk
  }

  it('a daily series returns the value of the newest day up to as_of_date', async () => {
    setDay('2026-07-01')
    await s.publish('bond-yield-curve', curve('2026-03-02', '2026-06-29', '2026-06-30'))
    expect(await rate('2026-07-01')).toEqual(['2026-06-30', 3])
    expect(await rate('2026-06-30')).toEqual(['2026-06-30', 3])
    expect(await rate('2026-06-29')).toEqual(['2026-06-29', 2])
    expect(await rate('2026-06-28')).toEqual(['2026-03-02', 1])
    expect(await rate('2026-03-01')).toBe('outside_coverage')
  })
})

describe('snapshots', () => {
  const firms = (printed: string, chairman: string): readonly Row[] => [
    { ...(s.dataset('securities-firm-master').example[0] as Row), report_date: printed, chairman },
  ]
  const chairman = async (asOf: string) => {
    const { data, missing } = (
      await s.get(`/v2/query?entity_type=broker&entity_id=9997&fields=chairman&as_of_date=${asOf}`, s.keyOn('free'))
    ).json()
    return missing.length > 0 ? missing[0].reason : [data[0].fields.chairman.value, data[0].fields.chairman.as_of_date]
  }

  it('a snapshot field comes from the release that was current on as_of_date', async () => {
    setDay('2026-06-02')
    await s.publish('securities-firm-master', firms('2026-06-01', '甲'))
    setDay('2026-07-02')
    await s.publish('securities-firm-master', firms('2026-07-01', '乙'))
    expect(await chairman('2026-07-02')).toEqual(['乙', '2026-07-01'])
    expect(await chairman('2026-06-30')).toEqual(['甲', '2026-06-01'])
    expect(await chairman('2026-05-31')).toBe('snapshot_has_no_history')
    await s.newest.refresh()
    expect(await chairman('2026-07-02')).toEqual(['乙', '2026-07-01'])
    expect(await chairman('2026-06-30')).toEqual(['甲', '2026-06-01'])
  })
})
