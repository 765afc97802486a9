import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { nameServer } from '../../../webhooks/name-server.ts'
import type { Bounds, HostileCase, Outcome } from '../case.ts'
import { type Answer, attacked } from '../target.ts'

/**
 * Notations for addresses of this machine, of its network and of cloud metadata services, and
 * invalid URLs.
 */
const INWARD = [
  ...[
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0',
    '0.0.0.0',
    '127.0.0.1.',
    '１２７.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
  ],
  ...[
    '[::1]',
    '[::]',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::1]',
    '[fd00::1]',
    '[fe80::1]',
    '[2002:7f00:1::]',
  ],
  ...[
    '169.254.169.254',
    '[fd00:ec2::254]',
    '100.64.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '192.0.0.8',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
  ],
].map(host => `https://${host}/`)
const STRANGE = [
  'http://hooks.example.test/',
  'ftp://hooks.example.test/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_',
  'javascript:alert(1)',
  'https://user:pass@hooks.example.test/',
  'https://hooks.example.test:22/',
  'https://hooks.example.test:6379/',
  'https://hooks.example.test/#fragment',
  'https://hooks.example.test\\@127.0.0.1/',
  'https://',
  '//127.0.0.1/',
  'https:hooks',
  `https://hooks.example.test/${'x'.repeat(3_000)}`,
  'https://hooks.example.test:443:80/',
  'https://[hooks.example.test/',
  'https://hooks.example.test\r\nHost: evil/',
]
/**
 * Host names that the case's name server resolves to internal addresses. The service accepts their
 * URLs, but must refuse to connect.
 */
const LEADS: Readonly<Record<string, string>> = {
  'loopback.hooks.test': '127.0.0.1',
  'another-loopback.hooks.test': '127.8.8.8',
  'unspecified.hooks.test': '0.0.0.0',
  'network.hooks.test': '10.0.0.1',
  'metadata.hooks.test': '169.254.169.254',
}
const NAMES = [...Object.keys(LEADS), 'LOOPBACK.hooks.test.', 'localhost', 'LOCALHOST.', 'ip6-localhost', 'a.localhost']
/** Makes every process of the service query this name server instead of the system's. */
const asking = (server: string): Readonly<Record<string, string>> => {
  const program = `
    import promises from 'node:dns/promises'
    import { syncBuiltinESMExports } from 'node:module'
    promises.Resolver = class extends promises.Resolver {
      constructor(options) {
        super(options)
        this.setServers(['${server}'])
      }
    }
    syncBuiltinESMExports()`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(program)}` }
}
/** An allowed webhook port. */
const PORT = 8443
const PATH = '/v2/self-serve/webhooks'
/** Maximum time in milliseconds for resolving a name and sending a message. */
const SENT_MS = 30_000

export const cases: readonly HostileCase[] = [
  {
    id: 'W1',
    tries:
      'webhooks to this machine, its network and metadata services in every notation, other schemes and ports; names that resolve to internal addresses',
    holds: 'webhooks to internal addresses are refused with 422, and names that resolve to them are never connected to',
    run: async (bounds: Bounds): Promise<Outcome> => {
      let connections = 0
      const inside = createServer(socket => {
        connections++
        socket.destroy()
      })
      const isListening = await Promise.race([
        once(inside.listen(PORT, '127.0.0.1'), 'listening').then(() => true),
        once(inside, 'error').then(() => false),
      ])
      const names = await nameServer(LEADS)
      try {
        return await attacked(
          bounds,
          { plans: Array.from({ length: 6 }, () => 'max' as const), env: asking(names.server) },
          async target => {
            const failures: string[] = []
            let tries = 0
            const send = (caller: number, method: string, path: string, body?: object) => {
              tries++
              const { token } = target.callers[caller]!
              const json = body === undefined ? {} : { body: JSON.stringify(body) }
              return target.send({ method, path, headers: { 'x-self-serve-token': token, 'content-type': 'application/json' }, ...json })
            }
            const own = await Promise.all(
              [0, 1, 2, 3].map(async caller => JSON.parse((await send(caller, 'POST', PATH, { url: 'https://hooks.example.test/' })).body)),
            )
            for (const [index, url] of [...INWARD, ...STRANGE].entries()) {
              // Alternates between accounts, because a signed-in customer may send only 60 requests
              // a minute.
              const caller = index % 4
              const made = await send(caller, 'POST', PATH, { url })
              const changed = await send(caller, 'POST', `${PATH}/${own[caller].webhook_id}`, { url })
              for (const { status, code } of [made, changed])
                if (status !== 422) failures.push(`${JSON.stringify(url.slice(0, 60))} got ${status} ${code}`)
            }
            const why = new Set<string>()
            const sentTo = async (name: string, caller: number): Promise<void> => {
              const { status, body } = await send(caller, 'POST', PATH, { url: `https://${name}:${PORT}/` })
              if (status !== 200 && name in LEADS) failures.push(`${name} was not accepted as a URL: ${status} ${body}`)
              if (status !== 200) return
              const endpoint = `${PATH}/${JSON.parse(body).webhook_id}`
              await send(caller, 'POST', `${endpoint}/test`)
              const word = await errorOf(() => send(caller, 'GET', `${endpoint}/deliveries`))
              why.add(word)
              if (word !== 'no_public_address') failures.push(`a message to ${name} ended with ${word}`)
              if (name in LEADS && !names.queries.includes(name)) failures.push(`${name} was not resolved by the name server`)
            }
            await Promise.all(NAMES.map((name, index) => sentTo(name, 4 + (index % 2))))
            if (connections > 0) failures.push(`${connections} connections reached 127.0.0.1:${PORT}`)
            return {
              tries,
              failures,
              figures: {
                'connections inward': isListening ? connections : 'not measured, the port was in use',
                'names refused as': [...why].join(),
              },
            }
          },
        )
      } finally {
        names.close()
        inside.close()
      }
    },
  },
]

/** Result of the first attempt to send the newest message to an endpoint. */
async function errorOf(deliveries: () => Promise<Answer>): Promise<string> {
  for (const ends = performance.now() + SENT_MS; performance.now() < ends; await sleep(1_000)) {
    const [newest] = JSON.parse((await deliveries()).body).data
    const [attempt] = newest?.attempts ?? []
    if (attempt) return attempt.error ?? `an answer of ${attempt.status}`
  }
  return `nothing within ${SENT_MS / 1_000} s`
}
