import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { paidEnvironment, WEBHOOK_SECRET } from '../../../billing/paid.ts'
import { startTwmd } from '../../../fixtures/cli/twmd.ts'
import { signed } from '../../../fixtures/provider/delivery.ts'
import { startProvider } from '../../../fixtures/provider/server.ts'
import { inState } from '../../../state/folder.ts'
import { SECRETS } from '../../../support.ts'
import { type Audit, answerOf, auditing } from '../audited.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { doBooksAgree } from '../invariants.ts'
import { type Caller, ledgerOf, type Prepared, prepare, start } from '../service.ts'

const KILLS = 200
/** Every so many starts is killed before it serves. */
const EARLY = 8
const READERS = 12
const READS = [
  '/v2/datasets/securities-firm-master',
  '/v2/datasets/institutional-positioning?symbol=2330',
  '/v2/datasets/daily-prices?symbol=2330',
]
const EXPORTS = ['csv', 'ndjson', 'arrow', 'parquet'].map(format => `/v2/datasets/theme-taxonomy?limit=1000&format=${format}`)
const PROVIDER_KEY = 'sk_test_provider_key_of_the_tests'
const KEYS = '/v2/self-serve/api-keys'
/** Statuses of a service that is whole: answered, and told to come again. */
const TOLD = new Set([200, 402, 429, 503])

/** In the place of an answer: the connection broke before one began, or there was none. */
type Lost = 'cut' | 'not sent'

/** An answer whose head arrived. */
interface Arrived {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The whole body; null where the connection broke before its end. */
  readonly body: string | null
}

/** Keys of an account, as they are listed. */
interface Listed {
  readonly data: readonly { readonly key_id: string; readonly status: string }[]
}

/** What the callers were told, over all starts. */
interface Heard {
  /** Credits charged, by the id of each answered request. */
  readonly charged: Map<string, number>
  /** Accounts of requests for rows that a kill cut before their answer began, of this start: the ledger may hold the use. */
  cut: readonly string[]
  /** Ids of uses of such requests that the ledger holds. */
  readonly bookedUnheard: Set<string>
  /** Ids that two answers bore. */
  readonly repeated: string[]
  /** Statuses that a caller should never see. */
  readonly strange: string[]
  /** Keys made, by id. */
  readonly made: Set<string>
  readonly revoked: Set<string>
  /** Ids of payment events that were acknowledged. */
  readonly events: Set<string>
  whole: number
}

async function run(bounds: Bounds): Promise<Outcome> {
  const folder = prepare(bounds, Array(READERS + 1).fill('max'))
  const provider = await startProvider({ secretKey: PROVIDER_KEY })
  const env = { ...paidEnvironment(folder.dir, provider.url), ...SECRETS }
  const heard: Heard = {
    ...{
      charged: new Map(),
      cut: [],
      bookedUnheard: new Set(),
      repeated: [],
      strange: [],
      made: new Set(),
      revoked: new Set(),
      events: new Set(),
      whole: 0,
    },
  }
  const failures: string[] = []
  const kills = scaled(bounds, KILLS)
  const audit = auditing(folder, { meant: ['overloaded'] })
  for (const secret of [WEBHOOK_SECRET, PROVIDER_KEY]) audit.secret(secret)
  const logs: string[] = []
  let [slowest, kill, cut] = [0, 0, 0]
  try {
    for (; kill < kills && failures.length === 0; kill++) {
      if (kill % EARLY === EARLY - 1) await killedEarly(folder, env)
      const began = performance.now()
      const service = await start(folder, env)
      slowest = Math.max(slowest, performance.now() - began)
      heard.cut = []
      const load = underLoad(audit, service.url, folder.callers, heard)
      await load.begun
      await sleep(Math.random() * 1_000)
      const gone = once(service.child, 'exit')
      load.ending()
      service.child.kill('SIGKILL')
      await gone
      await load.stop()
      logs.push(service.output())
      cut += heard.cut.length
      failures.push(...faultsOf(folder, heard).map(fault => `after kill ${kill + 1}: ${fault}`))
      if (kill % 20 === 19) bounds.say(`${kill + 1} kills, ${heard.charged.size} answers`)
    }
    failures.push(...(await served(folder, env, logs)))
    failures.push(...audit.findings(logs.join('')).failures)
  } finally {
    await provider.close()
  }
  const { uses } = ledgerOf(folder.stateDb)
  return {
    tries: kill,
    failures: [...failures, ...heard.repeated, ...heard.strange],
    figures: {
      answers: heard.charged.size,
      'requests for rows cut': cut,
      'of those in the ledger': heard.bookedUnheard.size,
      'uses in the ledger': uses.length,
      'keys made': heard.made.size,
      'payment events': heard.events.size,
      'slowest start, s': slowest / 1_000,
    },
  }
}

/** A start that is killed before it listens, or as it does. */
async function killedEarly({ dir }: Prepared, env: Readonly<Record<string, string>>): Promise<void> {
  const child = startTwmd(dir, ['serve'], env)
  const gone = once(child, 'exit')
  await sleep(Math.random() * 1_200)
  child.kill('SIGKILL')
  await gone
}

/** Readers, exports, keys that are made and revoked, and payment events, until the service is gone. Connections may break once `ending` was called. */
function underLoad(audit: Audit, url: string, callers: readonly Caller[], heard: Heard) {
  const agent = new Agent({ keepAlive: true })
  const begun = Promise.withResolvers<void>()
  let [isEnding, over] = [false, false]
  /** Null where no answer of 200 began. @param account that is charged for it; absent where nobody is */
  const ask = async (path: string, headers: Readonly<Record<string, string>>, body?: string, account?: string): Promise<Arrived | null> => {
    const arrived = await asked(agent, `${url}${path}`, headers, body)
    const isLost = typeof arrived === 'string'
    if (arrived === 'cut' && account !== undefined) heard.cut = [...heard.cut, account]
    if (isLost || arrived.body === null) {
      if (!isEnding) heard.strange.push(`${path} had ${isLost ? 'no answer' : 'half an answer'} before the kill`)
      over = true
    } else {
      heard.whole++
      audit.note(path, answerOf(arrived.status, arrived.headers, arrived.body), headers)
    }
    if (!isLost && !TOLD.has(arrived.status))
      heard.strange.push(`${path} was answered with ${arrived.status}: ${arrived.body?.slice(0, 200)}`)
    begun.resolve()
    return !isLost && arrived.status === 200 ? arrived : null
  }
  const reader = async ({ key, accountId }: Caller, paths: readonly string[]): Promise<void> => {
    for (let turn = 0; !over; turn++) {
      const arrived = await ask(paths[turn % paths.length]!, { 'x-api-key': key }, undefined, accountId)
      if (arrived === null) continue
      const { 'x-request-id': id = '', 'x-credits-charged': credits } = arrived.headers
      if (heard.charged.has(id)) heard.repeated.push(`two answers bear the id ${id}`)
      heard.charged.set(id, Number(credits))
    }
  }
  const keyMaker = async ({ token, keyId: own }: Caller): Promise<void> => {
    const headers = { 'x-self-serve-token': token, 'content-type': 'application/json' }
    const revoke = async (id: string): Promise<void> => {
      if ((await ask(`${KEYS}/${id}/revoke`, headers, '{}'))?.body) heard.revoked.add(id)
    }
    // Keys whose revoking a kill came before; an account has ten at most.
    const listed = JSON.parse((await ask(KEYS, headers))?.body ?? '{"data":[]}') as Listed
    for (const { key_id: id, status } of listed.data) if (id !== own && status === 'active') await revoke(id)
    while (!over) {
      const made = await ask(KEYS, headers, '{"name":"of the campaign"}')
      if (made?.body == null) continue
      const { key_id: id } = JSON.parse(made.body) as { readonly key_id: string }
      heard.made.add(id)
      await revoke(id)
    }
  }
  const payer = async (): Promise<void> => {
    while (!over) {
      const [id, created] = [`evt_${randomUUID()}`, Math.floor(Date.now() / 1_000)]
      const body = JSON.stringify({ id, object: 'event', type: 'customer.created', created, livemode: false, data: { object: {} } })
      const signature = signed(body, WEBHOOK_SECRET, created)
      const headers = { 'payment-signature': signature, 'content-type': 'application/json' }
      if ((await ask('/v2/billing/webhook', headers, body)) !== null) heard.events.add(id)
    }
  }
  const running = Promise.all([
    ...callers.slice(0, READERS).map((caller, index) => reader(caller, index % 4 === 3 ? EXPORTS : READS)),
    keyMaker(callers[READERS]!),
    payer(),
  ])
  return {
    begun: begun.promise,
    /** The kill comes now. */
    ending(): void {
      isEnding = true
    },
    async stop(): Promise<void> {
      over = true
      await running
      agent.destroy()
    },
  }
}

const asked = (agent: Agent, url: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Arrived | Lost> =>
  new Promise(resolve => {
    let lost: Lost = 'not sent'
    const isOpen = (): void => {
      lost = 'cut'
    }
    const sent = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' }, response => {
      const head = { status: response.statusCode!, headers: response.headers as Readonly<Record<string, string>> }
      const pieces: Buffer[] = []
      response.on('data', piece => pieces.push(piece)).on('error', () => {})
      response.on('close', () => resolve({ ...head, body: response.complete ? Buffer.concat(pieces).toString('latin1') : null }))
    })
    sent.on('socket', socket => (socket.connecting ? void socket.once('connect', isOpen) : isOpen()))
    sent.on('error', () => resolve(lost))
    sent.end(body)
  })

/** What the state file that a kill left does not hold of what callers were told, or holds otherwise. */
function faultsOf({ stateDb }: Prepared, heard: Heard): readonly string[] {
  const { uses, sums } = ledgerOf(stateDb)
  const [credits, faults] = [new Map(uses.map(use => [use.requestId, use.credits])), [] as string[]]
  const wrong = [...heard.charged].filter(([id, charged]) => credits.get(id) !== charged)
  if (wrong.length > 0) faults.push(`${wrong.length} answers are not in the ledger with what they were said to cost, such as ${wrong[0]}`)
  if (!doBooksAgree(sums)) faults.push(`the state file is damaged, or the books differ: ${JSON.stringify(sums)}`)
  const [unheard, cut] = [uses.filter(({ requestId: id }) => !heard.charged.has(id) && !heard.bookedUnheard.has(id)), [...heard.cut]]
  for (const { requestId, accountId } of unheard) {
    const at = cut.indexOf(accountId)
    if (at === -1) faults.push(`${requestId} of ${accountId} is in the ledger, and no answer and no request that was cut`)
    else cut.splice(at, 1)
    heard.bookedUnheard.add(requestId)
  }
  const { keys, events } = inState(stateDb, db => ({
    keys: new Map(db.prepare<[], [string, string]>('SELECT id, status FROM api_key').raw().all()),
    events: new Set(db.prepare<[], string>('SELECT id FROM payment_event').pluck().all()),
  }))
  const lostKeys = [...heard.made].filter(id => !keys.has(id))
  const alive = [...heard.revoked].filter(id => keys.get(id) !== 'revoked')
  const lostEvents = [...heard.events].filter(id => !events.has(id))
  if (lostKeys.length > 0) faults.push(`${lostKeys.length} keys that were given out are gone`)
  if (alive.length > 0) faults.push(`${alive.length} revoked keys are active`)
  if (lostEvents.length > 0) faults.push(`${lostEvents.length} payment events that were acknowledged are gone`)
  return faults
}

/** One more start, which has to serve and to end in order. */
async function served(folder: Prepared, env: Readonly<Record<string, string>>, logs: string[]): Promise<readonly string[]> {
  const service = await start(folder, env)
  const ready = await fetch(`${service.url}/readyz`)
  const read = await fetch(`${service.url}${READS[0]}`, { headers: { 'x-api-key': folder.callers[0]!.key } })
  await read.arrayBuffer()
  const code = await service.stop()
  logs.push(service.output())
  const whole = inState(folder.stateDb, db => String(db.pragma('integrity_check', { simple: true })))
  return [
    ...(ready.status === 200 && read.status === 200 ? [] : [`the last start answers ${ready.status} and ${read.status}`]),
    ...(code === 0 ? [] : [`the last service ended with ${code}`]),
    ...(whole === 'ok' ? [] : [`the state file is damaged: ${whole}`]),
  ]
}

export const cases: readonly HostileCase[] = [
  {
    id: 'M2',
    tries: 'the service killed (SIGKILL) under reads, exports, new keys and payment events, and while it starts',
    holds: 'after a kill the ledger has every sent answer once, confirmed keys and events exist, and the next start serves',
    minutes: 40,
    run,
  },
]
