import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { parse } from 'node-html-parser'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { REFUSAL_CODES, Refusal } from '../../src/core/index.ts'
import type { OpenApi } from '../../src/http/openapi/index.ts'
import { referencePath } from '../../src/http/openapi/index.ts'
import { CHAPTERS } from '../../src/site/docs/chapters.ts'
import { renderMarkdown } from '../../src/site/docs/markdown.ts'
import { anchorsOf, blocksOf, DEMO_KEY, textOf as sourceOf } from '../behaviour/documents/documents.ts'
import { operationsOf } from '../http/openapi/openapi.ts'
import { service, type TestService } from '../support.ts'

/** All documentation pages are checked in `docs.full.test.ts`. */
let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
})
afterAll(() => s.close())

const page = async (address: string) => {
  const { statusCode, body } = await s.get(address)
  expect(statusCode, address).toBe(200)
  return parse(body, { blockTextElements: { script: true, style: true } })
}
const textOf = (root: ReturnType<typeof parse>, selector = '#page'): string =>
  root.querySelector(selector)?.textContent.replace(/\s+/g, ' ').trim() ?? ''

it('a guide page shows the headings and code of its document, with links to the next page and the other language', async () => {
  const root = await page('/docs/reading')
  const ids = new Set(root.querySelectorAll('.docs-body [id]').map(({ id }) => id))
  expect(
    anchorsOf('docs/reading.md')
      .slice(1)
      .filter(anchor => !ids.has(anchor) && !ids.has(`${anchor}-1`)),
  ).toEqual([])
  expect(root.querySelectorAll('.docs-body pre').map(pre => pre.textContent.trim())).toEqual(
    blocksOf('docs/reading.md').map(({ text }) =>
      text.replaceAll('http://127.0.0.1:8080', 'http://127.0.0.1').replaceAll(DEMO_KEY, 'sk_live_YOUR_KEY').trim(),
    ),
  )
  expect(root.querySelector('link[rel=next]')?.getAttribute('href')).toMatch(/^\/docs\//)
  expect(root.querySelector('link[hreflang=zh-Hant]')?.getAttribute('href')).toBe('http://127.0.0.1/zh/docs/reading')
  expect(textOf(await page('/zh/docs/glossary'))).toContain('本頁內文為英文。')
})

const TRANSLATED = globSync('src/site/docs/zh/*.md').map(file => basename(file, '.md'))
const englishOf = (slug: string): string => CHAPTERS.flatMap(({ guides }) => guides).find(guide => guide.slug === slug)!.file

it.each(TRANSLATED)('the guide %s is in Chinese, and its commands are those of the English guide', async slug => {
  const root = await page(`/zh/docs/${slug}`)
  const text = textOf(root, '.docs-body')
  expect(text).not.toContain('本頁內文為英文。')
  expect([...text].filter(character => /\p{Script=Han}/u.test(character)).length).toBeGreaterThan(200)
  const english = blocksOf(englishOf(slug)).map(({ text }) => text)
  const chinese = blocksOf(`src/site/docs/zh/${slug}.md`).filter(({ language }) => language !== 'text')
  for (const block of chinese)
    expect
      .soft(
        english.some(other => other.includes(block.text.trim())),
        block.text,
      )
      .toBe(true)
  for (const link of root.querySelectorAll('.docs-body a').map(one => one.getAttribute('href')!))
    if (link.startsWith('/zh/')) expect.soft((await s.get(link.split('#')[0]!)).statusCode, link).toBe(200)
})

/** Cells of the generated tables of a guide, without the headings, by the name of the table. */
const generatedTables = (file: string): ReadonlyMap<string, readonly (readonly string[])[]> =>
  new Map(
    [...sourceOf(file).matchAll(/<!-- ([\w-]+) -->\n([\s\S]*?)<!-- \/\1 -->/g)].map(([, name, table]) => [
      name!,
      table!
        .trim()
        .split('\n')
        .slice(2)
        .map(line => line.split(' | ')),
    ]),
  )
const FACT = /^\d+|\d{4}-\d\d-\d\d|(?<=last |近 )\d+|[a-z]+(?:\.[a-z]+)+/g
const isChinese = (text: string): boolean => /\p{Script=Han}/u.test(text)

it.each(TRANSLATED)('the generated tables of the Chinese guide %s have the rows, dates, numbers and hosts of the English guide', slug => {
  const english = generatedTables(englishOf(slug))
  for (const [name, rows] of generatedTables(`src/site/docs/zh/${slug}.md`)) {
    expect(rows.length, name).toBe(english.get(name)?.length)
    for (const [row, cells] of rows.entries())
      for (const [column, text] of cells.entries()) {
        const other = english.get(name)![row]![column]!
        expect.soft(isChinese(text) ? text.match(FACT) : text).toEqual(isChinese(text) ? other.match(FACT) : other)
      }
  }
})

it('a guide page shows highlighted code, and a command next to its response, without scripts', async () => {
  const guide = await page('/docs/reading')
  const [command, response] = guide.querySelectorAll('.side-by-side > div')
  expect(command?.querySelector('.hljs-string')?.textContent).toBe('"X-API-Key: $KEY"')
  expect(response?.querySelectorAll('.hljs-attr').map(one => one.textContent)).toContain('"row_count"')
  expect((await page('/docs/examples/python/with_pandas.py')).querySelectorAll('.hljs-keyword').length).toBeGreaterThan(0)
  const operation = await page('/docs/reference/datasets/get-v2-datasets-institutional-positioning')
  const [samples, example] = operation.querySelectorAll('#page .side-by-side > div')
  expect(samples?.querySelectorAll('[data-sample]').length).toBe(6)
  expect(JSON.parse(example!.querySelector('pre')!.textContent)).toMatchObject({ dataset_id: 'institutional-positioning' })
  expect(operation.querySelectorAll('pre').filter(one => one.textContent === example!.querySelector('pre')!.textContent)).toHaveLength(1)
})

it('guides for customers name no file of the demo and are listed apart from guides for operators', async () => {
  const root = await page('/docs')
  const guidesOf = (id: string) =>
    root.querySelectorAll(`section[aria-labelledby=${id}] .docs-list a`).map(link => link.getAttribute('href')!)
  const [customers, operators] = [guidesOf('guides'), guidesOf('operators')]
  expect(customers).toContain('/docs/reading')
  expect(operators).toEqual(expect.arrayContaining(['/docs/quickstart', '/docs/loading-data', '/docs/operating', '/docs/architecture']))
  expect(customers.filter(link => operators.includes(link))).toEqual([])
  for (const address of customers)
    expect.soft(textOf(await page(address), '.docs-body'), address).not.toContain("require('./data/demo.json')")
  expect(textOf(await page('/docs/quickstart'), '.docs-body')).toContain("require('./data/demo.json')")
  expect(root.querySelectorAll('.docs-shelf h2').map(one => one.textContent)).toEqual(['Use the data', 'Run the service'])
})

it('a reference page shows the summary, the parameters and the price of its operation', async () => {
  const api = (await s.get('/openapi.json')).json() as OpenApi
  const { operation, method, path } = operationsOf(api).find(one => one.path === '/v2/search')!
  const text = textOf(await page(referencePath(operation)))
  for (const part of [`${method} ${path}`, operation.summary, `costs ${operation['x-credits']} credit`]) expect.soft(text).toContain(part)
  for (const { name, description } of operation.parameters ?? [])
    for (const part of [name, description.replace(/\s+/g, ' ').trim()]) expect.soft(text, name).toContain(part)
})

it('the English reference of a dataset omits the Chinese names of its columns', async () => {
  const address = '/docs/reference/datasets/get-v2-datasets-institutional-positioning'
  const meanings = async (path: string) => (await page(path)).querySelectorAll('td.meaning').map(cell => cell.textContent)
  const english = await meanings(address)
  expect(english).toContain('Trading day, in Taipei time.')
  expect(english.filter(text => /\p{Script=Han}/u.test(text))).toEqual([])
  expect(await meanings(`/zh${address}`)).toContain('交易日（臺北時間）。')
})

it('the reference of a dataset explains its known gaps in the language of the page, with their labels', async () => {
  const address = '/docs/reference/datasets/get-v2-datasets-institutional-positioning'
  const { knownGaps, descriptionZh } = (await loadCatalog()).get('institutional-positioning')!
  expect(Object.keys(knownGaps).length).toBeGreaterThan(0)
  for (const [prefix, language] of [
    ['', 'en'],
    ['/zh', 'zh'],
  ] as const) {
    const root = await page(`${prefix}${address}`)
    const gaps = root.querySelectorAll('.docs-gaps li').map(({ textContent }) => textContent.trim())
    expect(gaps).toEqual(Object.entries(knownGaps).map(([label, text]) => `${text[language]} ${label}`))
  }
  expect(textOf(await page(`/zh${address}`), '.docs-body')).toContain(descriptionZh)
  expect(textOf(await page(`/zh${address}-cross-section`), '.docs-body')).toContain(`單日所有 ticker 的資料列。${descriptionZh}`)
})

it('every sample of a read sends a limit and states the default', async () => {
  const api = (await s.get('/openapi.json')).json() as OpenApi
  const { operation } = operationsOf(api).find(one => one.path === '/v2/datasets/daily-prices')!
  const samples = (await page(referencePath(operation))).querySelectorAll('[data-sample] pre').map(sample => sample.textContent.trim())
  expect(samples.length).toBe(6)
  const inChinese = (await page(`/zh${referencePath(operation)}`)).querySelectorAll('[data-sample] pre')
  for (const sample of inChinese) expect.soft(sample.textContent.trim()).toMatch(/^(#|\/\/|--) 未指定 limit 時，每次讀取傳回 50 列。\n/)
  for (const sample of samples) {
    expect.soft(sample).toMatch(/^(#|\/\/|--) Without limit a read returns 50 rows\.\n/)
    expect.soft(sample).toMatch(/limit(=|" = ")50/)
  }
})

it('/docs/refusals explains every error code in both languages', async () => {
  const root = await page('/docs/refusals')
  for (const code of REFUSAL_CODES) {
    const { status, general } = new Refusal(code)
    for (const part of [`${code} ${status}`, general.en, general.zh]) expect.soft(textOf(root, `#${code}`), code).toContain(part)
  }
})

it('an unknown documentation page answers 404 in the language of its URL', async () => {
  for (const address of ['/docs/nothing', '/docs/reference/nothing', '/docs/reference/datasets/get-nothing', '/docs/adr/0001']) {
    const [en, zh] = [await s.get(address), await s.get(`/zh${address}`)]
    expect([en.statusCode, zh.statusCode]).toEqual([404, 404])
    expect([textOf(parse(en.body), 'h1'), textOf(parse(zh.body), 'h1')]).toEqual(['Page not found', '找不到此頁面'])
  }
})

it('robots.txt names the sitemap and excludes the API, the account and the operator pages, but no documentation', async () => {
  const { body, headers } = await s.get('/robots.txt')
  expect(headers['content-type']).toMatch(/^text\/plain/)
  expect(body).toContain('Sitemap: http://127.0.0.1/sitemap.xml\n')
  const barred = [...body.matchAll(/^Disallow: (.+)$/gm)].map(([, path]) => path!)
  expect(barred).toEqual(expect.arrayContaining(['/account', '/zh/account', '/operator', '/v2/', '/v1/']))
  expect(
    ['/docs', '/zh/docs', '/docs/reading', '/docs/reference'].filter(address => barred.some(path => address.startsWith(path))),
  ).toEqual([])
})

it('renderMarkdown escapes HTML and numbers repeated heading ids', () => {
  const text =
    '# T\n\n## Search\n\n## A `b`\n\n## A b\n\n<script>alert(1)</script>\n\nx <b onclick="y">z</b> <!-- note -->\n\n| a |\n|---|\n| 1 < 2 |'
  const { title, body, headings } = renderMarkdown(
    text,
    () => null,
    () => null,
    { code: 'Code', table: 'Table' },
  )
  expect([title, headings.map(({ id }) => id)]).toEqual(['T', ['search-1', 'a-b', 'a-b-1']])
  expect(body.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(body.html).toContain('1 &lt; 2')
  expect(body.html).not.toMatch(/<script|<b|note/)
})
