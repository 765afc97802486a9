import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, ingest } from '../../fixtures/ingest/bodies.ts'
import { releaseIds } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { BRANCHES, branchesOn, RESOLVED, UNRESOLVED } from './branches.ts'

let s: TestService
let b: ReturnType<typeof branchesOn>
const open = async (): Promise<void> => {
  s = await service({ examples: false, indexed: false })
  b = branchesOn(s)
}

describe('branches listed without their firm', () => {
  beforeAll(async () => {
    await open()
    await b.branches()
  })
  afterAll(() => s.close())

  it('a branch has a marked fallback key until a firm master contains its firm', async () => {
    expect(await b.parents()).toEqual({ ...RESOLVED, '1042': ['name:台範', ['address_missing', UNRESOLVED]] })
  })

  it('a firm with only a similar name is not matched, and no release is published', async () => {
    const before = releaseIds(s.workspace.releases, BRANCHES)
    await b.firms(['1040', '台範證券'], ['7000', '無名證'])
    expect(releaseIds(s.workspace.releases, BRANCHES)).toEqual(before)
  })

  it("a branch gets its firm's code from the firm master", async () => {
    const { followUps } = await b.firms(['1040', '台範'], ['9100', '範金'])
    expect(followUps.map(({ dataset, outcome }) => [dataset, outcome.status, outcome.changes?.rows_changed])).toEqual([
      [BRANCHES, 'published', 1],
    ])
    expect(await b.parents()).toEqual(RESOLVED)
    const late = await b.read()
    expect(late['1042']!['source_lineage']).toMatchObject({
      broker_code: '1040',
      broker_id_source: 'firm_master',
      raw_branch_name: '臺範-臺南',
    })
  })

  it("a branch keeps its firm's code after a new list", async () => {
    const before = await b.read()
    await b.branches()
    expect(await b.read()).toEqual(before)
  })
})

describe('lists of broker branches', () => {
  beforeAll(open)
  afterAll(() => s.close())
  const sheet = '證券商代號,證券商名稱,開業日,地址\n5850,範一,78/04/03,台北市\n585B,範一-永和,83/05/02,新北市\n'
  const file = () => body(s, 'sheet.csv', sheet)
  const freshness = async () => (await s.get(`/v2/datasets/${BRANCHES}/freshness`)).json()

  it('a list of branches has the day of its capture as its date', async () => {
    await ingest(s, 'broker-branches', [file()], { requestedDay: '2025-03-30', accept: ['row_count_drift'] })
    expect((await s.get(`/v2/datasets/${BRANCHES}`, s.keyOn('free'))).json().data_as_of).toBe('2025-03-30')
    expect(await freshness()).toMatchObject({ freshness_state: 'late', freshness_as_of: '2025-03-30' })
    await b.branches()
    expect(await freshness()).toMatchObject({ freshness_state: 'fresh', freshness_as_of: '2026-06-30' })
  })

  it('a list of branches older than the served list is refused unless the rule is accepted by name', async () => {
    await b.branches()
    const accept = ['row_count_drift']
    const [result] = (await ingest(s, 'broker-branches', [file()], { requestedDay: '2025-03-30', accept })).results
    expect(result).toMatchObject({ outcome: 'refused', said: 'dates_backwards', message: expect.stringContaining('2026-06-30') })
    const both = await ingest(s, 'broker-branches', [file()], { requestedDay: '2025-03-30', accept: [...accept, 'dates_backwards'] })
    expect(both.results).toMatchObject([{ outcome: 'published' }])
  })

  it('a list of branches from a future day is refused', async () => {
    const [result] = (await ingest(s, 'broker-branches', [file()], { requestedDay: '2027-03-30', accept: ['row_count_drift'] })).results
    expect(result).toMatchObject({
      outcome: 'refused',
      said: 'future_date',
      message: expect.stringContaining('The date of the list is in the future'),
    })
  })

  it('a list of branches without any date is refused', async () => {
    const [result] = (await ingest(s, 'broker-branches', [file()])).results
    expect(result).toMatchObject({ outcome: 'refused', said: 'day_not_stated', message: expect.stringContaining('--date') })
  })
})
