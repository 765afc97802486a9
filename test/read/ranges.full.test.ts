import { afterAll, beforeAll, it } from 'vitest'
import { pathOf, rangeColumns } from '../../catalog/index.ts'
import { checkRanges, READS } from './sample-checks.ts'
import { type SamplesServed, samplesServed } from './samples-served.ts'

let samples: SamplesServed
beforeAll(async () => {
  samples = await samplesServed('full')
}, 600_000)
afterAll(() => samples.s.close())

it.each(READS.filter(dataset => rangeColumns(dataset).length > 0).map(dataset => ({ at: pathOf(dataset), dataset })))(
  '$at can be filtered by a range of every numeric column, in every kind of read',
  ({ dataset }) => checkRanges(samples, dataset),
  300_000,
)
