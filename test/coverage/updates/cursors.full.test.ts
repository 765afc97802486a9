import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { service, type TestService } from '../../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false })
})
afterAll(() => s.close())

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

it('the updates feed answers any made-up cursor with a page or a refusal', async () => {
  const { next_cursor }: { readonly next_cursor: string } = (await s.get('/v2/updates?since=2026-06-01&limit=1')).json()
  const mangled = fc
    .tuple(fc.nat(next_cursor.length - 1), fc.constantFrom(...'Aa0_-9~%'))
    .map(([index, character]) => next_cursor.slice(0, index) + character + next_cursor.slice(index + 1))
  const POSITION = '20260701T120000000Z institutional-positioning'
  const fields = fc.array(fc.oneof(fc.constant(1), fc.string(), fc.constant(null), fc.constant('2026-06-30'), fc.constant(POSITION)), {
    maxLength: 6,
  })
  const any = fc.oneof(fc.string({ unit: 'binary' }), mangled, fields.map(encoded), fc.jsonValue().map(encoded))
  await fc.assert(
    fc.asyncProperty(any, async cursor => {
      const { statusCode } = await s.get(`/v2/updates?cursor=${encodeURIComponent(cursor)}`)
      expect([200, 400]).toContain(statusCode)
    }),
    { numRuns: 400 },
  )
})
