import { afterAll, beforeAll, expect, it } from 'vitest'
import { day } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
})
afterAll(() => s.close())

it('D3: a pinned release returns the same rows after later publications', async () => {
  const key = s.keyOn('pro')
  expect((await s.get(`/v2/datasets/${SLUG}?symbol=2330`, key)).json().error.error_code).toBe('dataset_building')
  const publish = (...days: readonly (readonly [date: string, seed: number])[]) =>
    s.publish(
      SLUG,
      days.flatMap(([date, seed]) => day(date, seed)),
    )
  const read = async (release?: string | null) => {
    const { body, headers } = await s.get(`/v2/datasets/${SLUG}?symbol=1101,2330,2454${release ? `&release=${release}` : ''}`, key)
    return { ...JSON.parse(body), release: headers['x-release'] }
  }
  const { release } = await publish(['2026-05-28', 1], ['2026-05-29', 2])
  const before = await read()
  await publish(['2026-05-28', 9])
  await publish(['2026-06-01', 3])
  await publish(['2026-06-02', 4])
  expect((await read()).data).toHaveLength(12)
  const { data, release: answered } = await read(release)
  expect(answered).toBe(release)
  expect(data).toEqual(before.data)
})
