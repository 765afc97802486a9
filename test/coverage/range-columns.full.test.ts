import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalog, pathOf, served } from '../../catalog/index.ts'
import { DatasetSchema } from '../../src/http/routes/catalog/dataset-schema.ts'
import { service, type TestService } from '../support.ts'

const catalog = served(await loadCatalog())
let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false })
})
afterAll(() => s.close())

it('the schema marks a column range_filterable if and only if reads accept range on it', async () => {
  const key = s.keyOn('max')
  for (const dataset of catalog) {
    const { columns } = DatasetSchema.parse((await s.get(`/v2/datasets/${dataset.slug}/schema`)).json())
    for (const { name, range_filterable } of columns) {
      const { statusCode, ...response } = await s.get(`${pathOf(dataset)}?range=${name}:0..1&limit=1`, key)
      const faults: readonly { readonly loc: readonly string[] }[] = statusCode === 422 ? response.json().detail : []
      const accepted = !faults.some(({ loc }) => loc.at(-1) === 'range')
      expect.soft([200, 422], `${dataset.slug}, range=${name}`).toContain(statusCode)
      expect.soft(accepted, `${dataset.slug}, range=${name}`).toBe(range_filterable)
    }
  }
})
