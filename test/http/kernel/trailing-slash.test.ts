import { afterAll, expect, it } from 'vitest'
import { service } from '../../support.ts'

const s = await service({ indexed: false })
const key = s.keyOn('max')
afterAll(() => s.close())

/** An answer without request-specific values. */
const answerOf = async (url: string) => {
  const { statusCode, body } = await s.get(url, key)
  return [statusCode, body.replaceAll(/req_\w{26}|"(counted|generated)_at":"[^"]*"/g, '')]
}

it('a path with a slash at its end gets the answer of the path without the slash', async () => {
  for (const path of [
    '/healthz',
    '/v2/datasets',
    '/v2/datasets/theme-taxonomy',
    '/v2/datasets/bond_yield_curve/freshness',
    '/v2/updates',
    '/v2/coverage/earnings',
    '/v2/account/entitlements',
    '/fact/earnings/2330/2026Q1',
    '/docs/quickstart',
  ])
    expect.soft(await answerOf(`${path}/`), `${path}/`).toEqual(await answerOf(path))
  expect(await answerOf('/v1/earnings/?symbol=2330')).toEqual(await answerOf('/v1/earnings?symbol=2330'))
})

it('if a path ends with a slash, a wrong method is refused, and the answer lists the allowed methods', async () => {
  const { statusCode, headers } = await s.app.inject({ method: 'PUT', url: '/v2/datasets/' })
  expect([statusCode, headers['allow']]).toEqual([405, 'GET, HEAD'])
})

it('an unknown path with a slash at its end is still unknown', async () => {
  expect((await s.get('/v3/nothing/', key)).json().error.error_code).toBe('unknown_path')
})
