import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Portal, portal } from '../accounts/portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal({ limits: true })
})
afterAll(() => p.close())

it('O3: thirty senders cannot use up the mails of the service', async () => {
  let newcomers = 0
  const newAddress = (): string => `newcomer${newcomers++}@example.test`
  const senders = Array.from({ length: 30 }, (_, network) => `198.51.${network}.7`)
  const statuses = new Set<number>()
  for (let round = 0; round < 10; round++) for (const ip of senders) statuses.add((await p.start(newAddress(), { ip })).statusCode)
  expect([...statuses]).toEqual([200, 429])
  const newcomer = newAddress()
  const answer = await p.start(newcomer)
  expect([answer.statusCode, answer.json()]).toEqual([200, expect.not.objectContaining({ notice: expect.anything() })])
  await p.deliver()
  expect(p.post.mails.filter(({ to }) => to[0] === newcomer)).toHaveLength(1)
})
