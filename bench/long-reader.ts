import { Agent, get } from 'node:http'
import { answer } from './child.ts'

/** One long answer, read as fast as it arrives and discarded. */
export interface LongAnswer {
  readonly firstByteMs: number
  readonly ms: number
  readonly bytes: number
}

export interface LongOrder {
  readonly url: string
  readonly path: string
  readonly key: string
  /** The requested format, if the path does not state it. */
  readonly accept?: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let reading = false
let ended: Promise<number> = Promise.resolve(0)

answer({
  /** @throws for a status other than 200 */
  read: (order: LongOrder): Promise<LongAnswer> => read(order),
  /** Reads the same answer repeatedly until it is stopped. */
  keepReading(order: LongOrder): void {
    reading = true
    ended = (async () => {
      let answers = 0
      for (; reading; answers++) await read(order)
      return answers
    })()
  },
  /** Resolves after the last answer. @returns the number of answers */
  stopReading(): Promise<number> {
    reading = false
    return ended
  },
})

const read = ({ url, path, key, accept }: LongOrder): Promise<LongAnswer> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    let [firstByteMs, bytes] = [0, 0]
    const request = get(url + path, { agent, headers: { 'x-api-key': key, ...(accept && { accept }) } }, response => {
      response.on('data', (piece: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - began
        bytes += piece.length
      })
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`${path} was answered ${response.statusCode}`))
        else resolve({ firstByteMs, ms: performance.now() - began, bytes })
      })
    })
    request.on('error', reject)
  })
