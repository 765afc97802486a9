import { zstdDecompressSync } from 'node:zlib'
import { parse } from 'node-html-parser'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildPortal } from '../../portal/index.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  await buildPortal()
  s = await service()
})
afterAll(() => s.close())

const PAGES = ['/', '/docs']

it.each(PAGES)('the page %s loads no inline code and nothing from another host', async path => {
  const { headers, body } = await s.get(path)
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'/)
  expect(headers['content-security-policy']).not.toContain('unsafe')
  expect(body).not.toMatch(/<script(?![^>]*\bsrc="\/)|<style|\son\w+=|\sstyle=|javascript:/)
  const loaded = parse(body).querySelectorAll('[src], link[rel=stylesheet], link[rel=modulepreload], link[rel=icon]')
  expect(loaded.length).toBeGreaterThan(3)
  expect(loaded.map(one => one.getAttribute('src') ?? one.getAttribute('href')!).filter(target => !/^\/(?!\/)/.test(target))).toEqual([])
})
it.each(PAGES)('the page %s has no broken link', async path => {
  const { body } = await s.get(path)
  const targets = new Set([...body.matchAll(/\shref="([^"]*)"/g)].map(([, target]) => target!))
  const anchors = new Set([...body.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => `#${id}`))
  expect([...targets].filter(target => target.startsWith('#') && !anchors.has(target))).toEqual([])
  for (const target of targets) {
    if (/^https?:/.test(target)) continue
    const [file, anchor] = target.split('#')
    if (!file) continue
    const there = await s.get(file)
    expect([target, there.statusCode, anchor === undefined || there.body.includes(`id="${anchor}"`)]).toEqual([target, 200, true])
  }
})

it('previews of pages have a picture of 1200 by 630 pixels', async () => {
  const meta = (name: string) => page.querySelector(`meta[property="og:${name}"]`)!.getAttribute('content')!
  const page = parse((await s.get('/company/2330')).body)
  const { pathname } = new URL(meta('image'))
  const { statusCode, headers, rawPayload } = await s.get(pathname)
  expect([statusCode, headers['content-type']]).toEqual([200, 'image/png'])
  // Width and height are in the first chunk of a PNG file.
  const size = [rawPayload.readUInt32BE(16), rawPayload.readUInt32BE(20)].map(String)
  expect(size).toEqual([meta('image:width'), meta('image:height')])
})

it('pages of unknown companies, datasets and documents load the script that searches for similar names', async () => {
  for (const path of ['/zh/company/9999', '/company/%21', '/datasets/nothing', '/explore/nothing', '/zh/docs/nothing'])
    expect.soft((await s.get(path)).body, path).toContain('pages-not-found-main')
})

it('the service compresses 404 pages completely', async () => {
  for (const path of ['/datasets/nothing', '/company/9997', '/company/%21', '/zh/docs/nothing']) {
    const [plain, sent] = [await s.get(path), await s.get(path, undefined, { 'accept-encoding': 'zstd' })]
    expect([plain.statusCode, sent.statusCode, sent.headers['content-encoding']]).toEqual([404, 404, 'zstd'])
    expect(zstdDecompressSync(sent.rawPayload).toString()).toBe(plain.body)
  }
})
