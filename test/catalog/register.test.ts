import { expect, it } from 'vitest'
import { loadCatalog, served } from '../../catalog/index.ts'
import { type OfficialTable, officialTables, SOURCES } from '../../catalog/register/index.ts'
import { RULES } from '../../catalog/register/rules.ts'
import { loadFeeds } from '../../ingest/feeds/index.ts'

it('the register of official tables lists every table once', () => {
  const tables = officialTables().map(({ source, path }) => `${source} ${path}`)
  expect(tables.filter(table => !table.startsWith('Other '))).toHaveLength(143 + 225 + 132)
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

const fetched = [...(await loadFeeds()).values()].flatMap(({ name, datasets, fetch = [] }) =>
  fetch.flatMap(({ requests }) => requests.map(({ url }) => ({ name, datasets, url }))),
)
/** Feeds that fetch a table. The paths of tables outside the lists are beginnings of addresses. */
const feedsOf = ({ source, path }: Pick<OfficialTable, 'source' | 'path'>) =>
  fetched.filter(({ url }) => (source === 'Other' ? url.startsWith(path) : url === SOURCES.find(({ name }) => name === source)!.url + path))

it('the register marks every fetched table as covered, and the dataset it names is filled by a feed of the table', () => {
  for (const { source, path, covered } of officialTables()) {
    const feeds = feedsOf({ source, path })
    if (feeds.length === 0) continue
    const names = feeds.map(({ name }) => name).join(', ')
    expect.soft('notBuilt' in covered, `${source} ${path}, fetched by ${names}`).toBe(false)
    if ('dataset' in covered)
      expect
        .soft(
          feeds.flatMap(({ datasets }) => datasets),
          `${source} ${path}`,
        )
        .toContain(covered.dataset)
  }
})

it('the register contains every table that a feed fetches', () => {
  const registered = new Set(officialTables().flatMap(table => feedsOf(table).map(({ url }) => url)))
  expect(fetched.filter(({ url }) => !registered.has(url)).map(({ name, url }) => `${name}: ${url}`)).toEqual([])
})
