import { afterAll, expect, it } from 'vitest'
import { openColumns } from '../../src/columns/index.ts'
import { service } from '../support.ts'

const s = await service()
afterAll(() => s.close())

it('the part of a key that is asked for while memory is filled is read next, once, and with all its rows', async () => {
  const statements: string[] = []
  const begun = Promise.withResolvers<void>()
  const allowed = Promise.withResolvers<void>()
  const pool: Parameters<typeof openColumns>[0]['pool'] = {
    ...s.pool,
    async read(statement, use, lane) {
      statements.push(statement.text)
      begun.resolve()
      await allowed.promise
      return s.pool.read(statement, use, lane)
    },
  }
  const columns = openColumns({ catalog: s.catalog, releases: s.releases, pool, log: () => {}, mostBytes: 1e9 })
  const filling = columns.refresh()
  await begun.promise
  await new Promise(setImmediate)
  const inOrder = [...s.catalog.values()].flatMap(dataset => {
    const release = dataset.key === undefined ? null : s.releases.served(dataset)
    return release && release.manifest.parts.length > 0 ? [release] : []
  })
  const last = inOrder.at(-1)!
  const running = statements.length
  const key = last.manifest.parts.at(-1)!.first_key!
  expect(columns.runsOf(last, key)).toBeUndefined()
  allowed.resolve()
  await filling
  const paths = last.manifest.parts.map(last.pathOf)
  expect(statements.findIndex(text => paths.some(path => text.includes(path)))).toBe(running)
  expect(statements).toHaveLength(new Set(statements).size)
  expect(statements.filter(text => text.includes('WHERE'))).toEqual([])
  expect(columns.runsOf(last, key)).not.toHaveLength(0)
  await columns.close()
})
