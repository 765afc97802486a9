import { Agent, get } from 'node:http'
import { answer } from './child.ts'

export interface LongAnswer {
  readonly firstByteMs: number
  readonly ms: number
  readonly bytes: number
}

export interface LongOrder {
  readonly url: string
  readonly path: string
  /** Absent if the server requires no key. */
  readonly key?: string
  /** Absent if the path selects the format. */
  readonly accept?: string
}

const agent = new Agent({ keepAlive: true })
let reading = false
let ended: Promise<number> = Promise.resolve(0)

answer({
  /** @throws Error for a status other than 200 */
  read: (order: LongOrder): Promise<LongAnswer> => read(order),
  /** Requests the answers repeatedly, until `stopReading` is called. */
  keepReading(...orders: readonly LongOrder[]): void {
    reading = true
    ended = Promise.all(orders.map(repeat)).then(counts => counts.reduce((sum, answers) => sum + answers))
  },
  /**
   * Finishes answers in progress.
   * @returns number of answers
   */
  stopReading(): Promise<number> {
    reading = false
    return ended
  },
})

async function repeat(order: LongOrder): Promise<number> {
  let answers = 0
  for (; reading; answers++) await read(order)
  return answers
}

const read = ({ url, path, key, accept }: LongOrder): Promise<LongAnswer> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    let [firstByteMs, bytes] = [0, 0]
    const request = get(url + path, { agent, headers: { ...(key && { 'x-api-key': key }), ...(accept && { accept }) } }, response => {
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
