import { existsSync, globSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { PLANS } from '../../../../catalog/index.ts'
import { inState } from '../../../state/folder.ts'
import type { Answer } from '../ask.ts'
import { auditing } from '../audited.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { type Caller, ledgerOf, prepare, start } from '../service.ts'

const JUMPS = 120
const READS = 8
/** Offsets from the machine's clock in seconds. The case uses one after the other. */
const OFFSETS = [0, 3_600, -3_600, 6 * 3_600, -18 * 3_600, 31 * 86_400, 0, -31 * 86_400, 62 * 86_400, -3_600, 365 * 86_400, 0]
const READ = '/v2/datasets/institutional-positioning?symbol=2330'
/**
 * Number of requests in a burst: more than a free account may send per minute, so that some are
 * refused.
 */
const BURST = PLANS.free.requestsPerMinute + 20

/** Path of the library of faketime. Undefined if it is not installed. */
const library = (): string | undefined =>
  [...globSync('/usr/lib/*/faketime/libfaketime.so.1'), '/usr/lib/faketime/libfaketime.so.1'].find(file => existsSync(file))

const MONTH = (ms: number): string => new Date(ms + 8 * 3_600_000).toISOString().slice(0, 7)

async function run(bounds: Bounds): Promise<Outcome> {
  const preload = library()
  if (preload === undefined) return { tries: 0, failures: [], skipped: 'libfaketime, which shifts a clock, is not installed' }
  const folder = prepare(bounds, ['max', 'pro', 'free'])
  const clock = join(bounds.folder, 'clock')
  const jump = (seconds: number): void => writeFileSync(clock, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`)
  jump(0)
  const env = {
    LD_PRELOAD: preload,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
  const service = await start(folder, env)
  const agent = new Agent({ keepAlive: true })
  const audit = auditing(folder)
  const [max, pro, free] = folder.callers as readonly [Caller, Caller, Caller]
  const get = (path: string, headers: Readonly<Record<string, string>>) => audit.ask(agent, `${service.url}${path}`, headers)
  const failures: string[] = []
  /** Charged credits by account and month, according to the shifted clock. */
  const spent = new Map<string, number>()
  const ids = new Set<string>()
  const counts = { 'sessions expired': 0, 'sessions rate limited': 0, 'keys expired': 0, 'requests beyond the limit': 0 }
  const made = await audit.ask(
    agent,
    `${service.url}/v2/self-serve/api-keys`,
    { 'x-self-serve-token': max.token },
    '{"name":"a day","expires_in_days":1}',
  )
  const { api_key: daily } = JSON.parse(String(made.body)) as { readonly api_key: string }
  const note = ({ status, headers }: Answer, account: string, month: string): void => {
    if (status !== 200) return
    ids.add(headers['x-request-id']!)
    const name = `${account} ${month}`
    spent.set(name, (spent.get(name) ?? 0) + Number(headers['x-credits-charged']))
  }
  const jumps = scaled(bounds, JUMPS)
  for (let turn = 0; turn < jumps; turn++) {
    const offset = OFFSETS[turn % OFFSETS.length]!
    jump(offset)
    const fault = (text: string): void => void failures.push(`jump ${turn + 1}, to ${offset} s: ${text}`)
    for (let read = 0; read < READS; read++) {
      const [now, caller] = [Date.now() + offset * 1_000, read % 2 === 0 ? max : pro]
      const answer = await get(READ, { 'x-api-key': caller.key })
      if (MONTH(now) !== MONTH(Date.now() + offset * 1_000)) continue
      note(answer, caller.accountId, MONTH(now))
      const left = PLANS[caller.plan].creditsPerMonth - (spent.get(`${caller.accountId} ${MONTH(now)}`) ?? 0)
      const { 'x-credits-remaining': remaining, 'x-credits-reset': reset } = answer.headers
      if (answer.status !== 200) fault(`a read is answered with ${answer.status}: ${answer.body}`)
      else if (Number(remaining) !== left) fault(`${remaining} credits are left, of ${left}`)
      else if (!(Date.parse(reset!) > now && Date.parse(reset!) - now < 32 * 86_400_000)) fault(`credits return at ${reset}`)
    }
    const session = await get('/v2/self-serve/api-keys', { 'x-self-serve-token': max.token })
    if (session.status === 401) counts['sessions expired']++
    // If this loop runs fast, the session exceeds its rate limit.
    const isRateLimited = session.status === 429 && String(session.body).includes('"rate_limited"')
    if (isRateLimited) counts['sessions rate limited']++
    else if (![200, 401].includes(session.status) || (session.status === 401 && offset < 12 * 3_600 && turn < OFFSETS.indexOf(31 * 86_400)))
      fault(`the session is answered with ${session.status}`)
    const key = await get(READ, { 'x-api-key': daily })
    note(key, max.accountId, MONTH(Date.now() + offset * 1_000))
    if (key.status === 401) counts['keys expired']++
    if (key.status !== (offset > 86_400 ? 401 : 200)) fault(`the key of a day is answered with ${key.status}`)
    const ready = await get('/readyz', {})
    if (ready.status !== 200) fault(`/readyz is ${ready.status}: ${ready.body}`)
    if (turn % 20 === 19) bounds.say(`${turn + 1} jumps, ${ids.size} answers`)
  }
  // Rate limits use a monotonic clock, which the shift does not affect. A burst therefore stays
  // within one period.
  let allowed = 0
  for (let sent = 0; sent < BURST; sent++) {
    if (sent % 10 === 0) jump(OFFSETS[(sent / 10) % OFFSETS.length]!)
    const { status } = await get('/v2/account/entitlements', { 'x-api-key': free.key })
    if (status === 200) allowed++
    else if (status === 429) counts['requests beyond the limit']++
    else failures.push(`a burst is answered with ${status}`)
  }
  jump(0)
  agent.destroy()
  if (counts['requests beyond the limit'] === 0 || allowed < PLANS.free.requestsPerMinute / 2)
    failures.push(`of ${BURST} requests of a free account ${allowed} were answered`)
  if ((await service.stop()) !== 0) failures.push('the service did not end in order')
  failures.push(...booksOf(folder.stateDb, spent), ...audit.findings(service.output(), ledgerOf(folder.stateDb)).failures)
  return {
    tries: jumps,
    failures,
    figures: { answers: ids.size, 'months charged': new Set([...spent.keys()].map(name => name.split(' ')[1])).size, ...counts },
  }
}

/** Months in which the ledger's credits differ from the charges that answers stated. */
function booksOf(stateDb: string, spent: ReadonlyMap<string, number>): readonly string[] {
  const periods = inState(stateDb, db =>
    db.prepare<[], [string, string, number]>('SELECT account_id, period, credits FROM account_period WHERE credits > 0').raw().all(),
  )
  const wrong = periods.filter(([account, period, credits]) => spent.get(`${account} ${period}`) !== credits)
  return wrong.length > 0 || periods.length !== spent.size
    ? [`months: ${JSON.stringify(periods)}, answers ${JSON.stringify([...spent])}`]
    : []
}

export const cases: readonly HostileCase[] = [
  {
    id: 'M5',
    tries: 'the clock of a running service moved forward and back by hours, months and a year, between reads and within a burst',
    holds: 'each read is charged once in the month of its time, credits reset once a month, and rate limits ignore the clock',
    run,
  },
]
