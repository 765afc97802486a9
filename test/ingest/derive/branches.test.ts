import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { body, ingest } from '../../fixtures/ingest/bodies.ts'
import { releaseIds } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const BRANCHES = 'broker-branch-reference'
const FIRMS = 'securities-firm-master'
const UNRESOLVED = 'broker_id_unresolved_fallback_key'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

const listed = (code: string, name: string, address = '台北市範例路1號') => ({
  出表日期: '1150630',
  證券商代號: code,
  證券商名稱: name,
  開業日: '0831224',
  地址: address,
  電話: '02-00000000',
})
/** One firm's branches have their head office in the list; two firms' do not, and one of those is in no register. */
const list = () =>
  body(
    s,
    'branches.json',
    JSON.stringify([listed('9100', '範金'), listed('9131', '範金-民權'), listed('1042', '臺範-臺南', ''), listed('7001', '無名-桃園')]),
  )
const branches = () => ingest(s, 'broker-branches', [list()])
const firms = (...names: readonly (readonly [id: string, name: string])[]) =>
  s.publish(
    FIRMS,
    names.map(([broker_id, broker_name]) => ({ ...s.dataset(FIRMS).example[0], broker_id, broker_name })),
  )

async function read(): Promise<Readonly<Record<string, Row>>> {
  const { data } = (await s.get(`/v2/datasets/${BRANCHES}`, s.keyOn('free'))).json()
  return Object.fromEntries(data.map((row: Row) => [row['branch_code'], row]))
}
const parents = async () =>
  Object.fromEntries(Object.entries(await read()).map(([code, row]) => [code, [row['parent_broker_code'], row['data_gaps']]]))

const RESOLVED = { '9131': ['9100', []], '1042': ['1040', ['address_missing']], '7001': ['name:無名', [UNRESOLVED]] }

describe('branches listed without their firm', () => {
  it('a branch has a marked fallback key while no register names its firm', async () => {
    await branches()
    expect(await parents()).toEqual({ ...RESOLVED, '1042': ['name:台範', ['address_missing', UNRESOLVED]] })
  })

  it("a branch gets its firm's code from the firm master, in either order of publication", async () => {
    await branches()
    const { followUps } = await firms(['1040', '台範'], ['9100', '範金'])
    expect(followUps.map(({ dataset, outcome }) => [dataset, outcome.status, outcome.changes?.rows_changed])).toEqual([
      [BRANCHES, 'published', 1],
    ])
    expect(await parents()).toEqual(RESOLVED)
    const late = await read()
    expect(late['1042']!['source_lineage']).toMatchObject({
      broker_code: '1040',
      broker_id_source: 'firm_master',
      raw_branch_name: '臺範-臺南',
    })

    const first = s
    s = await service({ examples: false })
    await firms(['1040', '台範'], ['9100', '範金'])
    const { publications } = await branches()
    expect(publications.map(({ dataset, outcome }) => [dataset, outcome.status])).toEqual([
      [BRANCHES, 'published'],
      [BRANCHES, 'published'],
    ])
    expect(await read()).toEqual(late)
    await first.close()
  })

  it("a branch keeps its firm's code after a new list", async () => {
    await firms(['1040', '台範'])
    await branches()
    const before = await read()
    await branches()
    expect(await read()).toEqual(before)
  })

  it('a firm with only a similar name is not matched, and no release is made', async () => {
    await branches()
    const before = releaseIds(s.workspace.releases, BRANCHES)
    await firms(['1040', '台範證券'], ['7000', '無名證'])
    expect(releaseIds(s.workspace.releases, BRANCHES)).toEqual(before)
  })

  it('a synthetic firm is not matched to a branch', async () => {
    await branches()
    await s.publish(FIRMS, [{ ...s.dataset(FIRMS).example[0], broker_id: '1040', broker_name: '台範' }], { synthetic: true })
    expect((await parents())['1042']).toEqual(['name:台範', ['address_missing', UNRESOLVED]])
  })
})

describe('lists of broker branches', () => {
  const sheet = '證券商代號,證券商名稱,開業日,地址\n5850,範一,78/04/03,台北市\n585B,範一-永和,83/05/02,新北市\n'
  const file = () => body(s, 'sheet.csv', sheet)
  const freshness = async () => (await s.get(`/v2/datasets/${BRANCHES}/freshness`)).json()

  it('a list of branches is dated by the day it was taken', async () => {
    await ingest(s, 'broker-branches', [file()], { requestedDay: '2025-03-30' })
    expect((await s.get(`/v2/datasets/${BRANCHES}`, s.keyOn('free'))).json().data_as_of).toBe('2025-03-30')
    expect(await freshness()).toMatchObject({ freshness_state: 'late', freshness_as_of: '2025-03-30' })
    await branches()
    expect(await freshness()).toMatchObject({ freshness_state: 'fresh', freshness_as_of: '2026-06-30' })
  })

  it('a list of branches older than the served one is refused unless accepted by name', async () => {
    await branches()
    const accept = ['row_count_drift']
    const [result] = (await ingest(s, 'broker-branches', [file()], { requestedDay: '2025-03-30', accept })).results
    expect(result).toMatchObject({ outcome: 'refused', said: 'dates_backwards', message: expect.stringContaining('2026-06-30') })
    const both = await ingest(s, 'broker-branches', [file()], { requestedDay: '2025-03-30', accept: [...accept, 'dates_backwards'] })
    expect(both.results).toMatchObject([{ outcome: 'published' }])
  })

  it('a list of branches from a future day is refused', async () => {
    const [result] = (await ingest(s, 'broker-branches', [file()], { requestedDay: '2027-03-30' })).results
    expect(result).toMatchObject({ outcome: 'refused', said: 'future_date', message: expect.stringContaining('The day of the list lies') })
  })

  it('a list of branches without any date is refused', async () => {
    const [result] = (await ingest(s, 'broker-branches', [file()])).results
    expect(result).toMatchObject({ outcome: 'refused', said: 'day_not_stated', message: expect.stringContaining('--date') })
  })
})
