import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Portal, portal } from '../portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

it('K4: if a key is revoked during a thousand requests, every request after the answer to the revocation is refused', async () => {
  await p.app.listen({ port: 0, host: '127.0.0.1' })
  const origin = `http://127.0.0.1:${(p.app.server.address() as AddressInfo).port}`
  const owner = await p.signIn('owner@example.test')
  const key = { 'x-api-key': owner.apiKey!.api_key }
  const url = `${origin}/v2/account/entitlements`
  let answered = false
  const attempt = async () => {
    const startedAfter = answered
    const response = await fetch(url, { headers: key })
    return {
      startedAfter,
      status: response.status,
      code: ((await response.json()) as { error?: { error_code: string } }).error?.error_code,
    }
  }
  const revoke = async () => {
    const headers = { 'x-self-serve-token': owner.token }
    const response = await fetch(`${origin}/v2/self-serve/api-keys/${owner.apiKey!.key_id}/revoke`, { method: 'POST', headers })
    expect(response.status).toBe(200)
    answered = true
  }
  const flying = Array.from({ length: 500 }, attempt)
  const revoked = revoke()
  flying.push(...Array.from({ length: 500 }, attempt))
  await revoked
  const after = await Promise.all(Array.from({ length: 100 }, attempt))
  const all = [...(await Promise.all(flying)), ...after]
  expect(all.filter(({ startedAfter }) => startedAfter)).toEqual(
    after.map(() => ({ startedAfter: true, status: 401, code: 'revoked_api_key' })),
  )
  expect(all.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  expect(all.every(({ status }) => status === 200 || status === 401)).toBe(true)
})
