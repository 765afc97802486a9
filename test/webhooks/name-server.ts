import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** DNS record type of an IPv4 address. */
const A = 1
const [NO_ERROR, NO_SUCH_NAME] = [0, 3]

/**
 * A name server that knows the given IPv4 addresses. It reports that other names do not exist. It
 * does not respond to queries for names that begin with `silent`.
 */
export async function nameServer(addresses: Readonly<Record<string, string>>) {
  const socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (question, from) => {
    const { name, type, end } = read(question)
    queries.push(name)
    if (name.startsWith('silent')) return
    const address = addresses[name]
    const isAnswered = address !== undefined && type === A
    const head = Buffer.from(question.subarray(0, 12))
    // Flags: a response, recursion available, with an error code. Then the number of answers.
    head.writeUInt16BE(0x8180 | (address === undefined ? NO_SUCH_NAME : NO_ERROR), 2)
    head.writeUInt16BE(isAnswered ? 1 : 0, 6)
    head.fill(0, 8)
    // An answer: pointer to the name in the question, type A, class IN, TTL one minute, four bytes.
    const record = isAnswered ? Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]) : Buffer.alloc(0)
    socket.send(Buffer.concat([head, question.subarray(12, end), record]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { server: `127.0.0.1:${socket.address().port}`, queries, close: () => void socket.close() }
}

function read(question: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = []
  let position = 12
  for (let length = question[position]!; length > 0; length = question[position]!) {
    labels.push(question.toString('ascii', position + 1, position + 1 + length))
    position += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: question.readUInt16BE(position + 1), end: position + 5 }
}
