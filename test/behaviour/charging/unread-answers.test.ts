import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PLANS, type Row } from '../../../catalog/index.ts'
import { createAnswerMemory } from '../../../src/access/answer-memory.ts'
import { Refusal } from '../../../src/core/index.ts'
import { balanced, holder } from '../../accounts/usage/ledger.ts'
import { NOW, service, type TestService } from '../../support.ts'

/** Reserves memory and notes whose answers found room, in order. */
function reserving(options: Partial<Parameters<typeof createAnswerMemory>[0]>) {
  const memory = createAnswerMemory({ each: 100, all: 200, small: 10, waitMs: 10_000, ...options })
  const admitted: string[] = []
  const shares = new Map<string, Awaited<ReturnType<typeof memory.reserve>>>()
  return {
    admitted,
    share: (who: string) => shares.get(who)!,
    /** @param who the key, then what tells its answers apart */
    reserve: (who: string, bytes: number) =>
      memory.reserve(who[0]!, bytes).then(share => {
        admitted.push(who)
        shares.set(who, share)
      }),
  }
}
const codeOf = (error: unknown): unknown => (error instanceof Refusal ? error.code : error)

describe('memory for answers that have not left', () => {
  it('is bounded by key: what does not fit waits for what is there, in order', async () => {
    const { admitted, share, reserve } = reserving({})
    const all = [reserve('a1', 60), reserve('a2', 60), reserve('a3', 30), reserve('b1', 60)]
    await all[3]
    expect(admitted).toEqual(['a1', 'b1'])
    share('a1').release()
    await Promise.all(all)
    expect(admitted).toEqual(['a1', 'b1', 'a2', 'a3'])
  })

  it('is bounded in all, and keys take turns for it', async () => {
    const { admitted, share, reserve } = reserving({})
    const all = ['a1', 'b1', 'c1', 'c2', 'd1'].map(who => reserve(who, 90))
    await all[1]
    for (const [first, last] of [
      ['a1', 'c1'],
      ['b1', 'd1'],
      ['c1', 'c2'],
    ] as const) {
      share(first).release()
      await expect.poll(() => admitted.at(-1)).toBe(last)
    }
    expect(admitted).toEqual(['a1', 'b1', 'c1', 'd1', 'c2'])
  })

  it('counts what an answer became, once that is known', async () => {
    const { admitted, share, reserve } = reserving({})
    await reserve('a1', 100)
    share('a1').resize(20)
    await reserve('a2', 80)
    share('a1').resize(90)
    const waiting = reserve('a3', 11)
    await turn()
    expect(admitted).toEqual(['a1', 'a2'])
    share('a2').release()
    share('a1').release()
    await waiting
  })

  it('lets small answers pass, and one larger than the bound when there is no other', async () => {
    const { admitted, share, reserve } = reserving({})
    await reserve('a1', 1_000)
    const waiting = reserve('a2', 11)
    await reserve('a3', 10)
    expect(admitted).toEqual(['a1', 'a3'])
    share('a1').release()
    await waiting
  })

  it('refuses after a long wait: 429 where the key has too much unread, 503 where all have', async () => {
    const { reserve } = reserving({ waitMs: 20 })
    await Promise.all([reserve('a1', 90), reserve('b1', 90)])
    expect(await Promise.all([reserve('a2', 90).catch(codeOf), reserve('c1', 90).catch(codeOf)])).toEqual([
      'concurrency_limited',
      'overloaded',
    ])
  })
})

describe('a caller who reads no answers', () => {
  let s: TestService
  let port = 0
  beforeAll(async () => {
    s = await service({ examples: false })
    const [entry] = s.dataset('theme-taxonomy').example as readonly Row[]
    await s.publish(
      'theme-taxonomy',
      Array.from({ length: 20_000 }, (_, index) => ({ ...entry, symbol: String(10_000 + index) })),
    )
    await s.app.listen({ port: 0, host: '127.0.0.1' })
    port = (s.app.server.address() as AddressInfo).port
  })
  afterAll(() => s.close())

  const THEMES = '/v2/datasets/theme-taxonomy?limit=20000'
  /** Sends a request, and reads nothing of the answer beyond its first bytes. */
  async function ask(key: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${THEMES} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`)
    await once(socket, 'readable')
    return socket
  }

  it('keeps the turns of the account until the answers are gone, and nobody else’s', async () => {
    const account = holder(s, 'pro', 'unread@example.test', NOW)
    const sockets = await Promise.all(Array.from({ length: PLANS.pro.requestsAtOnce }, () => ask(account.key)))
    let answered = false
    const waiting = s.get(THEMES, account.key).then(response => {
      answered = true
      return response.statusCode
    })
    for (const _ of [1, 2, 3]) expect((await s.get(THEMES, s.keyOn('pro'))).statusCode).toBe(200)
    expect(answered).toBe(false)
    sockets[0]!.destroy()
    expect(await waiting).toBe(200)
    for (const socket of sockets) socket.destroy()
    // What was charged stays charged: the answers were made and sent.
    expect(balanced(s.dir, account.accountId).requests).toBe(sockets.length + 1)
  })
})
