import { Agent, get } from 'node:http'

export interface Callers {
  /** Request ids of the answers that came with 200. */
  readonly acknowledged: readonly string[]
  /** Every other status that came. */
  readonly refused: readonly number[]
  /** Resolves once so many more were acknowledged. */
  more(count: number): Promise<void>
  /** Sends nothing further and waits for what is under way. */
  stop(): Promise<void>
}

/** So many callers, each on a connection of its own, each asking again as soon as it was answered, until the service is gone. */
export function callers(count: number, url: string, keys: readonly string[]): Callers {
  const acknowledged: string[] = []
  const refused: number[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  let over = false
  const waiting: (() => void)[] = []
  const wake = (): void => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  const ask = (key: string): Promise<void> =>
    new Promise(resolve => {
      const request = get(url, { agent, headers: { 'x-api-key': key } }, response => {
        if (response.statusCode === 200) acknowledged.push(String(response.headers['x-request-id']))
        else refused.push(response.statusCode!)
        response.resume().on('close', resolve)
        wake()
      })
      request.on('error', () => {
        over = true
        wake()
        resolve()
      })
    })
  const calling = Promise.all(
    Array.from({ length: count }, async (_, index) => {
      while (!over) await ask(keys[index % keys.length]!)
    }),
  )
  return {
    acknowledged,
    refused,
    async more(count) {
      const enough = acknowledged.length + count
      while (acknowledged.length < enough && !over) await new Promise<void>(resolve => waiting.push(resolve))
    },
    async stop() {
      over = true
      await calling
      agent.destroy()
    },
  }
}
