import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, it } from 'vitest'
import { day } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
/** Catalog answers that are derived from the served releases. */
const VIEWS = [
  '/v2/datasets',
  `/v2/datasets/${SLUG}/freshness`,
  '/v2/product/catalog',
  '/v2/data-catalog/stats',
  '/v2/coverage',
  `/v2/coverage/${SLUG}`,
  '/coverage',
  '/widgets.json',
  '/apps.json',
  '/datasets',
  `/datasets/${SLUG}`,
]

let s: TestService
afterEach(() => s.close())

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const servedNow = (): WeakRef<object> => new WeakRef(s.releases.current(s.dataset(SLUG)))

it('when a new release is served, the catalog frees cached answers of the former release without another request', async () => {
  s = await service({ examples: false, inMemory: false })
  await s.publish(SLUG, day('2026-06-29', 2))
  for (const url of VIEWS) expect([url, (await s.get(url)).statusCode]).toEqual([url, 200])
  const former = servedNow()
  await s.publish(SLUG, day('2026-06-30', 3))
  await expect
    .poll(
      () => {
        collectGarbage()
        return former.deref()
      },
      { timeout: 10_000 },
    )
    .toBeUndefined()
})
