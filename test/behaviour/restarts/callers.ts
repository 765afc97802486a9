import { Agent, get } from 'node:http'

export interface Callers {
  /** Request ids of all answers with status 200. */
  readonly acknowledged: readonly string[]
  /** Statuses of all other answers. */
  readonly refused: readonly number[]
  /** Resolves after `count` more acknowledged answers. */
  more(count: number): Promise<void>
  /** Stops sending, and waits for requests in progress. */
  stop(): Promise<void>
}

/**
 * Starts callers with one connection each. They send requests without a pause until the service has
 * ended.
 */
export function callers(count: number, url: string, keys: readonly string[]): Callers {
  const acknowledged: string[] = []
  const refused: number[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  let hasEnded = false
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
        hasEnded = true
        wake()
        resolve()
      })
    })
  const calling = Promise.all(
    Array.from({ length: count }, async (_, index) => {
      while (!hasEnded) await ask(keys[index % keys.length]!)
    }),
  )
  return {
    acknowledged,
    refused,
    async more(count) {
      const enough = acknowledged.length + count
      while (acknowledged.length < enough && !hasEnded) await new Promise<void>(resolve => waiting.push(resolve))
    },
    async stop() {
      hasEnded = true
      await calling
      agent.destroy()
    },
  }
}
