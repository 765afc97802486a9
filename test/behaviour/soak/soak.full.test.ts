import { expect, it } from 'vitest'
import { soak } from './soak.ts'
import { BOUNDS } from './verdict.ts'

it('in a short soak with publications, a stop, a kill and compaction, every answer is correct and in the ledger', async () => {
  const report = await soak({
    minutes: 0.14,
    rate: 30,
    tickers: 30,
    days: 60,
    publishEveryMs: 2_000,
    restartEveryMs: 3_000,
    tidyEvery: 2,
    keep: 2,
    sampleEveryMs: 1_000,
    spanMs: 5_000,
    progress: () => {},
    // Growth is not checked, because a few seconds do not show it. Other tests may also use the
    // processors.
    ...BOUNDS,
    mostDisk: 2 ** 29,
    mostShed: 1,
    leastSamples: 1,
  })
  expect(report.complaints).toEqual([])
  const { publications, compactions, letGo, stops, kills } = report.happened
  expect({ publications, compactions, stops, kills }).toEqual({ publications: 4, compactions: 2, stops: 1, kills: 1 })
  expect(letGo).toBeGreaterThan(0)
  expect(Object.keys(report.kinds)).toEqual(expect.arrayContaining(['point, varied', 'point, hot', 'watched']))
  expect(report.balance.answers).toBeGreaterThan(0)
}, 300_000)
