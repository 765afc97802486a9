import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { served } from '../../../catalog/index.ts'
import { Reconciliation, Reconciliations } from '../../../src/http/routes/publications/schemas.ts'
import { day } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { badge, counts } from './badges.ts'

const SLUG = 'institutional-positioning'
const LIST = '/v2/data-catalog/reconciliation'

describe('the list of reconciliation badges', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ inMemory: false })
  })
  afterAll(() => s.close())

  it('the list of badges has each served dataset once, and its badge equals the badge at the path of the dataset', async () => {
    const answer = (await s.get(LIST)).json()
    expect(Reconciliations.parse(answer)).toEqual(answer)
    expect(answer.data.map(({ dataset }: { dataset: string }) => dataset)).toEqual(served(s.catalog).map(({ id }) => id))
    expect(answer.data_count).toBe(answer.data.length)
    for (const entry of answer.data) expect(await badge(s, entry.dataset)).toEqual(entry)
  })

  it('the badge of a dataset reports the comparison in its manifest', async () => {
    for (const dataset of served(s.catalog)) {
      const { manifest } = stored(s.workspace.releases, dataset.slug)
      const found = await badge(s, dataset.slug)
      const own = manifest.reconciliation!.find(({ method }) => method === 'source_rows')!
      expect(await counts(s, dataset.slug, 'source_rows')).toEqual([own.rows, own.compared, own.matched])
      expect([found.release_version, found.methods[0]!.compared_at]).toEqual([manifest.release, manifest.published_at])
      expect(own.matched).toBe(own.rows)
      expect(own.rows).toBeGreaterThanOrEqual(manifest.statistics.rows)
    }
  })

  it('a badge that is not verified has a reason, and every badge has the status of its dataset', async () => {
    const { data } = (await s.get(LIST)).json() as {
      data: { dataset: string; badge: string; badge_reason: string | null; status: string }[]
    }
    const catalog = (await s.get('/v2/datasets')).json().data as { dataset: string; status: string }[]
    const status = new Map(catalog.map(one => [one.dataset, one.status]))
    for (const entry of data) {
      expect([entry.dataset, entry.badge_reason === null]).toEqual([entry.dataset, entry.badge === 'verified'])
      expect([entry.dataset, entry.status]).toEqual([entry.dataset, status.get(entry.dataset)])
    }
    expect(new Set(data.map(({ badge_reason }) => badge_reason)).size).toBeGreaterThan(1)
  })

  it('a badge can be requested by slug or id', async () => {
    expect(await badge(s, 'bond-yield-curve')).toEqual(await badge(s, 'bond_yield_curve'))
    expect(Reconciliation.strict().parse(await badge(s, SLUG))).toMatchObject({ dataset: SLUG })
  })

  it.each(['income-statements', 'nope', "x'--", 'BOND-YIELD-CURVE', '..%2f..%2fetc%2fpasswd', 'a'.repeat(200)])(
    'Q3: a badge of "%s" is unknown',
    async name => {
      const { statusCode, body } = await s.get(`${LIST}/${encodeURIComponent(name)}`)
      expect([statusCode, JSON.parse(body).error.error_code]).toEqual([404, 'unknown_dataset'])
    },
  )

  it('Q5: a request for badges with any parameter is refused', async () => {
    for (const path of [LIST, `${LIST}/${SLUG}`]) {
      const { statusCode, body } = await s.get(`${path}?limit=3`)
      expect([statusCode, JSON.parse(body).detail[0].type]).toEqual([422, 'unknown_parameter'])
    }
  })
})

describe('reconciliation badges after publications', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false, inMemory: false })
  })
  afterAll(() => s.close())

  it('a badge is not_checked before the first release', async () => {
    expect(await badge(s, SLUG)).toMatchObject({
      badge: 'not_checked',
      badge_reason: 'no_release',
      status: 'building',
      method: null,
      source: null,
      compared_at: null,
      rows_compared: 0,
      matched: 0,
      mismatched: 0,
      match_ratio: null,
      release_version: null,
      methods: [],
    })
  })

  it('a badge is not_checked for samples, and becomes partial with the first real rows', async () => {
    await s.publish(SLUG, day('2026-06-29', 1), { synthetic: true })
    const found = await badge(s, SLUG)
    expect([found.badge, found.badge_reason, found.synthetic, found.methods.map(({ badge }) => badge)]).toEqual([
      'not_checked',
      'synthetic_sample_data',
      true,
      found.methods.map(() => 'not_checked'),
    ])
    expect([found, ...found.methods].map(({ match_ratio }) => match_ratio)).toEqual([null, ...found.methods.map(() => null)])
    await s.publish(SLUG, day('2026-06-29', 2))
    expect(await badge(s, SLUG)).toMatchObject({
      badge: 'partial',
      badge_reason: 'comparisons_not_made',
      synthetic: false,
      rows: 3,
      matched: 3,
    })
  })
})
