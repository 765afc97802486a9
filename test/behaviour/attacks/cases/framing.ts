import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { type Exchange, exchangeRaw } from '../raw-socket.ts'
import { attacked, inParallel } from '../target.ts'

/**
 * The smuggled request. No other request has this path, so an answer to it proves that a body was
 * parsed as a request.
 */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n'
const good = `${HEALTH}\r\n`
const last = `${HEALTH}Connection: close\r\n\r\n`
const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const post = (headers: string, sent: string): string =>
  `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${sent}`
const withLength = (sent: string): string => post(`Content-Length: ${sent.length}`, sent)
const chunk = (sent: string, extension = ''): string => `${sent.length.toString(16)}${extension}\r\n${sent}\r\n`

/**
 * A name, the pieces to send, and the expected statuses in order. After these answers, the
 * connection must end.
 */
type Framed = readonly [name: string, pieces: readonly string[], statuses: readonly number[]]

/**
 * Framing that two servers may parse differently. The service must send one refusal and no answer
 * to the bytes after it.
 */
const refused = (name: string, text: string, status = 400): Framed => [name, [text + SMUGGLED], [status]]

const FRAMED: readonly Framed[] = [
  refused('a length and chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\n')),
  refused('chunks and a length', post('Transfer-Encoding: chunked\r\nContent-Length: 5', '0\r\n\r\n')),
  refused('two lengths', post('Content-Length: 5\r\nContent-Length: 6', 'abcde')),
  refused('one length twice', post('Content-Length: 5\r\nContent-Length: 5', 'abcde')),
  refused('a list of lengths', post('Content-Length: 5, 5', 'abcde')),
  refused('a length with a sign', post('Content-Length: +5', 'abcde')),
  refused('a negative length', post('Content-Length: -1', 'abcde')),
  refused('a length in hex', post('Content-Length: 0x5', 'abcde')),
  refused('a length beyond 64 bits', post('Content-Length: 18446744073709551621', 'abcde')),
  refused('an empty length', post('Content-Length:', 'abcde')),
  refused('chunked that is not last', post('Transfer-Encoding: chunked, identity', '0\r\n\r\n')),
  refused('chunked twice', post('Transfer-Encoding: chunked, chunked', '0\r\n\r\n')),
  refused('chunked with a tab', post('Transfer-Encoding:\tchunked\r\nContent-Length: 3', '0\r\n\r\n')),
  refused('chunked in two headers', post('Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\nContent-Length: 3', '0\r\n\r\n')),
  refused('a blank before the colon', post('Transfer-Encoding : chunked', '0\r\n\r\n')),
  refused('a folded header', post('X-A: a\r\n b\r\nContent-Length: 0', '')),
  refused('a NUL in a header', post('X-A: a\0b\r\nContent-Length: 0', '')),
  refused('a NUL in a name', post('X\0A: a\r\nContent-Length: 0', '')),
  refused('a NUL in the path', 'GET /heal\0thz HTTP/1.1\r\nHost: x\r\n\r\n'),
  refused('bare line feeds', good.replaceAll('\r\n', '\n')),
  refused('a bare carriage return', `${HEALTH}X-A: a\rb\r\n\r\n`),
  refused('an invalid chunk size', post('Transfer-Encoding: chunked', 'zz\r\nabc\r\n0\r\n\r\n')),
  refused('a chunk size with a sign', post('Transfer-Encoding: chunked', '+3\r\nabc\r\n0\r\n\r\n')),
  refused('a chunk size beyond 64 bits', post('Transfer-Encoding: chunked', 'fffffffffffffffff\r\nabc\r\n0\r\n\r\n')),
  refused('a chunk longer than it says', post('Transfer-Encoding: chunked', '3\r\nabcdef\r\n0\r\n\r\n')),
  refused('a bare line feed behind a chunk size', post('Transfer-Encoding: chunked', '3\nabc\r\n0\r\n\r\n')),
  refused('another version', 'GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n'),
  refused('an unknown method', 'SMUG /healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
  refused('headers of 20 KB', `${HEALTH}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431),
  ['two hosts', [`${HEALTH}Host: y\r\n\r\n${last}`], [400, 200]],
  ['a request as a body', [withLength(SMUGGLED) + last], [400]],
  ['a request as a chunk', [post('Transfer-Encoding: chunked', `${chunk(SMUGGLED)}0\r\n\r\n`) + last], [400]],
  ['a chunk with an extension', [post('Transfer-Encoding: chunked', `${chunk(body, ';a=b')}0\r\n\r\n`) + last], [200, 200]],
  ['three pipelined requests', [good + good + last], [200, 200, 200]],
  ['good ones before what is no request', [`${good}${good}no request\r\n\r\n${SMUGGLED}`], [200, 200, 400]],
  ['good ones before one that is the last', [good + last + SMUGGLED], [200, 200]],
  ['good ones around a body in halves', [good + withLength(body).slice(0, -10), body.slice(-10) + last], [200, 200, 200]],
  ['good ones around a head in halves', [good + HEALTH.slice(0, 9), `${HEALTH.slice(9)}\r\n${last}`], [200, 200, 200]],
  ['a body with a GET', [`${HEALTH}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}${last}`], [200, 200]],
  ['the address in absolute form', [last.replace('/healthz', 'http://evil.example/healthz')], [200]],
  ['a blank line before the request', [`\r\n${last}`], [200]],
]

/** Valid pipelined requests. The case changes, drops or repeats some of their bytes. */
const SOUND = `${good}${withLength(body)}${post('Transfer-Encoding: chunked', `${chunk(body)}0\r\n\r\n`)}${last}`
const STRANGE = [
  '\0',
  '\n',
  '\r',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '\x80',
  '\xff',
  '0',
  '-',
  '\r\n',
  '\r\n\r\n',
  'chunked',
  'Content-Length: 1\r\n',
]

/** The requests with one change. The same index always makes the same change. */
function damaged(index: number): string {
  const position = (index * 7919) % SOUND.length
  const strange = STRANGE[index % STRANGE.length]!
  const [head, tail] = [SOUND.slice(0, position), SOUND.slice(position)]
  if (index % 3 === 0) return head + strange + tail
  if (index % 3 === 1) return head + strange + tail.slice(1)
  return head + tail.slice(1 + (index % 5))
}

/**
 * Loopback address of an attempt. The case uses 250 addresses, because the service closes the
 * connections of an address after 200 refusals in two seconds, and parses nothing in that time.
 */
const addressOf = (index: number): string => `127.0.2.${1 + (index % 250)}`

export const cases: readonly HostileCase[] = [
  {
    id: 'S2',
    tries:
      'framing that two servers parse differently, pipelined and split requests, a request in the body of another; valid requests with changed bytes, over raw sockets',
    holds: 'each request gets one answer in order, request bodies are never parsed as requests, and malformed framing ends the connection',
    run: (bounds: Bounds): Promise<Outcome> =>
      attacked(bounds, { plans: ['max'] }, async target => {
        const failures: string[] = []
        const summaryOf = ({ answers, rest, ended }: Exchange): string =>
          `${answers.map(({ status }) => status).join()}${ended ? ', then the end' : ', and no end'}${rest && `, then ${JSON.stringify(rest.slice(0, 80))}`}`
        const note = (name: string, { answers, rest }: Exchange): void => {
          for (const answer of answers) {
            target.note(name, answer)
            // Only the smuggled request has an unknown path.
            if (!name.startsWith('damage') && answer.code === 'unknown_path') failures.push(`${name}: the smuggled request was answered`)
          }
          if (rest !== '') failures.push(`${name}: bytes behind the last answer: ${JSON.stringify(rest.slice(0, 80))}`)
        }
        const framed = await inParallel(FRAMED.length * scaled(bounds, 10), 8, bounds.seconds / 2, async index => {
          const [name, pieces, statuses] = FRAMED[index % FRAMED.length]!
          const came = await exchangeRaw(target.url, pieces, 5_000, addressOf(index))
          note(name, came)
          const isMeant = came.ended && came.answers.map(({ status }) => status).join() === statuses.join()
          if (!isMeant) failures.push(`${name}: ${summaryOf(came)} in place of ${statuses}, then the end`)
        })
        bounds.say(`${framed} framed by hand`)
        const mutated = await inParallel(scaled(bounds, 6_000), 16, bounds.seconds / 2, async index => {
          const text = damaged(index)
          const came = await exchangeRaw(target.url, [text], 1_000, addressOf(index))
          note(`damage ${index}`, came)
          if (came.answers.length > 4) failures.push(`damage ${index}: ${came.answers.length} answers to 4 requests`)
        })
        const { status } = await target.send({ path: '/readyz' })
        if (status !== 200) failures.push(`afterwards the service answers ${status}`)
        return { tries: framed + mutated, failures, figures: { 'by hand': framed, 'bytes changed': mutated } }
      }),
  },
]
