import { mkdtempSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { dataFolder } from '../support.ts'

let home: Awaited<ReturnType<typeof dataFolder>>
beforeEach(async () => {
  home = await dataFolder()
})
afterEach(() => home.remove())

const load = (coverage: string) => changed(`coverage: ${coverage}`)
/** Loads a changed dataset from a new folder, because Node imports a module only once. */
const changed = (change: string) => {
  const original = pathToFileURL(resolve('catalog/datasets/earnings.ts')).href
  const file = `import dataset from '${original}'\nexport default { ...dataset, ${change} }\n`
  const folder = mkdtempSync(join(home.dir, 'datasets-'))
  writeFileSync(join(folder, 'earnings.ts'), file)
  return loadCatalog(pathToFileURL(`${folder}/`))
}

it('the catalog refuses a dataset whose coverage lacks scope or type', async () => {
  await expect(load("{ markets: ['TWSE'], delisted: false, scope: 'x' }")).rejects.toThrow(
    'earnings must declare scope and type in its coverage',
  )
})

it('the catalog loads a dataset whose coverage has scope and type', async () => {
  const catalog = await load("{ markets: ['TWSE'], delisted: false, scope: 'x', type: 'y' }")
  expect([...catalog.keys()]).toEqual(['earnings'])
})

it.each([
  [
    "{ name: 'a', doc: 'd', docZh: '說明。', column: 'ticker', values: ['x'] }, { name: 'a', doc: 'd', docZh: '說明。', holds: 'true' }",
    'declares several rules with the same name: a',
  ],
  ["{ name: 'a', doc: 'd', docZh: '說明。', column: 'epz', min: 0 }", 'uses undeclared columns: epz'],
  ["{ name: 'a', doc: 'd', docZh: '說明。', column: 'eps', sum: ['epz'] }", 'uses undeclared columns: epz'],
  ["{ name: 'a', doc: 'd', docZh: '說明。', dataset: 'nothing', on: { ticker: 'ticker' } }", 'refers to the unknown dataset nothing'],
  [
    "{ name: 'a', doc: 'd', docZh: '說明。', dataset: 'earnings', on: { tikcer: 'ticker' } }",
    'refers to columns that earnings does not store: tikcer',
  ],
])('the catalog refuses a dataset with the rules %s', async (rules, message) => {
  await expect(changed(`rules: [${rules}]`)).rejects.toThrow(message)
})

it('the catalog refuses a dataset that names an undeclared column or parameter, or a virtual column where a stored column is required', async () => {
  const undeclared = 'earnings.ts uses undeclared columns: epz'
  for (const [change, message] of [
    ["grain: ['epz']", undeclared],
    ["key: 'epz'", undeclared],
    ["date: 'epz'", undeclared],
    ["knownAt: 'epz'", undeclared],
    ["knownAt: 'eps'", 'earnings.ts declares knownAt with eps, which is not a date column'],
    ["publish: { mode: 'merge', slice: ['epz'] }", undeclared],
    ["publish: { mode: 'merge', body: ['epz'] }", undeclared],
    ["order: [['epz', 'desc']]", undeclared],
    ["sortable: ['epz']", undeclared],
    ["filters: { ...dataset.filters, x: { column: 'epz', op: 'eq', doc: 'd' } }", undeclared],
    ["filters: { ...dataset.filters, x: { column: 'eps', also: 'epz', op: 'eq', doc: 'd' } }", undeclared],
    ["search: [{ type: 'symbol', id: 'epz' }]", undeclared],
    ["search: [{ type: 'symbol', id: 'ticker', param: 'tikcer' }]", 'earnings.ts declares search parameters that are not filters: tikcer'],
    [
      "columns: { ...dataset.columns, ticker: { ...dataset.columns.ticker, virtual: '1' } }",
      'earnings.ts requires stored columns that it declares as virtual: ticker',
    ],
  ] as const)
    await expect.soft(changed(change), change).rejects.toThrow(message)
})
