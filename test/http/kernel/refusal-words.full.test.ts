import { afterAll, expect, it } from 'vitest'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { shop } from '../../billing/shop.ts'
import { service } from '../../support.ts'
import { callableOf, IN_CHINESE, mistakes, wordingOf, wrongBodies } from './refusal-words.ts'

const TIMEOUT_MS = 600_000
const s = await service()
const api = (await s.get('/openapi.json')).json() as OpenApi
const wording = wordingOf(s, api, true)
afterAll(() => s.close())

it('messages about every invalid value of every parameter exist in English and Chinese', () => wording.parameters(), TIMEOUT_MS)

it('messages about every invalid body exist in English and Chinese', () => wording.bodies(), TIMEOUT_MS)

it(
  'messages about every invalid body of payment routes exist in English and Chinese',
  async () => {
    const counter = await shop()
    try {
      const found: string[] = []
      for (const path of ['/v2/billing/checkout-session', '/v2/self-serve/billing/portal-session'])
        for (const documented of callableOf(api).filter(one => one.path === path))
          for (const body of wrongBodies(documented)) {
            // A new account each time, so that no rate limit applies.
            const { token } = counter.member()
            const ask = async (more: Record<string, string>) =>
              (await counter.call('POST', path, { 'x-self-serve-token': token, ...more }, JSON.stringify(body))).json
            const [english, chinese] = [await ask({}), await ask(IN_CHINESE)]
            if (english.error && chinese.error) found.push(...mistakes(`${path} ${JSON.stringify(body).slice(0, 80)}`, [english, chinese]))
          }
      expect(found).toEqual([])
    } finally {
      await counter.close()
    }
  },
  TIMEOUT_MS,
)
