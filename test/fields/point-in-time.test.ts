import { writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../catalog/column.ts'
import { releasePaths } from '../../catalog/release.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
let today = '2026-07-01'
const at = (day: string): void => {
  today = day
}
beforeEach(async () => {
  s = await service({ examples: false, now: () => new Date(`${today}T12:00:00Z`) })
})
afterEach(() => s.close())

const END: Readonly<Record<string, string>> = { Q1: '03-31', Q2: '06-30', Q3: '09-30', Q4: '12-31' }

/** A quarter of 2330 as announced that day. */
function quarter(period: string, eps: number, announced: string | null, ticker = '2330'): Row {
  const [year, season] = period.split('-') as [string, string]
  const amounts = { revenue: eps * 1e9, gross_profit: null, operating_income: null, net_income: null, eps, eps_surprise_pct: null }
  return {
    ticker,
    fiscal_period: period,
    report_type: 'quarterly',
    announcement_date: announced,
    ...amounts,
    period_end: `${year}-${END[season]}`,
  }
}

async function publish(day: string, ...rows: readonly Row[]): Promise<string> {
  at(day)
  const { status, release } = await s.publish('earnings', rows)
  expect(status).toBe('published')
  return release!
}

/** Quarter and figure known as of a day, or the reason why none is; from memory and from disk alike. */
async function eps(asOf: string, field = 'earnings.eps', id = '2330') {
  const ask = async () => {
    const response = await s.get(`/v2/query?entity_type=company&entity_id=${id}&fields=${field}&as_of_date=${asOf}`, s.keyOn('pro'))
    expect(response.statusCode).toBe(200)
    const { data, missing } = response.json()
    if (missing.length > 0) return missing[0].reason as string
    const { period, value, announced_at, release_version } = data[0].fields[field]
    return [period, value, announced_at, release_version] as const
  }
  const fromDisk = await ask()
  await s.newest.refresh()
  expect(await ask()).toEqual(fromDisk)
  return fromDisk
}

describe('a figure with an announcement day', () => {
  it('is known from that day on and not before', async () => {
    const release = await publish('2026-06-01', quarter('2025-Q4', 4, '2026-02-26'), quarter('2026-Q1', 1, '2026-05-14'))
    expect(await eps('2026-02-25')).toBe('not_announced')
    expect(await eps('2026-02-26')).toEqual(['2025-Q4', 4, '2026-02-26', release])
    expect(await eps('2026-05-13')).toEqual(['2025-Q4', 4, '2026-02-26', release])
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, '2026-05-14', release])
    expect(await eps('2026-06-01')).toEqual(['2026-Q1', 1, '2026-05-14', release])
  })

  it('is not known before the period was over', async () => {
    await publish('2026-06-01', quarter('2026-Q1', 1, '2026-05-14'))
    expect(await eps('2026-01-05')).toBe('not_announced')
    expect(await eps('1999-01-05')).toBe('not_announced')
  })

  it('restated late never hides a newer quarter, nor its own original', async () => {
    const first = await publish('2026-05-20', quarter('2025-Q4', 4, '2026-02-26'), quarter('2026-Q1', 1, '2026-05-14'))
    const restated = await publish('2026-06-20', quarter('2025-Q4', 3.5, '2026-06-18'))
    expect(await eps('2026-06-20')).toEqual(['2026-Q1', 1, '2026-05-14', restated])
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, '2026-05-14', restated])
    expect(await eps('2026-05-13')).toEqual(['2025-Q4', 4, '2026-02-26', first])
    expect(await eps('2026-02-26')).toEqual(['2025-Q4', 4, '2026-02-26', first])
  })

  it('revised keeps what it was before, version by version', async () => {
    const first = await publish('2026-05-20', quarter('2026-Q1', 1, '2026-05-14'))
    const second = await publish('2026-06-05', quarter('2026-Q1', 1.1, '2026-06-04'))
    const third = await publish('2026-06-20', quarter('2026-Q1', 1.2, '2026-06-19'))
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, '2026-05-14', first])
    expect(await eps('2026-06-03')).toEqual(['2026-Q1', 1, '2026-05-14', first])
    expect(await eps('2026-06-04')).toEqual(['2026-Q1', 1.1, '2026-06-04', second])
    expect(await eps('2026-06-18')).toEqual(['2026-Q1', 1.1, '2026-06-04', second])
    expect(await eps('2026-06-19')).toEqual(['2026-Q1', 1.2, '2026-06-19', third])
  })

  it('revised after it was loaded long after the day keeps its original all the same', async () => {
    const loaded = await publish('2026-06-05', quarter('2020-Q1', 1, '2020-05-14'), quarter('2020-Q2', 2, '2020-08-13'))
    await publish('2026-06-06', quarter('2020-Q2', 2.5, '2021-01-05'))
    expect(await eps('2020-06-01')).toEqual(['2020-Q1', 1, expect.anything(), expect.anything()])
    expect(await eps('2020-09-01')).toEqual(['2020-Q2', 2, '2020-08-13', loaded])
    expect(await eps('2021-01-05')).toEqual(['2020-Q2', 2.5, expect.anything(), expect.anything()])
  })

  it('replaced since is not guessed where the release that had it is damaged', async () => {
    const first = await publish('2026-05-20', quarter('2026-Q1', 1, '2026-05-14'), quarter('2026-Q1', 9, '2026-05-14', '2317'))
    await publish('2026-06-05', quarter('2026-Q1', 1.1, '2026-06-04'))
    await writeFile(releasePaths(s.desk.releases, 'earnings').manifest(first), '{}')
    expect(await eps('2026-06-03')).toBe('data_unavailable')
    expect(await eps('2026-06-04')).toEqual(['2026-Q1', 1.1, '2026-06-04', expect.anything()])
    expect(await eps('2026-06-03', 'earnings.eps', '2317')).toEqual(['2026-Q1', 9, '2026-05-14', expect.anything()])
  })

  it('made up for a demonstration never stands in for a real one', async () => {
    at('2026-05-20')
    await s.publish('earnings', [quarter('2026-Q1', 1, '2026-05-14')], { synthetic: true })
    await publish('2026-06-05', quarter('2026-Q1', 1.1, '2026-06-04'))
    expect(await eps('2026-06-03')).toBe('not_announced')
  })

  it('mended under the same announcement day is the mended one', async () => {
    await publish('2026-05-20', quarter('2026-Q1', 100, '2026-05-14'))
    const mended = await publish('2026-05-21', quarter('2026-Q1', 1, '2026-05-14'))
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, '2026-05-14', mended])
  })

  it('of a year and of a quarter are told apart', async () => {
    const year = { ...quarter('2025-Q4', 14, '2026-02-26'), fiscal_period: '2025', report_type: 'annual' }
    const release = await publish('2026-06-01', quarter('2026-Q1', 1, '2026-05-14'), quarter('2025-Q4', 4, '2026-02-26'), year)
    expect(await eps('2026-06-01', 'annual_earnings.eps')).toEqual(['2025', 14, '2026-02-26', release])
    expect(await eps('2026-06-01')).toEqual(['2026-Q1', 1, '2026-05-14', release])
  })

  it('of one company is not that of another', async () => {
    await publish('2026-06-01', quarter('2026-Q1', 1, '2026-05-14'), quarter('2026-Q1', 9, '2026-05-10', '2317'))
    await publish('2026-06-10', quarter('2026-Q1', 2, '2026-06-09'))
    expect(await eps('2026-05-12', 'earnings.eps', '2317')).toEqual(['2026-Q1', 9, expect.anything(), expect.anything()])
    expect(await eps('2026-05-12')).toBe('not_announced')
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, expect.anything(), expect.anything()])
  })
})

describe('a figure whose announcement day is not known', () => {
  it('is known from the day it was first published here, and before that nobody says', async () => {
    const first = await publish('2026-05-20', quarter('2025-Q4', 4, '2026-02-26'), quarter('2026-Q1', 1, null))
    const later = await publish('2026-06-20', quarter('2026-Q1', 1, null, '2317'))
    expect(await eps('2026-06-20')).toEqual(['2026-Q1', 1, null, later])
    expect(await eps('2026-06-19')).toEqual(['2026-Q1', 1, null, first])
    expect(await eps('2026-05-20')).toEqual(['2026-Q1', 1, null, first])
    expect(await eps('2026-05-19')).toBe('announcement_date_unknown')
    expect(await eps('2026-03-30')).toEqual(['2025-Q4', 4, '2026-02-26', expect.anything()])
  })

  it('is answered from the release that was current, whose files later and earlier ones share', async () => {
    const first = await publish('2026-05-20', quarter('2026-Q1', 1, null))
    const second = await publish('2026-05-25', quarter('2026-Q1', 1, null, '2317'))
    await publish('2026-06-20', quarter('2026-Q1', 1, null, '2412'))
    expect(await eps('2026-06-19')).toEqual(['2026-Q1', 1, null, second])
    expect(await eps('2026-05-24')).toEqual(['2026-Q1', 1, null, first])
    expect(await eps('2026-05-24', 'earnings.eps', '2317')).toBe('announcement_date_unknown')
  })

  it('does not hide a newer quarter whose day is known', async () => {
    const release = await publish('2026-06-20', quarter('2025-Q4', 4, null), quarter('2026-Q1', 1, '2026-05-14'))
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, '2026-05-14', release])
    expect(await eps('2026-05-13')).toBe('announcement_date_unknown')
  })
})

describe('a daily series', () => {
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

  it('has the value of the newest day up to the one asked for, however long ago', async () => {
    at('2026-07-01')
    await s.publish('bond-yield-curve', curve('2026-03-02', '2026-06-29', '2026-06-30'))
    expect(await rate('2026-07-01')).toEqual(['2026-06-30', 3])
    expect(await rate('2026-06-30')).toEqual(['2026-06-30', 3])
    expect(await rate('2026-06-29')).toEqual(['2026-06-29', 2])
    expect(await rate('2026-06-28')).toEqual(['2026-03-02', 1])
    expect(await rate('2026-03-01')).toBe('outside_coverage')
  })

  it('takes up an appended day', async () => {
    at('2026-07-01')
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

describe('a snapshot', () => {
  const firms = (printed: string, chairman: string): readonly Row[] => [
    { ...(s.dataset('securities-firm-master').example[0] as Row), report_date: printed, chairman },
  ]
  const chairman = async (asOf: string) => {
    const { data, missing } = (
      await s.get(`/v2/query?entity_type=broker&entity_id=9997&fields=chairman&as_of_date=${asOf}`, s.keyOn('free'))
    ).json()
    return missing.length > 0 ? missing[0].reason : [data[0].fields.chairman.value, data[0].fields.chairman.as_of_date]
  }

  it('is answered from the release that was current, and from none that was not', async () => {
    at('2026-06-02')
    await s.publish('securities-firm-master', firms('2026-06-01', '甲'))
    at('2026-07-02')
    await s.publish('securities-firm-master', firms('2026-07-01', '乙'))
    expect(await chairman('2026-07-02')).toEqual(['乙', '2026-07-01'])
    expect(await chairman('2026-06-30')).toEqual(['甲', '2026-06-01'])
    expect(await chairman('2026-05-31')).toBe('snapshot_has_no_history')
    await s.newest.refresh()
    expect(await chairman('2026-07-02')).toEqual(['乙', '2026-07-01'])
    expect(await chairman('2026-06-30')).toEqual(['甲', '2026-06-01'])
  })

  it('does not list an entity on a day when it was not listed', async () => {
    const publish = async (day: string, code: string, name: string): Promise<void> => {
      at(day)
      const { status } = await s.publish('securities-firm-master', [{ ...firms(day, name)[0]!, broker_id: code }])
      expect(status).toBe('published')
    }
    await publish('2026-05-01', '9997', '甲')
    await publish('2026-06-01', '9998', '丙')
    await publish('2026-07-01', '9997', '乙')
    at('2026-07-02')
    const of = async (code: string, asOf: string) => {
      const url = `/v2/query?entity_type=broker&entity_id=${code}&fields=chairman&as_of_date=${asOf}&minimal_fields=true`
      const { data, missing } = (await s.get(url, s.keyOn('free'))).json()
      return data[0]?.fields.chairman ?? missing[0].reason
    }
    expect([await of('9997', '2026-05-31'), await of('9997', '2026-06-30'), await of('9997', '2026-07-02')]).toEqual([
      '甲',
      'no_value',
      '乙',
    ])
    expect(await of('9998', '2026-06-30')).toBe('丙')
    expect(await of('9998', '2026-07-02')).toBe('no_such_entity')
  })

  it('taken market by market is as old as its market', async () => {
    const [entry] = s.dataset('theme-taxonomy').example as readonly Row[]
    at('2026-07-02')
    await s.publish('theme-taxonomy', [
      { ...entry, symbol: '2330', market: 'TWSE', as_of_date: '2026-06-30' },
      { ...entry, symbol: '5483', market: 'TPEX', as_of_date: '2026-06-15' },
    ])
    const url = '/v2/query?entity_type=company&entity_ids=2330,5483&fields=industry&as_of_date=2026-06-20'
    const { data, missing } = (await s.get(url, s.keyOn('free'))).json()
    expect([data[0].entity_id, data[0].fields.industry.as_of_date]).toEqual(['5483', '2026-06-15'])
    expect(missing).toEqual([{ entity_id: '2330', field: 'industry', reason: 'snapshot_has_no_history' }])
  })

  it('without a date of its own speaks of the day it was published', async () => {
    const [branch] = s.dataset('broker-branch-reference').example as readonly Row[]
    const publish = async (day: string, address: string): Promise<void> => {
      at(day)
      await s.publish('broker-branch-reference', [{ ...branch, address }])
    }
    await publish('2026-06-02', '舊址')
    await publish('2026-07-02', '新址')
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
