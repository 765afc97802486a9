import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { BELIEVED, fromAddress } from '../documented.ts'
import { PAYLOADS, plainText } from '../payloads.ts'
import { attacked, inParallel } from '../target.ts'

const message = (method: unknown, params: unknown, rest: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params, ...rest })
const call = (name: unknown, args: unknown): string => message('tools/call', { name, arguments: args })
const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth)

/** Bodies that are no messages, or messages without a meaning. */
const SHAPES: readonly string[] = [
  ...['', ' ', 'null', 'true', '0', '"x"', '[]', '{}', '{', '[', '{"a":}', '\u0000', '\ufeff{}', 'NaN', '{"jsonrpc":"2.0"}'],
  nested('[', ']', 20_000),
  nested('{"a":', '}', 20_000),
  `{"jsonrpc":"2.0","id":1,"method":"ping","params":${nested('[', ']', 9_000)}}`,
  `[${Array(500).fill(message('ping', {})).join()}]`,
  message('ping', {}, { id: null }),
  message('ping', {}, { id: { a: 1 } }),
  message('ping', {}, { id: 1e308 }),
  message('ping', {}, { id: 'x'.repeat(50_000) }),
  message('ping', {}, { jsonrpc: '1.0' }),
  message(null, {}),
  message(['ping'], {}),
  message('__proto__', {}),
  message('constructor', {}),
  message('x'.repeat(10_000), {}),
  message('initialize', { protocolVersion: '9999-01-01', capabilities: {}, clientInfo: {} }),
  message('initialize', { protocolVersion: { a: 1 } }),
  message('resources/read', { uri: 'file:///etc/passwd' }),
  message('prompts/get', { name: '../../etc/passwd' }),
  message('completion/complete', {}),
  message('logging/setLevel', { level: 'debug' }),
  message('sampling/createMessage', {}),
  message('notifications/cancelled', { requestId: 1 }),
  message('tools/list', { cursor: '../..' }),
  call('no_such_tool', {}),
  call('__proto__', {}),
  call(null, null),
  '{"jsonrpc":"2.0","id":1,"method":"tools/list","__proto__":{"admin":true}}',
  '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping","method":"tools/list"}',
  message('ping', 'x'.repeat(200_000)),
  message('ping', 'x'.repeat(2_000_000)),
]
/** Headers to combine with the bodies. */
const TYPES: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': 'application/json' },
  { 'content-type': 'application/json', accept: 'text/event-stream' },
  { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '9999-01-01' },
  { 'content-type': 'application/json', 'mcp-session-id': "' OR 1=1--", 'last-event-id': '../..' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { 'content-type': 'application/json; charset=utf-7' },
  {},
]

/** A tool and its arguments, as `tools/list` describes them. */
interface Tool {
  readonly name: string
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> }
}

export const cases: readonly HostileCase[] = [
  {
    id: 'S10',
    tries:
      'messages to /mcp that are no JSON, no message, nested 20,000 deep, megabytes long or of other types and codings; payloads in every argument of every tool',
    holds: '/mcp answers invalid messages with a protocol error or a refusal, never a 5xx, and answers the next message',
    run: (bounds: Bounds): Promise<Outcome> =>
      attacked(bounds, { plans: Array.from({ length: 8 }, () => 'max' as const), env: BELIEVED }, async target => {
        const failures: string[] = []
        const statuses = new Map<number, number>()
        const send = async (index: number, body: string, more: Readonly<Record<string, string>>) => {
          const { key } = target.callers[index % target.callers.length]!
          const answer = await target.send({
            method: 'POST',
            path: '/mcp',
            body,
            headers: { authorization: `Bearer ${key}`, ...fromAddress(index), ...more },
          })
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          return answer
        }
        const JSON_TYPE = TYPES[0]!
        const { result } = JSON.parse((await send(0, message('tools/list', {}), JSON_TYPE)).body)
        const places = (result.tools as readonly Tool[]).flatMap(({ name, inputSchema }) =>
          Object.keys(inputSchema.properties ?? {}).map(argument => ({ name, argument })),
        )
        const texts = Object.values(PAYLOADS).flat().map(plainText)
        const values: readonly unknown[] = [...texts, null, 1e308, -1, true, [], {}, [null], { toString: 1 }, Array(5_000).fill('2330')]
        const shapes = SHAPES.flatMap(shape => TYPES.map(type => ({ shape, type })))
        const most = scaled(bounds, 4_000)
        const tries = await inParallel(most, 12, bounds.seconds, async index => {
          const { shape, type } = shapes[(index * 3) % shapes.length]!
          const { name, argument } = places[index % places.length]!
          const isShape = index % 4 === 0
          const body = isShape ? shape : call(name, { [argument]: values[Math.floor(index / places.length) % values.length] })
          const answer = await send(index, body, isShape ? type : JSON_TYPE).catch((error: Error) => error)
          const sent = `${isShape ? JSON.stringify(type) : `${name}.${argument}`}: ${body.slice(0, 120)}`
          if (answer instanceof Error) failures.push(`${sent}: ${answer.message}`)
          // The MCP library also returns this code for an `initialize` that it cannot parse.
          else if (/"code":-32603/.test(answer.body) && !body.includes('"initialize"')) failures.push(`${sent}: an internal error`)
        })
        const { status } = await send(1, message('tools/list', {}), JSON_TYPE)
        if (status !== 200) failures.push(`afterwards a good message got ${status}`)
        const counts = [...statuses].sort(([a], [b]) => a - b).map(([code, count]) => `${code}: ${count}`)
        return { tries, failures, figures: { places: places.length, statuses: counts.join(', ') } }
      }),
  },
]
