import { connect } from 'node:net'

/** A response read from a socket. */
export interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/**
 * Writes raw bytes and reads until the server closes the connection. Not sent with an HTTP client,
 * because clients refuse to send most of these bytes.
 */
export const sendTo = (port: number, text: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    socket.on('data', chunk => chunks.push(Buffer.from(chunk))).on('error', reject)
    socket.on('close', () => {
      const [head, ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n') as [string, ...string[]]
      const [status, ...lines] = head.split('\r\n') as [string, ...string[]]
      const headers = new Map(lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
      resolve({ status: Number(status.split(' ')[1]), headers, body: rest.join('\r\n\r\n') })
    })
  })
