import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog, pathOf, served } from '../../catalog/index.ts'
import { service, type TestService } from '../support.ts'

const catalog = await loadCatalog()
let s: TestService
beforeAll(async () => {
  s = await service()
})
afterAll(() => s.close())

/** What every dataset must meet; none is named, so a new one is tested by being in the catalog. */
describe.each([...catalog.values()])('dataset $slug', dataset => {
  it('has a file-safe slug', () => expect(dataset.slug).toMatch(/^[a-z]+(-[a-z]+)*$/))

  it('shows example rows with exactly the declared columns, in their order', () => {
    for (const row of dataset.example) expect(Object.keys(row)).toEqual(Object.keys(dataset.columns))
  })

  it('has a grain that is never null and warns that it is no advice', () => {
    for (const name of dataset.grain) expect(dataset.columns[name]?.nullable).toBeUndefined()
    expect(dataset.warnings).toContain('not_investment_advice')
  })

  it('has reconciliation methods of different names, each against an existing dataset by the whole of its grain', () => {
    const declared = dataset.reconcile ?? []
    expect(new Set(declared.map(({ method }) => method)).size).toBe(declared.length)
    for (const { against } of declared) {
      if (against) expect(Object.keys(against.on).sort()).toEqual(catalog.get(against.dataset)?.grain.toSorted())
    }
  })

  it('refuses a release that repeats its grain, and goes on serving', async () => {
    const before = await s.publish(dataset.slug, dataset.example)
    const twice = await s.publish(dataset.slug, [...dataset.example, dataset.example[0]!])
    expect(twice.status).toBe('refused')
    expect(twice.faults.map(({ rule }) => rule)).toContain('grain')
    expect((await s.publish(dataset.slug, dataset.example)).release).toBe(before.release)
  })
})

describe.each(served(catalog).filter(({ planned }) => !planned))('a read of $slug', dataset => {
  it('is listed in the updates feed once published, under its family', async () => {
    const { data } = (await s.get(`/v2/updates?since=2000-01-01&category=${dataset.family}`)).json()
    expect(data.map(({ dataset: id }: { dataset: string }) => id)).toContain(dataset.id)
  })

  const required = Object.entries(dataset.filters)
    .filter(([, filter]) => filter.required)
    .map(([name, { all, column }]) => `${name}=${all ?? dataset.example[0]![column as never]}`)
    .join('&')

  it('serves its example rows unchanged', async () => {
    const response = await s.get(`${pathOf(dataset)}?${required}`, s.keyOn(dataset.access!.plan))
    expect(response.statusCode).toBe(200)
    const body = response.json()
    expect(body.data ?? body.envelope.data).toEqual(dataset.example)
  })

  it('charges its price once and says so', async () => {
    const response = await s.get(`${pathOf(dataset)}?${required}`, s.keyOn(dataset.access!.plan, `${dataset.slug}@example.test`))
    expect(response.headers['x-credits-charged']).toBe(String(dataset.access!.credits))
    expect(Number(response.headers['x-credits-limit']) - Number(response.headers['x-credits-remaining'])).toBe(dataset.access!.credits)
  })

  it.skipIf(dataset.access!.plan === 'free')('is refused to the next lower plan, naming the plan it needs', async () => {
    const response = await s.get(`${pathOf(dataset)}?${required}`, s.keyOn('free'))
    expect(response.statusCode).toBe(403)
    expect(response.json().error).toMatchObject({ error_code: 'plan_required', required_plan: dataset.access!.plan, current_plan: 'free' })
  })

  it.each(Object.entries(dataset.filters))('filters by %s as by the column, and finds the first example row', async (name, filter) => {
    const row = dataset.example[0] as Record<string, unknown>
    const value = filter.op === 'latest' ? 'true' : row[filter.column]
    if (value === null) return
    const others = required.startsWith(`${name}=`) ? '' : required
    const response = await s.get(
      `${pathOf(dataset)}?${others}&${name}=${encodeURIComponent(String(value))}`.replace('?&', '?'),
      s.keyOn('max'),
    )
    expect(response.statusCode).toBe(200)
    const body = response.json()
    expect(body.data ?? body.envelope.data).toContainEqual(row)
  })
})
