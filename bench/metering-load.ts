import { once } from 'node:events'
import { connect } from 'node:net'
import { answer } from './child.ts'
import type { Metered } from './metering-server.ts'

/** Each connection waits for an answer before its next request. */
export interface Amount extends Metered {
  readonly path: string
  readonly connections: number
  readonly amount: number
}

answer({
  /**
   * @returns requests per second
   * @throws Error if a status was not 200
   */
  async run({ connections, amount, ...order }: Amount): Promise<number> {
    let left = amount
    const next = (): number | undefined => (left > 0 ? left-- : undefined)
    const began = performance.now()
    await Promise.all(Array.from({ length: connections }, () => converse(order, next)))
    return (amount / (performance.now() - began)) * 1_000
  },
})

async function converse({ url, path, keys }: Metered & { readonly path: string }, next: () => number | undefined): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  await new Promise<void>((resolve, reject) => {
    let [got, size] = [0, 0]
    const ask = (): void => {
      const turn = next()
      if (turn === undefined) return void socket.end(resolve)
      ;[got, size] = [0, 0]
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys[turn % keys.length]}\r\n\r\n`)
    }
    socket.on('data', (bytes: Buffer) => {
      if (got === 0) size = sizeOf(bytes)
      got += bytes.length
      if (Number.isNaN(size) || got > size) reject(new Error(`${path} was answered ${bytes.toString('latin1').slice(0, 200)}`))
      else if (got === size) ask()
    })
    socket.on('error', reject)
    ask()
  })
}

/** Returns the length of the first answer in the buffer. NaN if the status is not 200. */
function sizeOf(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n') + 4
  const head = bytes.toString('latin1', 0, end)
  return head.startsWith('HTTP/1.1 200 ') ? end + Number(/content-length: (\d+)/i.exec(head)?.[1]) : Number.NaN
}
