import { afterAll, beforeAll, it } from 'vitest'
import { rangeColumns } from '../../catalog/index.ts'
import { READS_OR_SKIPS, SORTS, statementPlans } from './statement-plans.ts'

let plans: Awaited<ReturnType<typeof statementPlans>>
beforeAll(async () => {
  plans = await statementPlans()
})
afterAll(() => plans.close())

it('the engine runs a read of every dataset with a range of each numeric column', () =>
  plans.check(dataset => rangeColumns(dataset).map(name => [{ range: `${name}:-1..<1000` }, READS_OR_SKIPS])))

it('the engine runs a read of every dataset with each sort_by in both directions', () =>
  plans.check(({ sortable }) => sortable.flatMap(sort_by => ['asc', 'desc'].map(sort_order => [{ sort_by, sort_order }, SORTS] as const))))

it('the engine runs a read of every dataset sorted by each column', () =>
  plans.check(({ columns }) => Object.keys(columns).map(name => [{ sort: `-${name}` }, SORTS])))

it('the engine runs a read of every dataset for each column alone', () =>
  plans.check(({ columns }) => Object.keys(columns).map(name => [{ columns: name }, new RegExp(`^(?!.*Error:).*${name}`)])))
