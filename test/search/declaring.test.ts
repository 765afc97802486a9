import { mkdtemp, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { dataFolder } from '../support.ts'

let home: Awaited<ReturnType<typeof dataFolder>>
beforeAll(async () => {
  home = await dataFolder()
})
afterAll(() => home.remove())

/** A catalog with only index-classification and another search declaration. */
async function loadWith(search: object) {
  const real = new URL('../../catalog/datasets/index-classification.ts', import.meta.url).href
  const file = `import real from ${JSON.stringify(real)}\nexport default { ...real, search: [${JSON.stringify(search)}] }\n`
  // Each catalog is in a new folder, because Node imports a module only once.
  const dir = await mkdtemp(`${home.dir}/catalog-`)
  await writeFile(`${dir}/index-classification.ts`, file)
  return loadCatalog(pathToFileURL(`${dir}/`))
}

it.each([
  ['id', { type: 'index', id: 'code' }, 'uses undeclared columns: code'],
  ['title', { type: 'index', id: 'index_code', title: ['index_nam'] }, 'index_nam'],
  ['subtitle', { type: 'index', id: 'index_code', subtitle: ['kind'] }, 'kind'],
  ['codes', { type: 'index', id: 'index_code', codes: ['isin'] }, 'isin'],
  ['market', { type: 'index', id: 'index_code', market: 'exchange' }, 'exchange'],
  ['param', { type: 'index', id: 'index_code', param: 'index' }, 'search parameters that are not filters: index'],
])('the catalog refuses a search declaration with an unknown column or parameter as %s, and names it', async (_, search, message) => {
  await expect(loadWith(search)).rejects.toThrow(message)
})
