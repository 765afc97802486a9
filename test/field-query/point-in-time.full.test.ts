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

  it('a daily series is outside coverage before the first day of its dataset, but not before the first day of its entity', async () => {
    setDay('2026-07-01')
    const other = curve('2026-03-02').map(row => ({ ...row, tenor_label: '2Y', maturity_years: 2 }))
    await s.publish('bond-yield-curve', [...other, ...curve('2026-06-29')])
    expect(await rate('2026-03-02')).toBe('no_value')
    expect(await rate('2026-03-01')).toBe('outside_coverage')
  })

  it('a daily series includes an appended day', async () => {
    setDay('2026-07-01')
    await s.publish('bond-yield-curve', curve('2026-06-29'))
    expect(await rate('2026-07-01')).toEqual(['2026-06-29', 1])
    await s.publish(
      'bond-yield-curve',
      curve('2026-06-30').map(row => ({ ...row, yield_rate: 9 })),
    )
    expect(await rate('2026-07-01')).toEqual(['2026-06-30', 9])
    expect(await rate('2026-06-29')).toEqual(['2026-06-29', 1])
  })
})

describe('snapshots', () => {
  const firms = (printed: string, chairman: string): readonly Row[] => [
    { ...(s.dataset('securities-firm-master').example[0] as Row), report_date: printed, chairman },
  ]
  it('a snapshot field has no value as of days on which the entity was not in the list', async () => {
    const publish = async (day: string, code: string, name: string): Promise<void> => {
      setDay(day)
      const { status } = await s.publish('securities-firm-master', [{ ...firms(day, name)[0]!, broker_id: code }])
      expect(status).toBe('published')
    }
    await publish('2026-05-01', '9997', '甲')
    await publish('2026-06-01', '9998', '丙')
    await publish('2026-07-01', '9997', '乙')
    setDay('2026-07-02')
    const revenueOf = async (code: string, asOf: string) => {
      const url = `/v2/query?entity_type=broker&entity_id=${code}&fields=chairman&as_of_date=${asOf}&minimal_fields=true`
      const { data, missing } = (await s.get(url, s.keyOn('free'))).json()
      return data[0]?.fields.chairman ?? missing[0].reason
    }
    expect([await revenueOf('9997', '2026-05-31'), await revenueOf('9997', '2026-06-30'), await revenueOf('9997', '2026-07-02')]).toEqual([
      '甲',
      'no_value',
      '乙',
    ])
    expect(await revenueOf('9998', '2026-06-30')).toBe('丙')
    expect(await revenueOf('9998', '2026-07-02')).toBe('no_such_entity')
  })

  it('a snapshot published by market has a separate date for each market', async () => {
    const [entry] = s.dataset('theme-taxonomy').example as readonly Row[]
    setDay('2026-07-02')
    await s.publish('theme-taxonomy', [
      { ...entry, symbol: '2330', market: 'TWSE', as_of_date: '2026-06-30' },
      { ...entry, symbol: '5483', market: 'TPEX', as_of_date: '2026-06-15' },
    ])
    const url = '/v2/query?entity_type=company&entity_ids=2330,5483&fields=industry&as_of_date=2026-06-20'
    const { data, missing } = (await s.get(url, s.keyOn('free'))).json()
    expect([data[0].entity_id, data[0].fields.industry.as_of_date]).toEqual(['5483', '2026-06-15'])
    expect(missing).toEqual([{ entity_id: '2330', field: 'industry', reason: 'snapshot_has_no_history' }])
  })

  it.each([
    ['a snapshot with a date in its lineage is dated by that day', '2026-06-02', '2026-07-02'],
    ['a snapshot without a date is dated by its publication day', null, null],
  ])('%s', async (_, ...listed) => {
    const [branch] = s.dataset('broker-branch-reference').example as readonly Row[]
    const publish = async (day: string, address: string, source_date: string | null): Promise<void> => {
      setDay(day)
      await s.publish('broker-branch-reference', [{ ...branch, address, source_lineage: { source_date } }])
    }
    await publish(listed[0] === null ? '2026-06-02' : '2026-07-03', '舊址', listed[0]!)
    await publish(listed[1] === null ? '2026-07-02' : '2026-07-04', '新址', listed[1]!)
    const address = async (asOf: string) => {
      const url = `/v2/query?entity_type=branch&entity_id=585B&fields=address&as_of_date=${asOf}&minimal_fields=true`
      const { data, missing } = (await s.get(url, s.keyOn('free'))).json()
      return data[0]?.fields.address ?? missing[0].reason
    }
    const days = ['2026-07-02', '2026-07-01', '2026-06-02', '2026-06-01']
    const answers = ['新址', '舊址', '舊址', 'snapshot_has_no_history']
    expect(await Promise.all(days.map(address))).toEqual(answers)
    await s.newest.refresh()
    expect(await Promise.all(days.map(address))).toEqual(answers)
  })
})
