import { connect, type Socket } from 'node:net'
import { answer } from './child.ts'

export interface FilesOrder {
  readonly url: string
  readonly paths: readonly string[]
  readonly connections: number
  readonly seconds: number
}

/** All bytes go into one buffer, because nothing reads the bytes. */
const BUFFER_BYTES = 1 << 20

answer({
  /**
   * @returns bytes of bodies per second
   * @throws Error if a file is refused
   */
  async run({ url, paths, connections, seconds }: FilesOrder): Promise<number> {
    const until = performance.now() + seconds * 1_000
    const began = performance.now()
    const shares = await Promise.all(Array.from({ length: connections }, (_, index) => readOn(new URL(url), rotated(paths, index), until)))
    return (shares.reduce((sum, bytes) => sum + bytes, 0) * 1_000) / (performance.now() - began)
  },
})

const rotated = (paths: readonly string[], by: number): readonly string[] => {
  const at = Math.floor((paths.length * by) / 8)
  return [...paths.slice(at), ...paths.slice(0, at)]
}

function readOn({ hostname, port }: URL, paths: readonly string[], until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let [next, left, total] = [0, 0, 0]
    const ask = (socket: Socket): void => {
      if (performance.now() >= until) {
        socket.end()
        return resolve(total)
      }
      socket.write(`GET ${paths[next++ % paths.length]} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
    }
    const take = (count: number, buffer: Buffer): boolean => {
      const body = left === 0 ? bodyAfter(buffer.subarray(0, count)) : { here: count, bytes: left }
      left = body.bytes - body.here
      total += body.here
      if (left === 0) ask(socket)
      return true
    }
    const socket = connect({
      port: Number(port),
      host: hostname,
      onread: { buffer: Buffer.alloc(BUFFER_BYTES), callback: (count, buffer) => take(count, buffer as Buffer) },
    })
    socket.once('connect', () => ask(socket)).once('error', reject)
  })
}

/** Returns the length of the body, and how many bytes of the body were received. */
function bodyAfter(bytes: Buffer): { readonly here: number; readonly bytes: number } {
  const end = bytes.indexOf('\r\n\r\n')
  const head = bytes.toString('latin1', 0, end)
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  if (!head.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(head.split('\r\n')[0])
  return { here: bytes.length - end - 4, bytes: Number(length) }
}
