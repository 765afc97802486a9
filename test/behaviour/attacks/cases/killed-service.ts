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
/** Every n-th start is killed before it serves. */
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
/** Expected statuses: success and rate limits. */
const TOLD = new Set([200, 402, 429, 503])

/** No answer: the connection broke before one began. */
type Lost = 'cut' | 'not sent'

/** An answer whose headers arrived. */
interface Arrived {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The whole body; null if the connection broke before its end. */
  readonly body: string | null
}

/** Listed keys of an account. */
interface Listed {
  readonly data: readonly { readonly key_id: string; readonly status: string }[]
}

/** Answers that callers received over all starts. */
interface Heard {
  /** Charged credits by request id. */
  readonly charged: Map<string, number>
  /**
   * Accounts of row requests that a kill of this start cut before the answer began. The ledger may
   * have their use.
   */
  cut: readonly string[]
  /** Ids of the uses of such requests in the ledger. */
  readonly bookedUnheard: Set<string>
  /** Request ids that occurred in two answers. */
  readonly repeated: string[]
  /** Unexpected statuses. */
  readonly strange: string[]
  /** Ids of created keys. */
  readonly made: Set<string>
  readonly revoked: Set<string>
  /** Ids of acknowledged payment events. */
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
      await load.started
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

/** A start that is killed before or while it listens. */
async function killedEarly({ dir }: Prepared, env: Readonly<Record<string, string>>): Promise<void> {
  const child = startTwmd(dir, ['serve'], env)
  const gone = once(child, 'exit')
  await sleep(Math.random() * 1_200)
  child.kill('SIGKILL')
  await gone
}

/**
 * Sends reads, exports, new keys, revocations and payment events until the service has ended.
 * Connections may break after `ending` was called.
 */
function underLoad(audit: Audit, url: string, callers: readonly Caller[], heard: Heard) {
  const agent = new Agent({ keepAlive: true })
  const started = Promise.withResolvers<void>()
  let [isEnding, hasEnded] = [false, false]
  /**
   * Null if no 200 answer began.
   * @param account the charged account; absent for free requests
   */
  const ask = async (path: string, headers: Readonly<Record<string, string>>, body?: string, account?: string): Promise<Arrived | null> => {
    const arrived = await sendOrLose(agent, `${url}${path}`, headers, body)
    const isLost = typeof arrived === 'string'
    if (arrived === 'cut' && account !== undefined) heard.cut = [...heard.cut, account]
    if (isLost || arrived.body === null) {
      if (!isEnding) heard.strange.push(`${path} had ${isLost ? 'no answer' : 'half an answer'} before the kill`)
      hasEnded = true
    } else {
      heard.whole++
      audit.note(path, answerOf(arrived.status, arrived.headers, arrived.body), headers)
    }
    if (!isLost && !TOLD.has(arrived.status))
      heard.strange.push(`${path} was answered with ${arrived.status}: ${arrived.body?.slice(0, 200)}`)
    started.resolve()
    return !isLost && arrived.status === 200 ? arrived : null
  }
  const reader = async ({ key, accountId }: Caller, paths: readonly string[]): Promise<void> => {
    for (let turn = 0; !hasEnded; turn++) {
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
    // Keys that a kill left unrevoked. An account may have ten keys.
    const listed = JSON.parse((await ask(KEYS, headers))?.body ?? '{"data":[]}') as Listed
    for (const { key_id: id, status } of listed.data) if (id !== own && status === 'active') await revoke(id)
    while (!hasEnded) {
      const made = await ask(KEYS, headers, '{"name":"of the campaign"}')
      if (made?.body == null) continue
      const { key_id: id } = JSON.parse(made.body) as { readonly key_id: string }
      heard.made.add(id)
      await revoke(id)
    }
  }
  const payer = async (): Promise<void> => {
    while (!hasEnded) {
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
    started: started.promise,
    /** Announces the kill. */
    ending(): void {
      isEnding = true
    },
    async stop(): Promise<void> {
      hasEnded = true
      await running
      agent.destroy()
    },
  }
}

const sendOrLose = (agent: Agent, url: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Arrived | Lost> =>
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

/**
 * Compares the state file after a kill with what callers received.
 * @returns the faults
 */
function faultsOf({ stateDb }: Prepared, heard: Heard): readonly string[] {
  const { uses, sums } = ledgerOf(stateDb)
  const [credits, faults] = [new Map(uses.map(use => [use.requestId, use.credits])), [] as string[]]
  const wrong = [...heard.charged].filter(([id, charged]) => credits.get(id) !== charged)
  if (wrong.length > 0) faults.push(`${wrong.length} answers are not in the ledger at their stated price, such as ${wrong[0]}`)
  if (!doBooksAgree(sums)) faults.push(`the state file is damaged, or the books differ: ${JSON.stringify(sums)}`)
  const [unheard, cut] = [uses.filter(({ requestId: id }) => !heard.charged.has(id) && !heard.bookedUnheard.has(id)), [...heard.cut]]
  for (const { requestId, accountId } of unheard) {
    const index = cut.indexOf(accountId)
    if (index === -1) faults.push(`${requestId} of ${accountId} is in the ledger, and no answer and no request that was cut`)
    else cut.splice(index, 1)
    heard.bookedUnheard.add(requestId)
  }
  const { keys, events } = inState(stateDb, db => ({
    keys: new Map(db.prepare<[], [string, string]>('SELECT id, status FROM api_key').raw().all()),
    events: new Set(db.prepare<[], string>('SELECT id FROM payment_event').pluck().all()),
  }))
  const lostKeys = [...heard.made].filter(id => !keys.has(id))
  const alive = [...heard.revoked].filter(id => keys.get(id) !== 'revoked')
  const lostEvents = [...heard.events].filter(id => !events.has(id))
  if (lostKeys.length > 0) faults.push(`${lostKeys.length} confirmed keys are missing`)
  if (alive.length > 0) faults.push(`${alive.length} revoked keys are active`)
  if (lostEvents.length > 0) faults.push(`${lostEvents.length} acknowledged payment events are missing`)
  return faults
}

/** Starts once more: the service must serve and stop with exit code 0. */
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
