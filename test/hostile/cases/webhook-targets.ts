import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bounds, HostileCase, Outcome } from '../case.ts'
import { attacked } from '../target.ts'

/** Ways to write an address of this machine, of its network or of a cloud's metadata, and URLs that are none of ours to call. */
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
/** Names that lead to this machine: taken as URLs, and refused once they are connected to. */
const NAMES = ['localhost', 'LOCALHOST.', 'ip6-localhost', 'a.localhost']
/** A port that webhooks may go to. */
const PORT = 8443
const PATH = '/v2/self-serve/webhooks'

export const cases: readonly HostileCase[] = [
  {
    id: 'W1',
    tries:
      'webhooks to this machine, its network and metadata services in every notation, other schemes and ports; names that lead to this machine, with messages sent to them',
    holds: '422 with what to send, when made and when changed; a name that leads inward is never connected to',
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
      try {
        return await attacked(bounds, { plans: Array.from({ length: 6 }, () => 'max' as const) }, async target => {
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
            // A signed-in customer has 60 calls a minute.
            const caller = index % 4
            const made = await send(caller, 'POST', PATH, { url })
            const changed = await send(caller, 'POST', `${PATH}/${own[caller].webhook_id}`, { url })
            for (const { status, code } of [made, changed])
              if (status !== 422) failures.push(`${JSON.stringify(url.slice(0, 60))} got ${status} ${code}`)
          }
          const ids: string[] = []
          for (const name of NAMES) {
            const { status, body } = await send(4, 'POST', PATH, { url: `https://${name}:${PORT}/` })
            if (status === 200) ids.push(JSON.parse(body).webhook_id)
          }
          for (const id of ids) await send(4, 'POST', `${PATH}/${id}/test`)
          await sleep(Math.min(5, bounds.seconds) * 1_000)
          const told: string[] = []
          for (const id of ids) told.push(JSON.stringify(JSON.parse((await send(4, 'GET', `${PATH}/${id}/deliveries`)).body).data[0]))
          for (const delivery of told) if (/"status":"delivered"/.test(delivery)) failures.push(`delivered: ${delivery}`)
          if (connections > 0) failures.push(`${connections} connections reached 127.0.0.1:${(inside.address() as AddressInfo).port}`)
          const why = new Set(told.map(delivery => /"(?:error|last_error)":"(\w+)"/.exec(delivery)?.[1] ?? 'none yet'))
          return {
            tries,
            failures,
            figures: {
              'connections inward': isListening ? connections : 'not seen, the port was taken',
              'names refused as': [...why].join(),
            },
          }
        })
      } finally {
        inside.close()
      }
    },
  },
]
