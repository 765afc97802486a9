import { afterAll, beforeAll, it } from 'vitest'
import { pathOf } from '../../catalog/index.ts'
import { checkSorting, READS } from './sample-checks.ts'
import { type SamplesServed, samplesServed } from './samples-served.ts'

let samples: SamplesServed
beforeAll(async () => {
  samples = await samplesServed('full')
}, 600_000)
afterAll(() => samples.s.close())

it.each(READS.map(dataset => ({ at: pathOf(dataset), dataset })))(
  '$at can be sorted by every column, page by page, with nulls last',
  ({ dataset }) => checkSorting(samples, dataset),
  300_000,
)
