import { expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { officialTables } from '../../catalog/register/index.ts'
import { RULES } from '../../catalog/register/rules.ts'

it('the register covers every table of the lists once', () => {
  const tables = officialTables().map(({ source, path }) => `${source} ${path}`)
  expect(tables).toHaveLength(143 + 225 + 132)
  expect(new Set(tables).size).toBe(tables.length)
})

it('datasets named by the register exist, and names reserved in it are not datasets yet', async () => {
  const slugs = new Set((await loadCatalog()).keys())
  const named = RULES.flatMap(({ covered }) => ('dataset' in covered ? [covered.dataset] : []))
  const reserved = RULES.flatMap(({ covered }) => ('planned' in covered ? [covered.planned] : []))
  expect(named.filter(slug => !slugs.has(slug))).toEqual([])
  expect(reserved.filter(slug => slugs.has(slug))).toEqual([])
  const sources = RULES.flatMap(({ covered }) => ('computedFrom' in covered ? covered.computedFrom : []))
  expect(sources.filter(slug => !slugs.has(slug) && !reserved.includes(slug))).toEqual([])
})

it('every rule of the register decides about a table', () => {
  const decided = new Set(officialTables().map(({ covered }) => covered))
  expect(RULES.filter(({ covered }) => !decided.has(covered)).map(({ tables }) => String(tables))).toEqual([])
})
