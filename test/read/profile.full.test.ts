import { afterAll, beforeAll, it } from 'vitest'
import { pathOf } from '../../catalog/index.ts'
import { checkProfile, READS } from './sample-checks.ts'
import { type SamplesServed, samplesServed } from './samples-served.ts'

let samples: SamplesServed
beforeAll(async () => {
  samples = await samplesServed('full')
}, 600_000)
afterAll(() => samples.s.close())

it.each(READS.map(dataset => ({ at: pathOf(dataset), dataset })))(
  'the profile of $at matches the rows of the read in every column',
  ({ dataset }) => checkProfile(samples, dataset),
  300_000,
)
