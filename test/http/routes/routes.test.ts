import { expect, it } from 'vitest'
import { refusalOf } from '../../accounts/portal.ts'
import { SECRETS } from '../../support.ts'
import { ALL, BODIES, SAMPLE, testRoutes } from './route-rules.ts'
import { routedBy } from './router.ts'

/** Tests a sample of pages, datasets and values. `routes.full.test.ts` tests all of them. */
const service = testRoutes(SAMPLE, false)

it('S1: every registered route has a row in the route table, and every row belongs to a registered route', () => {
  const heads = ALL.flatMap(route => (route.startsWith('GET ') ? [route.replace('GET', 'HEAD')] : []))
  expect(routedBy(service().app).toSorted()).toEqual([...ALL, ...heads].toSorted())
})

it('the service refuses a text/plain body with 415', async () => {
  const response = await service().send(
    'POST',
    '/v2/self-serve/onboarding/start',
    { 'content-type': 'text/plain' },
    '{"email":"a@example.test"}',
  )
  expect([response.statusCode, refusalOf(response)]).toEqual([415, 'unsupported_media_type'])
})

it('K3: the admin route refuses X-Admin-Token and Authorization with different tokens', async () => {
  const grant = async (header: string, bearer: string) => {
    const headers = { 'x-admin-token': header, authorization: `Bearer ${bearer}` }
    return (await service().send('POST', '/v2/admin/grant-plan', headers, BODIES['POST /v2/admin/grant-plan'])).statusCode
  }
  expect(await grant(SECRETS.ADMIN_TOKEN, SECRETS.ADMIN_TOKEN)).toBe(200)
  expect(await grant(SECRETS.ADMIN_TOKEN, 'another')).toBe(401)
  expect(await grant('another', SECRETS.ADMIN_TOKEN)).toBe(401)
})
