import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { recordRetired } from '../fixtures/publish/store.ts'
import { service, type TestService } from '../support.ts'

const path = '/v2/datasets/index-classification'
let s: TestService
let [older, newer]: [string, string] = ['', '']
const named = (index_name: string): readonly Row[] => [{ ...(s.dataset('index-classification').example[0] as Row), index_name }]

beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
  older = (await s.publish('index-classification', named('舊名'))).release!
  newer = (await s.publish('index-classification', named('新名'))).release!
})
afterAll(() => s.close())

const names = (body: { envelope: { data: readonly { index_name: string }[] } }) => body.envelope.data.map(row => row.index_name)

describe('the release parameter', () => {
  it('a read without release= uses the newest release', async () => {
    const response = await s.get(path, s.keyOn('free'))
    expect(names(response.json())).toEqual(['新名'])
    expect(response.headers['x-release']).toBe(newer)
  })

  it('release= pins an older release, in rows, headers and envelope', async () => {
    const response = await s.get(`${path}?release=${older}`, s.keyOn('free'))
    expect(names(response.json())).toEqual(['舊名'])
    expect(response.headers['x-release']).toBe(older)
    expect(response.json().envelope.release_version).toBe(older)
  })

  it('release= pins the newest release', async () => {
    expect(names((await s.get(`${path}?release=${newer}`, s.keyOn('free'))).json())).toEqual(['新名'])
  })

  it.each(['', 'latest', '1', '../20260701T120000000Z', '20260701T120000000Z/', '20260701', '20260701T120000000Z%00', 'current'])(
    'the service refuses release=%j as malformed',
    async release => {
      const response = await s.get(`${path}?release=${release}`, s.keyOn('free'))
      expect(response.statusCode).toBe(404)
      expect(response.json().error).toMatchObject({ error_code: 'unknown_id', dataset: 'index_classification' })
    },
  )

  const gone = async (release: string) => {
    const response = await s.get(`${path}?release=${release}`, s.keyOn('free'))
    return { status: response.statusCode, error: response.json().error, retryAfter: response.headers['retry-after'] }
  }

  it('release= of a release that never existed returns 404 with the next newer release and without retry_after', async () => {
    const never = await gone('20200102T000000000Z')
    expect(never).toMatchObject({ status: 404, error: { error_code: 'unknown_id', nearest: older }, retryAfter: undefined })
    expect(never.error.error_message).toContain('This service never published the release')
    expect(never.error).not.toHaveProperty('retry_after')
  })

  it('release= of a garbage-collected release returns 410 with the nearest retained release', async () => {
    recordRetired(s.workspace.releases, 'index-classification', '20200101T000000000Z')
    expect(await gone('20200101T000000000Z')).toMatchObject({ status: 410, error: { error_code: 'release_retired', nearest: older } })
  })

  it('release= of a release newer than the served one returns 404 with the served release and the time to retry', async () => {
    const newest = { error_code: 'unknown_id', nearest: newer, retry_after: 15, error_message: expect.stringContaining(newer) }
    expect(await gone('20990101T000000000Z')).toMatchObject({ status: 404, error: newest, retryAfter: '15' })
  })

  it('release= of another dataset returns 404', async () => {
    await s.publish('company-risk-events', s.dataset('company-risk-events').example)
    const { headers } = await s.get('/v2/datasets/company-risk-events?symbol=2330', s.keyOn('pro'))
    expect((await s.get(`${path}?release=${headers['x-release']}`, s.keyOn('free'))).statusCode).toBe(404)
  })

  it('a read of a pinned release costs the same credits', async () => {
    const { headers } = await s.get(`${path}?release=${older}`, s.keyOn('free'))
    expect(headers['x-credits-charged']).toBe('1')
  })

  it('after a publication, a read returns rows of the new release', async () => {
    const key = s.keyOn('max')
    const { release } = await s.publish('index-classification', named('更新'))
    const response = await s.get(path, key)
    expect(response.headers['x-release']).toBe(release)
    expect(names(response.json())).toEqual(['更新'])
  })
})

describe('datasets without a release', () => {
  it('a read of a dataset without a release returns 503 dataset_building for any parameters', async () => {
    for (const query of ['', '?columns=symbol', '?symbol=2330&limit=1']) {
      const response = await s.get(`/v2/datasets/theme-taxonomy${query}`, s.keyOn('free'))
      expect(response.statusCode).toBe(503)
      expect(response.json().error).toMatchObject({
        error_code: 'dataset_building',
        blocking_gate: 'dataset_state',
        dataset: 'theme_taxonomy',
      })
      expect(response.headers['x-credits-charged']).toBe('0')
    }
  })

  it('a dataset is served after its first release', async () => {
    const key = s.keyOn('free')
    expect((await s.get('/v2/datasets/broker-branch-reference', key)).statusCode).toBe(503)
    await s.publish('broker-branch-reference', s.dataset('broker-branch-reference').example)
    expect((await s.get('/v2/datasets/broker-branch-reference', key)).statusCode).toBe(200)
  })
})
