import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publishFiles } from '../../../ingest/index.ts'
import { Updates } from '../../../src/http/routes/publications/schemas.ts'
import { day, quote, trade } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
const EVENTS = 'company-risk-events'

const newest = async (s: TestService, query = '') => (await s.get(`/v2/updates${query}`)).json().data[0]

describe('entries of the updates feed', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false, inMemory: false })
  })
  afterAll(() => s.close())

  it('the updates feed is empty before the first publication', async () => {
    const answer = (await s.get('/v2/updates')).json()
    const nothing = {
      since: null,
      since_by_category: {},
      empty_reason: 'nothing_published',
      published_since: null,
      category: null,
      dataset: null,
      slug: null,
      data_count: 0,
      omitted_count: 0,
      has_more: false,
      next_cursor: null,
      data: [],
    }
    expect(answer).toEqual({ ...nothing, limit: 200 })
  })

  it('the updates feed lists a first publication as new rows without a previous release', async () => {
    await s.publish(SLUG, [...day('2026-06-24', 1), ...day('2026-06-25', 2)])
    const answer = (await s.get('/v2/updates')).json()
    expect(answer).toMatchObject({ since: '2026-06-25', category: null, limit: 200, data_count: 1, has_more: false, next_cursor: null })
    expect(Updates.strict().parse(answer)).toEqual(answer)
    expect(answer.data).toMatchObject([
      {
        dataset: SLUG,
        category: 'capital_flows',
        kind: 'new_rows',
        data_date_from: '2026-06-24',
        data_date_to: '2026-06-25',
        rows_added: 6,
        added: { rows: 6, data_date_from: '2026-06-24', data_date_to: '2026-06-25' },
        changed: null,
        removed: null,
        previous_release_version: null,
        published_at: '2026-07-01T20:00:00.000+08:00',
      },
    ])
    expect((await s.get(`/v2/datasets/${SLUG}?symbol=2330`, s.keyOn('pro'))).headers['x-release']).toBe(answer.data[0].release_version)
  })

  it('the updates feed lists new rows, backfills and revisions with their days and parent release', async () => {
    const first = await newest(s)
    await s.publish(SLUG, day('2026-06-29', 3))
    const second = await newest(s)
    expect([second.kind, second.rows_added, second.previous_release_version]).toEqual(['new_rows', 3, first.release_version])
    await s.publish(SLUG, day('2026-06-19', 4))
    const third = await newest(s)
    expect(third).toMatchObject({ kind: 'backfill', added: { data_date_from: '2026-06-19', data_date_to: '2026-06-19' }, changed: null })
    expect([third.data_as_of, third.previous_release_version]).toEqual(['2026-06-29', second.release_version])
    await s.publish(SLUG, [trade('1101', '2026-06-25', 9_999), ...day('2026-06-25', 2).slice(1)])
    expect(await newest(s)).toMatchObject({ kind: 'revision', rows_changed: 1, data_date_from: '2026-06-25', data_date_to: '2026-06-25' })
  })

  it('the updates feed lists a removed row when its day is published again without the row', async () => {
    await s.publish(SLUG, day('2026-06-29', 3).slice(1), { accept: ['row_count_drift'] })
    expect(await newest(s)).toMatchObject({
      kind: 'revision',
      rows_removed: 1,
      added: null,
      removed: { rows: 1, data_date_from: '2026-06-29', data_date_to: '2026-06-29' },
    })
  })

  it('the updates feed lists added and changed days of one publication separately', async () => {
    await s.publish(SLUG, [...day('2026-06-30', 6), trade('1101', '2026-06-24', 7_777), ...day('2026-06-24', 1).slice(1)])
    expect(await newest(s)).toMatchObject({
      kind: 'new_rows',
      rows_added: 3,
      rows_changed: 1,
      data_date_from: '2026-06-24',
      data_date_to: '2026-06-30',
      added: { rows: 3, data_date_from: '2026-06-30', data_date_to: '2026-06-30' },
      changed: { rows: 1, data_date_from: '2026-06-24', data_date_to: '2026-06-24' },
      removed: null,
    })
  })

  it('the updates feed lists a revision of a dataset when the publication of another dataset changes its derived columns', async () => {
    await s.publish('daily-prices', [quote('2330', '2026-06-30', 1_000)])
    expect(await newest(s)).toMatchObject({ dataset: SLUG, kind: 'revision', changed: { rows: 1, data_date_from: '2026-06-30' } })
    const { data } = (await s.get('/v2/updates?since=2000-01-01')).json()
    expect(data.filter(({ dataset }: { dataset: string }) => dataset === 'daily_prices')).toMatchObject([{ kind: 'new_rows' }])
  })

  it('the updates feed lists a publication with changed columns as schema_change', async () => {
    const wide = s.dataset(EVENTS)
    const { description, ...columns } = wide.columns
    const file = join(s.dir, 'narrow.ndjson')
    writeFileSync(file, wide.example.map(({ description: _, ...row }) => JSON.stringify(row)).join('\n'))
    await publishFiles(s.workspace, { ...wide, columns }, [file], { accept: [], synthetic: false })
    await s.publish(EVENTS, wide.example, { accept: ['schema_change'] })
    expect(await newest(s, '?category=companies_events&since=2000-01-01')).toMatchObject({
      dataset: 'company_risk_events',
      kind: 'schema_change',
    })
    expect(description).toBeDefined()
  })

  it('the updates feed lists a dataset without dates with null days', async () => {
    await s.publish('broker-branch-reference', s.dataset('broker-branch-reference').example)
    const { data } = (await s.get('/v2/updates?category=market_structure&since=2000-01-01')).json()
    expect(data.find(({ dataset }: { dataset: string }) => dataset === 'broker_branch_reference')).toMatchObject({
      data_date_from: null,
      data_date_to: null,
      added: { rows: 2, data_date_from: null, data_date_to: null },
      data_as_of: '2026-06-30',
    })
  })

  it('the updates feed lists every publication once, with the id of the previous release, back to the first', async () => {
    const { data } = (await s.get('/v2/updates?since=2000-01-01&category=capital_flows')).json()
    expect(data).toHaveLength(7)
    expect(new Set(data.map((update: { update_id: string }) => update.update_id)).size).toBe(7)
    const releases = data.map((update: { release_version: string }) => update.release_version)
    expect(data.map((update: { previous_release_version: string }) => update.previous_release_version)).toEqual([
      ...releases.slice(1),
      null,
    ])
    expect(releases).toEqual(releases.toSorted().reverse())
  })
})

describe('filters of the updates feed', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false, inMemory: false })
    await s.publish(SLUG, day('2026-06-24', 1))
    await s.publish(SLUG, day('2026-06-29', 2))
    await s.publish(SLUG, [trade('1101', '2026-06-24', 9_999), ...day('2026-06-24', 1).slice(1)])
    await s.publish(EVENTS, s.dataset(EVENTS).example)
  })
  afterAll(() => s.close())
  const kinds = async (query: string) => (await s.get(`/v2/updates${query}`)).json().data.map((update: { kind: string }) => update.kind)

  it('since= lists publications of releases whose data reaches that day, including revisions of older days', async () => {
    expect(await kinds('?since=2026-06-29&category=capital_flows')).toEqual(['revision', 'new_rows'])
    expect(await kinds('?since=2026-06-24&category=capital_flows')).toEqual(['revision', 'new_rows', 'new_rows'])
    expect(await kinds('?since=2026-07-02')).toEqual([])
  })

  it('since defaults to the newest day of data in each category', async () => {
    const reaches = s.releases.current(s.dataset(EVENTS)).manifest.data_as_of
    await s.publish('broker-branch-reference', s.dataset('broker-branch-reference').example)
    const { since, since_by_category, data } = (await s.get('/v2/updates')).json()
    expect(since_by_category).toEqual({ capital_flows: '2026-06-29', companies_events: reaches, market_structure: '2026-06-30' })
    expect(since).toBe([reaches, '2026-06-30'].sort().at(-1))
    expect(data.map((update: { dataset: string }) => update.dataset)).toContain('broker_branch_reference')
  })

  it('category=monthly_revenue lists monthly-revenue from its newest month; the category of its family also lists it', async () => {
    const REVENUE = 'monthly-revenue'
    const [row] = s.dataset(REVENUE).example
    await s.publish(REVENUE, [row!])
    await s.publish('earnings', [s.dataset('earnings').example[0]!])
    const months = (await s.get('/v2/updates?category=monthly_revenue')).json()
    const own = { category: 'monthly_revenue', slug: REVENUE }
    expect(months).toMatchObject({ since: row!['period_end'], since_by_category: { monthly_revenue: row!['period_end'] }, data: [own] })
    const family = (await s.get('/v2/updates?category=financial_statements&limit=1')).json()
    const both = await s.get(`/v2/updates?category=financial_statements&cursor=${family.next_cursor}`)
    const slugs = [...family.data, ...both.json().data].map(({ slug }: { slug: string }) => slug)
    expect(slugs.toSorted()).toEqual(['earnings', REVENUE])
    expect(Object.keys(family.since_by_category)).toEqual(['financial_statements', 'monthly_revenue'])
    const all = (await s.get('/v2/updates')).json()
    expect(all.since_by_category).toMatchObject({ ...family.since_by_category })
  })

  it('a category without publications is empty, and an unknown category is refused with a list of the known categories', async () => {
    expect((await s.get('/v2/updates?category=macroeconomics&since=2000-01-01')).json().data).toEqual([])
    const refused = await s.get('/v2/updates?category=internal')
    expect([refused.statusCode, refused.json().detail[0].type]).toEqual([422, 'enum'])
    expect(refused.json().detail[0].msg).toContain(
      'macroeconomics, market_structure, capital_flows, companies_events, financial_statements, monthly_revenue',
    )
  })
})
