import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Dataset, loadCatalog, PLAN_IDS, type PlanId, pathOf, served } from '../../catalog/index.ts'
import { addDays } from '../../src/core/index.ts'
import { service, type TestService } from '../support.ts'

const catalog = await loadCatalog()
const datasets = [...catalog.values()]
const readable = served(catalog)

let s: TestService
let keys: Readonly<Record<PlanId, string>>
beforeAll(async () => {
  s = await service({ inMemory: false })
  keys = Object.fromEntries(PLAN_IDS.map(plan => [plan, s.keyOn(plan)])) as Record<PlanId, string>
})
afterAll(() => s.close())

/** Required parameters of a read, with values of the first example row. */
const requiredOf = ({ filters, example }: Dataset): string =>
  Object.entries(filters)
    .filter(([, filter]) => filter.required)
    .map(([name, { all, column }]) => `${name}=${all ?? example[0]![column as never]}`)
    .join('&')

/** Status and rows of a read, from the dataset's envelope. */
async function read(dataset: Dataset, query: string, key: string) {
  const { statusCode: status, headers, ...response } = await s.get(`${pathOf(dataset)}?${query}`, key)
  const { data, envelope, error } = response.json()
  return { status, headers, rows: data ?? envelope?.data ?? [], error }
}

// These tests run over the catalog, so a new dataset is tested without changes.

it('every dataset has a slug that is safe as a file name', () => {
  for (const { slug } of datasets) expect.soft(slug).toMatch(/^[a-z]+(-[a-z]+)*$/)
})

it('every example row has exactly the declared columns, in their order', () => {
  for (const { slug, columns, example } of datasets)
    for (const row of example) expect.soft(Object.keys(row), slug).toEqual(Object.keys(columns))
})

it('every dataset has a grain without nullable columns, and the warning not_investment_advice', () => {
  for (const { slug, columns, grain, warnings } of datasets) {
    for (const name of grain) expect.soft(columns[name], `${slug}.${name}`).not.toHaveProperty('nullable')
    expect.soft(warnings, slug).toContain('not_investment_advice')
  }
})

it('every series lists its newest day first, and every dataset its keys in ascending order', () => {
  for (const { slug, date, key, grain, order } of datasets) {
    const directions = Object.fromEntries(order)
    if (date !== undefined && grain.includes(date)) expect.soft(order[0], slug).toEqual([date, 'desc'])
    if (key !== undefined && key in directions) expect.soft(directions[key], `${slug}.${key}`).toBe('asc')
  }
})

it('if the name of a /v2/query field ends with a column name of its dataset, the field returns this column', () => {
  for (const { slug, columns, fields = [] } of datasets)
    for (const [name, column] of fields.flatMap(({ names }) => Object.entries(names))) {
      const word = name.split('.').at(-1)!
      if (Object.hasOwn(columns, word)) expect.soft(column, `${slug}, ${name}`).toBe(word)
    }
})

it('each comparison has its own method name, and joins on all columns of its sums or on the whole grain of a dataset', () => {
  for (const { slug, reconcile = [] } of datasets) {
    const methods = reconcile.map(({ method }) => method)
    expect.soft(methods, slug).toEqual([...new Set(methods)])
    for (const { method, against } of reconcile)
      if (against) {
        const keys = against.sums ? Object.keys(against.sums.by) : catalog.get(against.dataset)?.grain
        expect.soft(Object.keys(against.on).sort(), `${slug}, ${method}`).toEqual(keys?.toSorted())
      }
  }
})

it('the updates feed lists every published dataset under its family', async () => {
  for (const family of new Set(readable.map(dataset => dataset.family))) {
    const { data } = (await s.get(`/v2/updates?since=2000-01-01&category=${family}`)).json()
    const listed = data.map(({ dataset }: { dataset: string }) => dataset)
    for (const { id } of readable.filter(dataset => dataset.family === family)) expect.soft(listed, family).toContain(id)
  }
})

it('a read of every dataset returns its example rows unchanged and charges its price once', async () => {
  for (const dataset of readable) {
    const { slug, access, example } = dataset
    const { status, rows, headers } = await read(dataset, requiredOf(dataset), s.keyOn(access!.plan, `${slug}@example.test`))
    expect.soft([status, rows], slug).toEqual([200, example])
    const spent = Number(headers['x-credits-limit']) - Number(headers['x-credits-remaining'])
    expect.soft([headers['x-credits-charged'], spent], `${slug}, credits`).toEqual([String(access!.credits), access!.credits])
  }
})

it('a read of a dataset above the free plan is refused on the free plan, and the error names the required plan', async () => {
  for (const dataset of readable.filter(({ access }) => access!.plan !== 'free')) {
    const { status, error } = await read(dataset, requiredOf(dataset), keys.free)
    expect
      .soft([status, error], dataset.slug)
      .toMatchObject([403, { error_code: 'plan_required', required_plan: dataset.access!.plan, current_plan: 'free' }])
  }
})

it('every filter finds the first example row by the value of its column', async () => {
  for (const dataset of readable) {
    const row = dataset.example[0] as Record<string, unknown>
    const required = requiredOf(dataset)
    for (const [name, filter] of Object.entries(dataset.filters)) {
      const value = filter.op === 'latest' ? 'true' : row[filter.column]
      if (value === null) continue
      const others = required.startsWith(`${name}=`) ? [] : [required]
      const query = [...others, `${name}=${encodeURIComponent(String(value))}`].filter(part => part !== '').join('&')
      const { status, rows } = await read(dataset, query, keys.max)
      expect.soft([status, rows], `${dataset.slug}?${query}`).toEqual([200, expect.arrayContaining([row])])
    }
  }
})

it('every filter by a first or last day excludes a row that is one day outside', async () => {
  for (const dataset of readable) {
    const row = dataset.example[0] as Record<string, unknown>
    for (const [name, { op, column }] of Object.entries(dataset.filters)) {
      const day = row[column]
      if (!/^(start|end)_date$|_(from|to)$/.test(name) || typeof day !== 'string') continue
      const query = [requiredOf(dataset), `${name}=${addDays(day, /start|from/.test(name) ? 1 : -1)}`].filter(part => part !== '').join('&')
      const { status, rows } = await read(dataset, query, keys.max)
      expect.soft([status, rows], `${dataset.slug}?${query}, ${op}`).toEqual([200, expect.not.arrayContaining([row])])
    }
  }
})
