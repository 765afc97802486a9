import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathOf, served } from '../../../catalog/index.ts'
import { NOW, service, type TestService } from '../../support.ts'
import { balanced, holder, usageOf } from '../../usage/ledger.ts'

let s: TestService
beforeAll(async () => {
  s = await service()
})
afterAll(() => s.close())

/** A read of each dataset with data, and its price. */
const reads = () =>
  served(s.catalog).map(dataset => {
    const required = Object.entries(dataset.filters).find(([, filter]) => filter.required)
    const [name, example] = required ? [required[0], String(required[1].example)] : []
    return { slug: dataset.slug, url: `${pathOf(dataset)}${name ? `?${name}=${example}` : ''}`, credits: dataset.access!.credits }
  })

describe('repeated reads', () => {
  it('M4: the service charges every repeated read, and nothing for a 304', async () => {
    for (const { slug, url, credits } of reads()) {
      const account = holder(s, 'max', `${slug}@example.test`, NOW)
      const answers = [await s.get(url, account.key), await s.get(url, account.key)]
      const charged = (answer: (typeof answers)[number]) => [answer.statusCode, answer.headers['x-credits-charged']]
      expect(answers.map(charged), url).toEqual([
        [200, String(credits)],
        [200, String(credits)],
      ])
      const etag = String(answers[0]!.headers['etag'])
      const unchanged = await s.get(url, account.key, { 'if-none-match': etag })
      expect([...charged(unchanged), unchanged.body, unchanged.headers['x-credits-remaining']], url).toEqual([
        304,
        '0',
        '',
        answers[1]!.headers['x-credits-remaining'],
      ])
      expect(charged(await s.get(url, account.key, { 'if-none-match': '"another"' })), url).toEqual([200, String(credits)])
      expect(balanced(s.dir, account.accountId), url).toEqual({ requests: 3, credits: 3 * credits })
      expect(usageOf(s.dir, account.accountId).errors).toBe(0)
    }
  })

  it('M4: the service charges nothing for an unclassified index, for account endpoints or for HEAD', async () => {
    const account = holder(s, 'max', 'nothing@example.test', NOW)
    for (const url of [
      '/v2/datasets/index-classification?index_code=IX9999',
      '/v2/account/entitlements',
      '/v2/account/usage-summary',
      '/v2/account/billing-preview',
    ])
      expect((await s.get(url, account.key)).headers, url).toMatchObject({ 'x-credits-charged': '0', 'x-credits-remaining': '1000000' })
    expect((await s.app.inject({ method: 'HEAD', url: reads()[0]!.url, headers: { 'x-api-key': account.key } })).statusCode).toBe(200)
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
  })
})
