import { expect, it } from 'vitest'
import { loadCatalog, served } from '../../catalog/index.ts'
import { officialTables, SOURCES } from '../../catalog/register/index.ts'
import { RULES } from '../../catalog/register/rules.ts'
import { loadFeeds } from '../../ingest/feeds/index.ts'

it('the register of official tables lists every table once', () => {
  const tables = officialTables().map(({ source, path }) => `${source} ${path}`)
  expect(tables).toHaveLength(143 + 225 + 132)
  expect(new Set(tables).size).toBe(tables.length)
})

it('every dataset named by the register of official tables can be read', async () => {
  const slugs = new Set(served(await loadCatalog()).map(({ slug }) => slug))
  const named = RULES.flatMap(({ covered }) =>
    'dataset' in covered ? [covered.dataset] : 'computedFrom' in covered ? covered.computedFrom : [],
  )
  expect(named.filter(slug => !slugs.has(slug))).toEqual([])
})

it('every rule of the register of official tables matches a table', () => {
  const decided = new Set(officialTables().map(({ covered }) => covered))
  expect(RULES.filter(({ covered }) => !decided.has(covered)).map(({ tables }) => String(tables))).toEqual([])
})

it('the register marks every fetched table as covered, and states a dataset that one of its feeds fills', async () => {
  const fetched = [...(await loadFeeds()).values()].flatMap(({ name, datasets, fetch = [] }) =>
    fetch.flatMap(({ requests }) => requests.map(({ url }) => ({ name, datasets, url }))),
  )
  for (const { source, path, covered } of officialTables()) {
    const address = SOURCES.find(({ name }) => name === source)!.url + path
    const feeds = fetched.filter(({ url }) => url === address)
    if (feeds.length === 0) continue
    const names = feeds.map(({ name }) => name).join(', ')
    expect.soft('notBuilt' in covered, `${address}, fetched by ${names}`).toBe(false)
    if ('dataset' in covered)
      expect
        .soft(
          feeds.flatMap(({ datasets }) => datasets),
          address,
        )
        .toContain(covered.dataset)
  }
})
