import { afterAll, beforeAll, it } from 'vitest'
import { rangeColumns } from '../../catalog/index.ts'
import { READS, READS_OR_SKIPS, SORTS, statementPlans, valuesOf } from './statement-plans.ts'

let plans: Awaited<ReturnType<typeof statementPlans>>
beforeAll(async () => {
  plans = await statementPlans()
})
afterAll(() => plans.close())

it('the engine runs a read of every dataset by each of its filters', () =>
  plans.check(dataset => Object.entries(valuesOf(dataset)).map(([name, value]) => [{ [name]: value }, READS])))

it('the engine runs a read of every dataset by all its filters and ranges together', () =>
  plans.check(dataset => {
    const range = rangeColumns(dataset).map(name => `${name}:-1..1`)
    return [[{ ...valuesOf(dataset), ...(range.length > 0 && { range: range.join(',') }) }, READS_OR_SKIPS]]
  }))

it('the engine runs a read of every dataset sorted by all its columns', () =>
  plans.check(({ columns }) => [[{ sort: Object.keys(columns).join(',-') }, SORTS]]))
