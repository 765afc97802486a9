import { parse } from 'node-html-parser'
import { afterAll, describe, expect, it } from 'vitest'
import { REFUSAL_CODES } from '../../src/core/index.ts'
import { type OpenApi, referencePath } from '../../src/http/openapi/index.ts'
import { operationsOf } from '../http/openapi/openapi.ts'
import { service } from '../support.ts'

const s = await service()
const api = (await s.get('/openapi.json')).json() as OpenApi
afterAll(() => s.close())

it('the home page shows the plans, their prices in whole dollars, and a link to the account page', async () => {
  const { body } = await s.get('/')
  for (const text of ['TWD 990', 'TWD 2,990', '1,000,000', '/account']) expect(body).toContain(text)
})

it('the pricing page lists each dataset by title under the plan that includes it, and states that payments are not accepted', async () => {
  const root = parse((await s.get('/zh/pricing')).body)
  const { data } = (await s.get('/v2/datasets')).json() as { data: { title_zh: string; minimum_plan: string }[] }
  const plans = root
    .querySelectorAll('.plan')
    .map(plan => [
      plan.querySelector('h2')!.textContent.toLowerCase(),
      plan.querySelectorAll('a[href^="/zh/datasets/"]').map(link => link.textContent),
    ])
  const expected = (plan: string) => {
    const titles = data.filter(({ minimum_plan }) => minimum_plan === plan).map(({ title_zh }) => title_zh)
    return titles.sort((a, b) => a.localeCompare(b, 'zh-Hant'))
  }
  expect(plans).toEqual(['free', 'pro', 'max'].map(plan => [plan, expected(plan)]))
  expect(root.textContent).toContain('本服務未開放線上付款')
})

it('the status page and the Atom feed show the publications of every dataset', async () => {
  const { data } = (await s.get('/v2/updates?published_since=2000-01-01')).json() as { data: { slug: string; data_as_of: string }[] }
  const [status, feed] = [await s.get('/status'), await s.get('/updates.atom')]
  const rows = parse(status.body).querySelectorAll('tbody tr')
  expect(new Set(rows.map(row => row.querySelector('a')!.getAttribute('href')))).toEqual(
    new Set(data.map(({ slug }) => `/datasets/${slug}`)),
  )
  expect(rows.every(row => row.querySelector('svg rect') !== null)).toBe(true)
  expect(feed.headers['content-type']).toContain('xml')
  const entries = parse(feed.body).querySelectorAll('entry')
  expect(entries).toHaveLength(Math.min(data.length, 50))
  expect(entries[0]!.textContent).toContain(`Data to ${data[0]!.data_as_of}`)
})

it('the title of a company page has the name of the company in the language of the page', async () => {
  const titleOf = async (path: string) => parse((await s.get(path)).body).querySelector('title')!.textContent
  await s.get('/v2/search?q=2330', s.keyOn('free'))
  expect(await titleOf('/company/2330')).toMatch(/^2330 TSMC:/)
  expect(await titleOf('/zh/company/2330')).toMatch(/^2330 台積電：/)
})

/** Badges of the serving status. */
const STATUS = {
  building: ['Building', '建置中'],
  verified: ['Verified', '已驗證'],
  reference: ['Reference', '參考'],
  preview: ['Preview', '預覽'],
} as const

it('the catalog shows name, status, freshness, coverage and price of every dataset, and the home page links to it', async () => {
  const { body, headers } = await s.get('/datasets')
  const home = (await s.get('/')).body
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  const { data } = (await s.get('/v2/datasets')).json()
  for (const { slug, title, status, row_count, last_date, credits_per_call, data_as_of } of data) {
    const card = body.split('<article').find(part => part.includes(`>${title}<`))!
    expect(home).toContain(`<a href="/datasets/${slug}">${title}</a>`)
    for (const text of [
      `<span class="badge" data-status="${status}">${STATUS[status as keyof typeof STATUS][0]}</span>`,
      row_count === 1 ? '1 row' : `${row_count} rows`,
      // A date in this element does not wrap.
      last_date === null ? '' : `<time>${last_date}</time>`,
      `${credits_per_call} credit`,
      data_as_of === null ? '' : `<time>${data_as_of}</time>`,
    ])
      expect(card).toContain(text)
  }
  expect(body).not.toContain('Sample data.')
})

it('a Chinese dataset page names the columns that identify a row in Chinese', async () => {
  const { body } = await s.get('/zh/datasets/daily-prices')
  const links = parse(body).querySelectorAll('dl a[href^="#column-"]')
  expect(links.map(link => link.textContent)).toEqual(['證券代號', '交易日'])
})

it('the page and the reference page of a dataset have a badge with the status of the dataset in the catalog', async () => {
  const empty = await service({ examples: false })
  for (const at of [s, empty]) {
    const { data } = (await at.get('/v2/datasets')).json() as {
      data: { slug: string; status: keyof typeof STATUS; links: { read: string } }[]
    }
    for (const { slug, status, links } of data) {
      const { path, operation } = operationsOf(api).find(each => each.path === links.read)!
      for (const address of [`/datasets/${slug}`, referencePath(operation)])
        for (const [index, language] of ['', '/zh'].entries()) {
          const badges = parse((await at.get(`${language}${address}`)).body).querySelectorAll('#page .badge[data-status]')
          expect
            .soft(
              badges.map(badge => badge.textContent),
              `${language}${address} ${path}`,
            )
            .toEqual([STATUS[status][index]])
        }
    }
  }
  await empty.publish('bond-yield-curve', empty.dataset('bond-yield-curve').example)
  const { operation } = operationsOf(api).find(({ path }) => path === '/v2/datasets/bond-yield-curve')!
  for (const address of ['/datasets/bond-yield-curve', referencePath(operation)])
    expect.soft(parse((await empty.get(address)).body).querySelector('#page .badge[data-status]')?.textContent, address).toBe('Verified')
  await empty.close()
  expect(parse((await s.get('/docs/reading')).body).querySelector('.badge[data-status]')).toBeNull()
})

it.each(['call 555 now', '"><script>alert(1)</script>', '2330\r\nx: y', '\u202e2330', '\0', '../../account', '2'.repeat(9)])(
  'the company page of the unknown symbol %j answers 404 and does not repeat it',
  async symbol => {
    for (const language of ['', '/zh']) {
      const { statusCode, body } = await s.get(`${language}/company/${encodeURIComponent(symbol)}`)
      const title = parse(body).querySelector('title')!.textContent
      expect([statusCode, title]).toEqual([404, language ? '查無此證券代號 · twmd' : 'Unknown symbol · twmd'])
      expect(body).toContain('noindex')
      expect((await s.get(`${language}/company/00632R`)).body).toContain('<title>00632R')
    }
  },
)

/** The page in a browser without scripts. */
const withoutScript = (body: string) => parse(body, { blockTextElements: { script: true } })

it('the company page exists for symbols with rows, lists their datasets without scripts, and names datasets without rows for its script', async () => {
  const [existing, unknown] = [await s.get('/company/2330'), await s.get('/zh/company/9999')]
  expect([existing.statusCode, unknown.statusCode]).toEqual([200, 404])
  expect(unknown.body).toContain('noindex')
  const { data } = (await s.get('/v2/coverage?symbol=2330')).json() as {
    data: { slug: string; covered: boolean; last_date: string | null }[]
  }
  const rows = withoutScript(existing.body).querySelectorAll('noscript .held tbody tr')
  const coveredDatasets = data.filter(({ covered }) => covered)
  expect(rows.map(row => row.querySelector('code')!.textContent)).toEqual(coveredDatasets.map(({ slug }) => `/v2/datasets/${slug}`))
  expect(rows.map(row => row.querySelectorAll('td')[2]!.textContent)).toEqual(coveredDatasets.map(({ last_date: last }) => last ?? '–'))
  const facts = parse(existing.body).querySelector('meta[name=security]')!
  const withoutRows = data.filter(({ covered }) => covered === false).map(({ slug }) => slug)
  expect(facts.getAttribute('data-empty')).toBe(withoutRows.join(' '))
  const empty = await service({ examples: false })
  expect((await empty.get('/company/9999')).statusCode).toBe(200)
  await empty.close()
})

it('market and explorer pages list their datasets without scripts', async () => {
  const textOf = async (path: string) =>
    withoutScript((await s.get(path)).body)
      .querySelectorAll('noscript .held code')
      .map(one => one.textContent.replace('/v2/datasets/', ''))
  expect(await textOf('/market/heat-map')).toEqual(expect.arrayContaining(['daily-prices', 'securities']))
  expect(await textOf('/zh/market/yield-curve')).toEqual(['bond-yield-curve'])
  expect(await textOf('/explore/earnings')).toEqual(['earnings'])
  expect(await textOf('/account')).toEqual([])
})

it('the home page marks datasets that contain only sample rows', async () => {
  const demo = await service({ examples: false })
  const themes = demo.dataset('theme-taxonomy')
  await demo.publish('theme-taxonomy', themes.example, { synthetic: true })
  expect((await demo.get('/')).body).toContain('Sample data.')
  await demo.close()
})

it('/docs explains every error code at the anchor of its docs_url', async () => {
  const { body } = await s.get('/docs')
  expect(REFUSAL_CODES.filter(code => !body.includes(`id="error-${code}"`))).toEqual([])
  const refused = (await s.get('/v2/datasets/theme-taxonomy')).json()
  expect(refused.error.docs_url).toBe('/docs#error-missing_api_key')
})

/** Operations for callers, without those of the operator. */
const LISTED = operationsOf(api).filter(({ operation }) => operation.tags[0] !== 'administration')

it('llms.txt and llms-full.txt start with a request that is answered, and state the default limit', async () => {
  for (const path of ['/llms.txt', '/llms-full.txt']) {
    const text = (await s.get(path)).body
    const [, url = ''] = /curl -H "X-API-Key: \$KEY" "http:\/\/127\.0\.0\.1(.+?)"/.exec(text) ?? []
    expect
      .soft(text.indexOf('curl'), path)
      .toBeLessThan(text.indexOf('## datasets') === -1 ? text.indexOf('## Operations') : text.indexOf('## datasets'))
    expect.soft((await s.get(url, s.keyOn('max'))).statusCode, `${path}: ${url}`).toBe(200)
    for (const fact of ['newest 50 rows', 'X-Row-Limit', 'X-Empty-Reason']) expect.soft(text, path).toContain(fact)
  }
})

it('llms.txt lists exactly the operations and parameters of the OpenAPI document, without administration', async () => {
  const text = (await s.get('/llms.txt')).body
  expect(text).toMatch(/^# .+\n\n> .+\n/)
  const lines = new Map(
    [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): ((?:GET|POST|DELETE) \S+?)(;.*)?$/gm)].map(([, url, name, rest = '']) => [
      name!,
      { url: url!, rest },
    ]),
  )
  expect([...lines.keys()].sort()).toEqual(LISTED.map(({ name }) => name).sort())
  for (const { name, operation } of LISTED) {
    const { url, rest } = lines.get(name)!
    expect(url).toBe(`http://127.0.0.1${referencePath(operation)}`)
    for (const parameter of operation.parameters ?? []) expect(rest).toContain(parameter.name)
  }
})
it('llms-full.txt contains every column of every dataset with its Chinese label and its description', async () => {
  const text = (await s.get('/llms-full.txt')).body
  for (const { access, columns, slug } of s.catalog.values()) {
    if (!access) continue
    for (const [name, { zh, doc }] of Object.entries(columns))
      expect([slug, name, text.includes(`${zh}: ${doc}`)]).toEqual([slug, name, true])
  }
})

describe('amounts of money', () => {
  const MINOR = /integer minor units \(99000 is TWD 990\.00\)/i
  /** Every property with that name in a schema, with its description. */
  const named = (schema: unknown, name: string): readonly { type?: unknown; description?: string }[] =>
    typeof schema !== 'object' || schema === null
      ? []
      : Object.entries(schema).flatMap(([key, value]) => [
          ...(key === 'properties' && Object.hasOwn(value, name) ? [value[name]] : []),
          ...named(value, name),
        ])

  it('every billing amount is documented in integer minor units, in OpenAPI and in the texts for agents', async () => {
    const { schemas } = api.components
    for (const name of ['amount', 'base_amount', 'subtotal']) {
      const found = named(schemas, name).filter(({ type }) => type === 'integer')
      expect(found.length, name).toBeGreaterThan(0)
      for (const { description } of found) expect([name, description]).toEqual([name, expect.stringMatching(MINOR)])
    }
    const billing = operationsOf(api).filter(({ path }) => /billing-preview|product\/tiers/.test(path))
    expect(billing.map(({ operation }) => MINOR.test(operation.description))).toEqual([true, true])
    for (const path of ['/llms.txt', '/llms-full.txt']) expect((await s.get(path)).body).toMatch(MINOR)
  })

  it('every dataset column in TWD states its unit in the OpenAPI document', () => {
    const inUnits = [...s.catalog.values()]
      .filter(({ access }) => access)
      .flatMap(({ columns }) =>
        Object.entries(columns).flatMap(([name, { unit }]) => (unit?.startsWith('TWD') ? [[name, unit] as const] : [])),
      )
    expect(inUnits.length).toBeGreaterThan(10)
    for (const [name, unit] of inUnits)
      expect(named(api, name).map(({ description }) => description)).toContainEqual(expect.stringContaining(`Unit: ${unit}.`))
  })
})

it('/openapi.json answers 304 to its ETag', async () => {
  const { etag } = (await s.get('/openapi.json')).headers
  expect((await s.get('/openapi.json', undefined, { 'if-none-match': String(etag) })).statusCode).toBe(304)
})

it.each(['/', '/explore/daily-prices', '/zh/company/2330', '/account', '/operator', '/docs', '/datasets/daily-prices', '/status'])(
  'no other site can show the page %s in a frame',
  async path => {
    const { statusCode, headers } = await s.get(path)
    expect(statusCode).toBe(200)
    expect(headers['content-security-policy']).toMatch(/; frame-ancestors 'none'$/)
    expect(headers['x-frame-options']).toBe('DENY')
  },
)

const request = (url: string, accept: string) => s.get(url, undefined, { accept })
it.each([
  ['/nope', 'en', 'Page not found'],
  ['/zh/market', 'zh-Hant', '找不到此頁面'],
  ['/company', 'en', 'Screener'],
])('the service answers a browser at the unknown path %s with a 404 page in language %s that shows %s', async (url, language, text) => {
  const { statusCode, headers, body } = await request(url, 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')
  expect([statusCode, headers['content-type'], headers['vary']]).toEqual([404, 'text/html; charset=utf-8', 'Accept'])
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'/)
  expect(body).toContain(`<html lang="${language}">`)
  expect(body).toContain(text)
})
it.each([
  ['/nope', 'application/json'],
  ['/nope', '*/*'],
  ['/v2/nope', 'text/html'],
  ['/assets/nope.js', 'text/html'],
  ['/nope.json', 'text/html'],
])('the service answers the unknown path %s with a JSON 404 to Accept: %s', async (url, accept) => {
  const { statusCode, headers } = await request(url, accept)
  expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
})
