import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SAMPLES } from '../../../ingest/samples/index.ts'
import { REFUSAL_CODES, Refusal } from '../../../src/core/index.ts'
import { service, type TestService } from '../../support.ts'

/** Words that are not used in Taiwan, each with the word a Taiwanese analyst expects. */
const ODD: Readonly<Record<string, string>> = {
  新鮮度: '更新時效',
  模擬資料: '合成資料',
  測試資料: '合成資料',
  假資料: '合成資料',
  供應狀態: '提供狀態',
  參考文件: '參考頁面',
  代理程式: 'AI 代理',
  數據: '資料',
  信息: '資訊',
  用戶: '使用者',
  賬: '帳',
  服務器: '伺服器',
  接口: '介面',
  字段: '欄位',
  默認: '預設',
  訪問: '存取',
  返回: '回覆',
  令牌: '權杖',
  質量: '品質',
  激活: '啟用',
  支持: '支援',
}

const HAN = /\p{Script=Han}/u

let s: TestService
let texts: Readonly<Record<string, string>>
beforeAll(async () => {
  s = await service()
  await s.publish('market-indices', SAMPLES['market-indices']!('2026-06-30').slice(-3), { synthetic: true, accept: ['row_count_drift'] })
  const read = async (url: string) => (await s.get(url)).body
  const schemas = [...s.catalog.values()].filter(({ access }) => access).map(({ slug }) => `/v2/datasets/${slug}/schema`)
  const urls = ['/zh', '/zh/docs', '/zh/docs/refusals', '/openapi.json', '/llms-full.txt', '/v2/datasets', ...schemas]
  const answers = await Promise.all(urls.map(async url => [url, await read(url)] as const))
  const refusals = REFUSAL_CODES.map(code => [code, Object.values(new Refusal(code).words).join('\n')] as const)
  const translated = globSync('src/site/docs/zh/*').map(file => [file, readFileSync(file, 'utf8').replaceAll('用戶端', '')] as const)
  texts = Object.fromEntries([...answers, ...refusals, ...translated])
})
afterAll(() => s.close())

it('pages, documents, schemas and error messages use the Chinese vocabulary of Taiwan', () => {
  const found = Object.entries(texts).flatMap(([url, text]) =>
    Object.entries(ODD).flatMap(([odd, usual]) => (text.includes(odd) ? [`${url}: ${odd}, for ${usual}`] : [])),
  )
  expect(Object.entries(texts).filter(([, text]) => !HAN.test(text))).toEqual([])
  expect(Object.keys(texts).length).toBeGreaterThan(40)
  expect(found).toEqual([])
})

it('pages and documents share one Chinese name for documentation, freshness and AI agents', () => {
  for (const [url, word] of [
    ['/zh', '文件'],
    ['/zh', '更新時效'],
    ['/zh/docs', '更新時效'],
    ['/zh/docs', '供 AI 代理讀取的全文'],
    ['/openapi.json', '供 AI 代理讀取的全文'],
    ['/openapi.json', '文件：指南、API 參考與錯誤代碼'],
    ['/openapi.json', '提供狀態'],
    ['/v2/datasets/earnings/schema', '每股盈餘與預期差異率（%）'],
  ])
    expect(texts[url!], url).toContain(word)
})

it('pages and sample rows call synthetic data 合成資料', async () => {
  const fresh = await service({ examples: false })
  await fresh.publish('company-risk-events', SAMPLES['company-risk-events']!('2026-06-30'), { synthetic: true })
  expect((await fresh.get('/zh')).body).toContain('合成資料')
  const made = Object.values(SAMPLES).flatMap(rows => rows('2026-06-30').slice(-1))
  expect(JSON.stringify(made)).toContain('合成資料')
  expect(JSON.stringify(made)).not.toMatch(/模擬|測試資料|假資料/)
  await fresh.close()
})
