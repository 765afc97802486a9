import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SearchAnswer } from '../../src/http/routes/search/schemas.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
let key: string
beforeAll(async () => {
  s = await service()
  key = s.keyOn('max')
})
afterAll(() => s.close())

const ask = (query: string) => s.get(`/v2/search?${query}`, key)

it('Q4: any query of up to 200 characters gets a declared answer, and a longer query gets 422', async () => {
  const unit = fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.string({ unit: 'grapheme', maxLength: 200 }))
  const pieces = fc.constantFrom('2330', '台', '積電', ' ', '"', '*', '(', '\0', '\ud800', '𠀀', 'e', 'constructor', '１', '-', '_', '%')
  const mixed = fc.array(pieces, { maxLength: 60 }).map(parts => parts.join(''))
  await fc.assert(
    fc.asyncProperty(fc.oneof(unit, mixed), fc.constantFrom('all', 'symbol', 'field'), async (q, type) => {
      const response = await ask(`type=${type}&q=${encodeURIComponent(q.toWellFormed())}`)
      expect([200, 422]).toContain(response.statusCode)
      expect(response.statusCode === 422).toBe(q.trim() === '' || q.length > 200)
      if (response.statusCode === 200) expect(SearchAnswer.strict().safeParse(response.json()).error).toBeUndefined()
    }),
    { numRuns: 300 },
  )
})
