import { Agent, get } from 'node:http'
import { answer } from './child.ts'

/** One long answer, as its caller sees it: read as fast as it comes, looked at by nobody. */
export interface LongAnswer {
  readonly firstByteMs: number
  readonly ms: number
  readonly bytes: number
}

export interface LongOrder {
  readonly url: string
  readonly path: string
  readonly key: string
  /** The format wanted, where the path does not say it. */
  readonly accept?: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let reading = false
let ended: Promise<number> = Promise.resolve(0)

answer({
  /** @throws for any answer but 200 */
  read: (order: LongOrder): Promise<LongAnswer> => read(order),
  /** Reads the same again and again, until told to stop. */
  keepReading(order: LongOrder): void {
    reading = true
    ended = (async () => {
      let answers = 0
      for (; reading; answers++) await read(order)
      return answers
    })()
  },
  /** Resolves once the last answer is read. @returns how many there were */
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
