import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type HTMLElement, parse, valid } from 'node-html-parser'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { buildPortal } from '../../portal/index.ts'
import { REFUSAL_CODES, Refusal } from '../../src/core/index.ts'
import type { OpenApi } from '../../src/http/openapi/index.ts'
import { anchorsOf, blocksOf, DEMO_KEY, inlineCodeOf } from '../behaviour/documents/documents.ts'
import { cell } from '../http/cells.ts'
import { operationsOf } from '../http/openapi/openapi.ts'
import { service, type TestService } from '../support.ts'

/** A page as a browser without scripts receives it. */
interface Read {
  readonly status: number
  readonly body: string
  readonly root: HTMLElement
}

let s: TestService
let api: OpenApi
const pages = new Map<string, Read>()
/** Linked URLs, each with a page that links to it. */
const links = new Map<string, string>()

const withoutAnchor = (address: string): string => address.split('#')[0]!
const isOfDocs = (address: string): boolean => /^\/(zh\/)?docs(\/|$)/.test(address)
const isChinese = (address: string): boolean => address.startsWith('/zh/')
const all = (root: HTMLElement, selector: string): readonly HTMLElement[] => root.querySelectorAll(selector)
const textOf = (root: HTMLElement, selector = '#page'): string =>
  root.querySelector(selector)?.textContent.replace(/\s+/g, ' ').trim() ?? ''
const attribute = (root: HTMLElement, selector: string, name: string): string | undefined =>
  root.querySelector(selector)?.getAttribute(name)

/** Pages whose value differs from the expected one, with that value. */
const failing = (found: (page: Read, address: string) => unknown, expected: unknown): readonly unknown[] =>
  [...pages].flatMap(([address, page]) => {
    const value = found(page, address)
    return JSON.stringify(value) === JSON.stringify(expected) ? [] : [[address, value]]
  })

/** Follows every link from the first page of each language, like a search engine. */
beforeAll(async () => {
  await buildPortal()
  s = await service()
  api = (await s.get('/openapi.json')).json()
  const waiting = ['/docs', '/zh/docs']
  for (const address of waiting) {
    if (pages.has(address)) continue
    const { statusCode: status, body } = await s.get(address)
    const root = parse(body, { blockTextElements: { script: true, style: true } })
    pages.set(address, { status, body, root })
    for (const link of all(root, 'a[href]')) {
      const href = link.getAttribute('href')!
      const target = href.startsWith('#') ? `${address}${href}` : href
      if (!target.startsWith('/')) continue
      links.set(target, address)
      if (isOfDocs(target)) waiting.push(withoutAnchor(target))
    }
  }
})
afterAll(() => s.close())

it('every linked documentation page answers 200 in English and Chinese', () => {
  expect(pages.size).toBeGreaterThan(400)
  expect(failing(({ status }) => status, 200)).toEqual([])
  const [zh, en] = [true, false].map(chinese => [...pages.keys()].filter(address => isChinese(address) === chinese))
  expect(zh!.map(address => address.slice('/zh'.length)).sort()).toEqual(en!.toSorted())
})

it('no documentation page has a broken link or anchor', async () => {
  const broken: unknown[] = []
  const others = new Map<string, number>()
  for (const [target, from] of links) {
    const [address, anchor] = target.split('#') as [string, string?]
    const page = pages.get(address)
    if (page && anchor !== undefined && !all(page.root, '[id]').some(({ id }) => id === anchor)) broken.push([target, from])
    if (page) continue
    if (!others.has(address)) others.set(address, (await s.get(address)).statusCode)
    if (others.get(address) !== 200) broken.push([target, from, others.get(address)])
  }
  expect(others.size).toBeGreaterThan(5)
  expect(broken).toEqual([])
})

it('sitemap.xml lists exactly the documentation and portal pages, with both languages', async () => {
  const { headers, body } = await s.get('/sitemap.xml')
  expect(headers['content-type']).toContain('xml')
  expect(body).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<urlset /)
  const urls = [...body.matchAll(/<loc>http:\/\/127\.0\.0\.1([^<]*)<\/loc>/g)].map(([, path]) => path || '/')
  expect(urls.length).toBe(new Set(urls).size)
  expect(urls.filter(isOfDocs).sort()).toEqual([...pages.keys()].sort())
  for (const address of ['/', '/zh', '/datasets', '/datasets/earnings', '/zh/explore/daily-prices', '/market/yield-curve'])
    expect(urls).toContain(address)
  for (const address of urls.filter(address => !isOfDocs(address!))) {
    const { statusCode, body } = await s.get(address!)
    expect([address, statusCode, body.includes('content="noindex"')]).toEqual([address, 200, false])
  }
  const alternates = [...body.matchAll(/hreflang="([^"]+)" href="http:\/\/127\.0\.0\.1([^"]*)"/g)]
  expect(new Set(alternates.map(([, language]) => language))).toEqual(new Set(['en', 'zh-Hant']))
  expect(new Set(alternates.map(([, , path]) => path || '/'))).toEqual(new Set(urls))
})

it('every documentation page has a language, title, description, canonical address, alternate language and preview', () => {
  const origin = 'http://127.0.0.1'
  const found = ({ root }: Read, address: string) => {
    const en = isChinese(address) ? address.slice('/zh'.length) : address
    const about = [attribute(root, 'title', 'x') ?? textOf(root, 'title'), attribute(root, 'meta[name=description]', 'content')]
    return [
      attribute(root, 'html', 'lang') === (isChinese(address) ? 'zh-Hant' : 'en'),
      about.every(text => (text?.length ?? 0) > 5),
      attribute(root, 'meta[property="og:title"]', 'content') === about[0],
      attribute(root, 'meta[property="og:description"]', 'content') === about[1],
      attribute(root, 'link[rel=canonical]', 'href') === `${origin}${address}`,
      attribute(root, 'link[hreflang=en]', 'href') === `${origin}${en}`,
      attribute(root, 'link[hreflang=zh-Hant]', 'href') === `${origin}/zh${en}`,
    ]
  }
  expect(failing(found, Array(7).fill(true))).toEqual([])
  const titles = [...pages].filter(([address]) => !isChinese(address)).map(([, { root }]) => textOf(root, 'title'))
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([])
})

it('every documentation page is well-formed HTML with unique ids', () => {
  expect(failing(({ body }) => valid(body), true)).toEqual([])
  expect(
    failing(({ root }) => {
      const ids = all(root, '[id]').map(({ id }) => id)
      return ids.filter((id, at) => ids.indexOf(id) !== at)
    }, []),
  ).toEqual([])
})

it('every documentation page has one h1 and skips no heading level', () => {
  const levels = ({ root }: Read) => all(root, 'h1, h2, h3, h4, h5, h6').map(({ tagName }) => Number(tagName.slice(1)))
  expect(failing(page => levels(page).filter(level => level === 1).length, 1)).toEqual([])
  expect(failing(page => levels(page).filter((level, at, before) => at > 0 && level > before[at - 1]! + 1), [])).toEqual([])
})

it('tables have header cells, and scrollable blocks are focusable and labelled', () => {
  expect(failing(({ root }) => all(root, 'table').filter(table => all(table, 'thead th[scope=col]').length === 0).length, 0)).toEqual([])
  expect(failing(({ root }) => all(root, 'pre, .scroll').filter(one => one.getAttribute('tabindex') !== '0').length, 0)).toEqual([])
  expect(failing(({ root }) => all(root, 'pre, .scroll, nav').filter(one => !one.getAttribute('aria-label')).length, 0)).toEqual([])
  expect(failing(({ root }) => all(root, 'input, textarea').filter(one => !one.closest('label')).length, 0)).toEqual([])
})

it('documentation pages load no inline code and nothing from another host', async () => {
  expect((await s.get('/docs/reading')).headers['content-security-policy']).toMatch(/^default-src 'none'.*script-src 'self'/)
  const inline = /<script(?![^>]*\bsrc="\/)|<style|<[^>]+\s(on\w+|style)=|href="javascript:/
  expect(failing(({ body }) => inline.exec(body)?.[0] ?? null, null)).toEqual([])
  const loaded = ({ root }: Read) => all(root, '[src], link[rel=stylesheet], link[rel=modulepreload], link[rel=icon]')
  const foreign = (page: Read) =>
    loaded(page).flatMap(one => (/^\/(?!\/)/.test(one.getAttribute('src') ?? one.getAttribute('href')!) ? [] : [String(one)]))
  expect(failing(foreign, [])).toEqual([])
})

it('next and previous links visit every documentation page of a language once', () => {
  for (const first of ['/docs', '/zh/docs']) {
    const walked = [first]
    for (let next: string | undefined = first; next; ) {
      next = attribute(pages.get(next)!.root, 'link[rel=next]', 'href')
      if (next === undefined) continue
      expect(attribute(pages.get(next)!.root, 'a[rel=prev]', 'href')).toBe(walked.at(-1))
      walked.push(next)
    }
    expect(walked.toSorted()).toEqual([...pages.keys()].filter(address => isChinese(address) === isChinese(first)).sort())
  }
})

/** Documents shown as pages, by URL. */
const GUIDES: readonly (readonly [address: string, document: string])[] = [
  ...globSync(['docs/*.md', 'docs/adr/[0-9]*.md'], { exclude: ['docs/index.md'] }).map(file => [file.replace(/\.md$/, ''), file] as const),
  ['docs/adr', 'docs/adr/README.md'] as const,
  ['docs/deploy', 'docs/deploy/README.md'] as const,
  ['docs/examples', 'examples/README.md'] as const,
  ['docs/changes', 'CHANGELOG.md'] as const,
  ['docs/architecture', 'ARCHITECTURE.md'] as const,
  ['docs/benchmarks', 'bench/README.md'] as const,
  ['docs/typescript', 'clients/typescript/README.md'] as const,
].map(([address, document]) => [`/${address}`, document])

/** Linked files that are not shown as pages. */
const NOT_SHOWN =
  /(^|\/)(\.env\.example|Dockerfile|Caddyfile|compose\.yaml|twmd(-\w+)?\.(service|timer)|litestream\.yml|(alerts|alertmanager|prometheus)\.yml|grafana\/twmd\.json|test\/README\.md)(#.*)?$/

it('every guide page shows all headings, code and tables of its document', async () => {
  for (const [address, document] of GUIDES)
    await cell(document, () => {
      const { root } = pages.get(address)!
      const ids = new Set(all(root, '.docs-body [id]').map(({ id }) => id))
      expect(
        anchorsOf(document)
          .slice(1)
          .filter(anchor => !ids.has(anchor) && !ids.has(`${anchor}-1`)),
      ).toEqual([])
      const withPlaceholder = (text: string): string => text.trim().replaceAll(DEMO_KEY, 'sk_live_YOUR_KEY')
      expect(all(root, '.docs-body pre').map(pre => withPlaceholder(pre.textContent))).toEqual(
        blocksOf(document).map(({ text }) => withPlaceholder(text.replaceAll('http://127.0.0.1:8080', 'http://127.0.0.1'))),
      )
      const shown = textOf(root, '.docs-body').replace(/\s/g, '')
      expect(inlineCodeOf(document).filter(code => !shown.includes(code.replace(/\s|\\(?=\|)/g, '')))).toEqual([])
      const unserved = all(root, '.docs-body .unserved').map(one => one.getAttribute('title')!)
      expect(unserved.filter(file => !NOT_SHOWN.test(file))).toEqual([])
    })
})

it('guide pages under /zh are in Chinese, or have the English text and are marked as English', async () => {
  for (const [address, document] of GUIDES)
    await cell(document, () => {
      const [english, chinese] = [pages.get(address)!.root, pages.get(`/zh${address}`)!.root]
      if (existsSync(`src/site/docs/zh/${basename(address)}.md`)) {
        expect(textOf(chinese, '.docs-body')).toMatch(/\p{Script=Han}{8}/u)
        expect(textOf(chinese)).not.toContain('本頁內文為英文。')
        return
      }
      expect(textOf(chinese, '.docs-body')).toBe(textOf(english, '.docs-body'))
      expect(attribute(chinese, '.docs-body', 'lang')).toBe('en')
      expect(textOf(chinese)).toContain('本頁內文為英文。')
    })
})

it('the documentation index lists every document of docs/ in both languages', () => {
  const start = textOf(pages.get('/docs')!.root)
  // The index page is generated from docs/index.md's list of guides.
  for (const file of globSync('docs/*.md', { exclude: ['docs/index.md'] })) {
    const [, title] = /^# (.+)$/m.exec(readFileSync(file, 'utf8'))!
    expect([file, pages.has(`/${file.replace(/\.md$/, '')}`), start.includes(title!)]).toEqual([file, true, true])
  }
  const chinese = all(pages.get('/zh/docs')!.root, '.docs-list a[href^="/zh/docs/"]').filter(
    one => !one.getAttribute('href')!.includes('#'),
  )
  expect(chinese.map(one => one.textContent).filter(title => !/\p{Script=Han}/u.test(title))).toEqual([])
})

const pageOf = (id: string, language = '') => {
  const [address] = [...pages.keys()].filter(one => one.startsWith(`${language}/docs/reference/`) && one.endsWith(`/${id}`))
  return pages.get(address!)!.root
}
it('every operation has a reference page with its summary, parameters, price and plan, in both languages', () => {
  for (const { method, path, operation } of operationsOf(api)) {
    const [en, zh] = [textOf(pageOf(operation.operationId)), textOf(pageOf(operation.operationId, '/zh'))]
    const chinese = /^(.*?)。/.exec(operation.description)![1]!
    const says = [
      ...[`${method} ${path}`, operation.summary, ...(operation.parameters ?? []).flatMap(({ name, description }) => [name, description])],
      ...(operation['x-credits'] === undefined
        ? []
        : [`costs ${operation['x-credits']} credit`, `plan ${PLANS[operation['x-minimum-plan'] as keyof typeof PLANS].name}`]),
    ].map(text => text.replaceAll('`', '').replace(/\s+/g, ' ').trim())
    expect([operation.operationId, says.filter(text => !en.includes(text))]).toEqual([operation.operationId, []])
    expect([operation.operationId, zh.includes(chinese)]).toEqual([operation.operationId, true])
  }
})
it('the Chinese reference has a Chinese text for each English text, and no text that the document lacks', () => {
  const textsOf = (root: HTMLElement) =>
    all(root, '.docs-body td, .docs-body section > p, .docs-body > p, .docs-body section > div > p').map(one => {
      for (const code of all(one, 'code')) code.remove()
      return one.textContent.replace(/\s+/g, ' ').trim()
    })
  const english = (text: string): string | undefined => /[A-Za-z][\w'’-]*(?:[\s,.;:()]+[A-Za-z][\w'’-]*){3,}/.exec(text)?.[0]
  const reference = [...pages].filter(([address]) => /^\/zh\/docs\/(reference\/|refusals$)/.test(address))
  expect(reference.length).toBeGreaterThan(200)
  const found = reference.flatMap(([address, { body }]) => textsOf(parse(body)).flatMap(text => (english(text) ? [[address, text]] : [])))
  expect(found).toEqual([])
  for (const { operation } of operationsOf(api)) {
    const meanings = (language: string) => all(pageOf(operation.operationId, language), 'td.meaning').map(one => one.textContent.trim())
    const chinese = meanings('/zh')
    const same = meanings('').filter((text, at) => text !== '' && !/\p{Script=Han}/u.test(chinese[at] ?? ''))
    expect([operation.operationId, same]).toEqual([operation.operationId, []])
  }
  const translated = Object.keys(JSON.parse(readFileSync('src/site/docs/zh/reference.json', 'utf8')) as object)
  const document = JSON.stringify(api)
  expect(translated.filter(text => !document.includes(JSON.stringify(text).slice(1, -1)))).toEqual([])
})
it('/docs keeps the anchors of operations and error codes for old links', () => {
  const ids = new Set(all(pages.get('/docs')!.root, '[id]').map(({ id }) => id))
  expect(operationsOf(api).filter(({ operation }) => !ids.has(operation.operationId))).toEqual([])
  expect(REFUSAL_CODES.filter(code => !ids.has(`error-${code}`))).toEqual([])
})
it('/docs/refusals explains every error code in both languages, and /zh/docs/refusals in Chinese', () => {
  for (const language of ['', '/zh']) {
    const { root } = pages.get(`${language}/docs/refusals`)!
    for (const code of REFUSAL_CODES) {
      const shown = textOf(root, `#${code}`)
      const { status, general } = new Refusal(code)
      for (const text of [`${code} ${status}`, general.zh, ...(language === '' ? [general.en] : [])]) expect(shown).toContain(text)
    }
  }
})
