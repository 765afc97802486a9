import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../../../bench/table.ts'
import { asOfQueries, publishRestated } from '../as-of.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { type CallerResult, openSequentialCaller, type SequentialCaller } from '../sequential-caller.ts'
import { processorOf } from '../service.ts'
import { type Answer, type Attack, attacked, type Target } from '../target.ts'

/**
 * Loads: number of connections, which send without a pause, and number of their accounts. Two
 * accounts soon exceed their rate limit and are refused. Eight accounts do not.
 */
const LOADS = [
  { connections: 16, accounts: 2 },
  { connections: 64, accounts: 2 },
  { connections: 128, accounts: 2 },
  { connections: 256, accounts: 2 },
  { connections: 64, accounts: 8 },
  { connections: 256, accounts: 8 },
] as const
/** Path of a read from memory (cached histories). */
const cached = (index: number): string =>
  `/v2/datasets/institutional-positioning?symbol=${['2330', '2317', '6488'][index % 3]}&limit=${1 + (index % 50)}`
/** Path of a read by the engine: one day of all keys, with different limits. */
const engine = (index: number): string =>
  `/v2/datasets/institutional-positioning/cross-section?date=2026-06-${1 + (index % 30) < 10 ? `0${1 + (index % 30)}` : 1 + (index % 30)}&limit=${1 + (index % 997)}`
const PATHS = { 'in memory': cached, 'of the engine': engine } as const
const REFUSED = new Set(['rate_limited', 'concurrency_limited', 'overloaded'])
/**
 * Refusals per second that each account of a load may receive. The service closes the connections
 * of an account with more than 100.
 */
const REFUSALS_PER_S = 80
/** Number of refusals that are retried after their `Retry-After`. */
const RETRIED = 5
/** Minimum answer rate of the sequential account, relative to its fair rate. */
const FAIR = 0.5
/** Minimum throughput of 256 connections, relative to 64 connections of the same accounts. */
const THROUGHPUT = { most: 256, fewer: 64, least: 0.5 }
/**
 * Number of concurrent as-of queries of one account, and the minimum share of its read rate that
 * another account must retain.
 */
const AS_OF = { concurrent: 12, least: 0.1 }
/**
 * Pause of the sequential account between an answer and its next request, in milliseconds. The
 * pause keeps the account below its rate limit.
 */
const PAUSE_MS = 5
/** Number of answers after a start that are left out of the average. */
const WARM = 20
/** Number of paths that the sequential account requests round-robin. */
const SEQUENTIAL_PATHS = 500

const KINDS = Object.keys(PATHS).length
/**
 * Number of periods of equal length: one per load, one without load per kind of path, and two for
 * the as-of queries.
 */
const TURNS = KINDS * (LOADS.length + 1) + 2
/**
 * Number of accounts. Each sends in one period only, so that no account has exceeded its rate limit
 * before.
 */
const ACCOUNTS = KINDS * (LOADS.reduce((sum, { accounts }) => sum + accounts + 1, 0) + 1) + 3

interface Load {
  readonly connections: number
  readonly accounts: number
}

/** The results of a load. */
interface Loaded extends Load {
  readonly answered: number
  readonly refused: number
  readonly seconds: number
  /** Answers of the sequential account. */
  readonly polite: CallerResult
  /** Processor time of the service and of the callers, relative to one processor. */
  readonly processors: { readonly service: number; readonly callers: number }
}

/** Parameters for the sequential account. */
interface Alone {
  readonly sequential: SequentialCaller
  readonly key: string
  readonly path: (index: number) => string
  readonly seconds: number
}

const readSequentially = async ({ sequential, key, path, seconds }: Alone, failures: string[]): Promise<CallerResult> => {
  const paths = Array.from({ length: SEQUENTIAL_PATHS }, (_, index) => path(index))
  const result = await sequential.ask({ key, paths, ms: seconds * 1_000, pauseMs: PAUSE_MS })
  for (const refusal of result.refused.slice(0, RETRIED)) failures.push(`the sequential account got ${refusal}`)
  return result
}

/**
 * Fair rate of the sequential account during a load, in answers per second. In a fair service, one
 * answer for this account takes as long as one answer for every account. This is the time without
 * load or, if longer, the time between two answers of the service.
 */
const fairRate = (aloneMs: number, { accounts, answered, polite, seconds }: Loaded): number => {
  const turnMs = Math.max(aloneMs, (seconds * 1_000) / (answered + polite.times.length))
  return 1_000 / ((accounts + 1) * turnMs + PAUSE_MS)
}

/** Checks the status, code and wait of a refusal. */
function mistakeOf({ status, code, headers, body }: Answer): string | undefined {
  if (![429, 503].includes(status) || !REFUSED.has(code)) return `${status} ${code}: ${body.slice(0, 200)}`
  const after = headers['retry-after']
  if (!/^[1-9]\d*$/.test(String(after))) return `${code} with Retry-After ${after}`
  const { error } = JSON.parse(body)
  return error.retry_after === Number(after) ? undefined : `${code} with Retry-After ${after} and retry_after ${error.retry_after}`
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/**
 * Runs the connections of a load, and the sequential account.
 *
 * @param first index of the first caller of this load; its callers have sent nothing before
 */
async function runLoad(
  target: Target,
  sequential: SequentialCaller,
  first: number,
  { connections, accounts }: Load,
  seconds: number,
  path: (index: number) => string,
  failures: string[],
): Promise<Loaded> {
  const end = performance.now() + seconds * 1_000
  const counts = { answered: 0, refused: 0 }
  const again: (() => Promise<void>)[] = []
  const used = processorOf(target.pid)
  const own = process.cpuUsage()
  // At least 20 ms, because with a shorter pause the test would measure the client.
  const pauseMs = Math.max(20, (1_000 * connections) / accounts / REFUSALS_PER_S)
  let next = 0
  const asks = (caller: number, index: number): Attack => ({
    path: path(index),
    headers: { 'x-api-key': target.callers[first + caller]!.key },
  })
  const greedy = async (connection: number): Promise<void> => {
    while (performance.now() < end) {
      const attack = asks(connection % accounts, next++)
      const answer = await target.send(attack)
      const isLate = performance.now() >= end
      if (answer.status === 200) counts.answered += isLate ? 0 : 1
      else {
        counts.refused += isLate ? 0 : 1
        const mistake = mistakeOf(answer)
        if (mistake !== undefined) failures.push(mistake)
        else if (again.length < RETRIED) {
          const due = performance.now() + Number(answer.headers['retry-after']) * 1_000
          again.push(async () => {
            await sleep(Math.max(0, due - performance.now()))
            // Other connections of the account have used the newly available requests, so the
            // account is refused again.
            const alone = await target.send(attack)
            if (alone.status === 200) return
            const mistake = mistakeOf(alone)
            if (mistake !== undefined) return void failures.push(mistake)
            await sleep(Number(alone.headers['retry-after']) * 1_000)
            const { status, code } = await target.send(attack)
            if (status !== 200) failures.push(`after the wait that ${alone.code} named: ${status} ${code}`)
          })
        }
        await sleep(pauseMs)
      }
    }
  }
  const key = target.callers[first + accounts]!.key
  const [polite] = await Promise.all([
    readSequentially({ sequential, key, path, seconds }, failures),
    ...Array.from({ length: connections }, (_, connection) => greedy(connection)),
  ])
  const took = seconds + (performance.now() - end) / 1_000
  const { user, system } = process.cpuUsage(own)
  const processors = { service: (processorOf(target.pid) - used) / took, callers: (user + system) / 1e6 / took }
  for (const tried of again) await tried()
  return { connections, accounts, ...counts, polite, seconds, processors }
}

/**
 * Reads of one account: alone, then during the maximum number of concurrent as-of queries of
 * another account.
 */
async function duringAsOf(target: Target, sequential: SequentialCaller, first: number, seconds: number, failures: string[]) {
  const [alone, shared, asking] = target.callers.slice(first)
  const before = await readSequentially({ sequential, key: alone!.key, path: engine, seconds }, failures)
  const queries: number[] = []
  const ends = performance.now() + seconds * 1_000
  const query = async (): Promise<void> => {
    while (performance.now() < ends) {
      const began = performance.now()
      const answer = await target.send({ path: asOfQueries(queries.length), headers: { 'x-api-key': asking!.key } })
      queries.push(performance.now() - began)
      if (answer.status === 200) continue
      const mistake = mistakeOf(answer)
      if (mistake !== undefined) failures.push(mistake)
      await sleep(20)
    }
  }
  const [reads] = await Promise.all([
    readSequentially({ sequential, key: shared!.key, path: engine, seconds }, failures),
    ...Array.from({ length: AS_OF.concurrent }, query),
  ])
  return { before: before.times.length / seconds, reads: reads.times.length / seconds, queries }
}

export const cases: readonly HostileCase[] = [
  {
    id: 'R3',
    tries:
      '16 to 256 connections of two and of eight accounts without a pause, for answers in memory and from the engine, 12 concurrent as-of queries, and one sequential account',
    holds: 'under overload each request is answered or refused with a true Retry-After, and a sequential account keeps its fair share',
    async run(bounds: Bounds): Promise<Outcome> {
      const examples = join(bounds.folder, 'restated')
      await publishRestated(bounds, examples)
      return attacked(
        { ...bounds, examples },
        {
          plans: Array.from({ length: ACCOUNTS }, () => 'max' as const),
          env: { ANSWER_BYTES: '0' },
          meant: ['overloaded'],
          connections: 300,
        },
        async target => {
          const sequential = await openSequentialCaller(target)
          try {
            return await overloaded(bounds, target, sequential)
          } finally {
            await sequential.close()
          }
        },
      )
    },
  },
]

async function overloaded(bounds: Bounds, target: Target, sequential: SequentialCaller): Promise<Outcome> {
  const failures: string[] = []
  const figures: Record<string, string> = {}
  const seconds = bounds.seconds / TURNS
  // At a small scale, there are too few answers to compare rates.
  const isJudged = bounds.scale >= 0.1
  let [tries, first] = [0, 0]
  const say = (what: string, figure: string): void => {
    figures[what] = figure
    bounds.say(`${what}: ${figure}`)
  }
  for (const [what, path] of Object.entries(PATHS)) {
    const alone = await readSequentially({ sequential, key: target.callers[first++]!.key, path, seconds }, failures)
    const aloneMs = meanOf(alone.times.slice(WARM))
    const rates = new Map<string, number>()
    for (const load of LOADS.slice(0, scaled(bounds, LOADS.length))) {
      const loaded = await runLoad(target, sequential, first, load, seconds, path, failures)
      const { connections, accounts, answered, refused, polite, processors } = loaded
      first += accounts + 1
      tries += answered + refused + polite.times.length
      const [all, rate, fair] = [answered / loaded.seconds, polite.times.length / loaded.seconds, fairRate(aloneMs, loaded)]
      rates.set(`${connections} of ${accounts}`, all)
      const named = `${what}, ${connections} of ${accounts} accounts`
      say(
        named,
        `${Math.round(all)}/s, ${refused} refused, sequential account ${rate.toFixed(0)}/s of fair ${fair.toFixed(0)}/s at p50 ${quantile(polite.times, 0.5).toFixed(0)} ms, ${quantile(polite.inside, 0.5).toFixed(1)} ms of them in the service (without load ${aloneMs.toFixed(1)} ms on average), processors ${processors.service.toFixed(2)} and ${processors.callers.toFixed(2)} of the callers`,
      )
      if (isJudged && rate < FAIR * fair)
        failures.push(`${named}: the sequential account got ${rate.toFixed(1)}/s where ${fair.toFixed(1)}/s are fair`)
      const { status } = await target.send({ path: '/healthz' })
      if (status !== 200) failures.push(`/healthz answers ${status}`)
    }
    for (const { accounts } of LOADS.filter(({ connections }) => connections === THROUGHPUT.most)) {
      const [most, some] = [THROUGHPUT.most, THROUGHPUT.fewer].map(connections => rates.get(`${connections} of ${accounts}`))
      if (isJudged && most !== undefined && some !== undefined && most < THROUGHPUT.least * some)
        failures.push(
          `${what}: ${most.toFixed(0)}/s answered over ${THROUGHPUT.most} connections of ${accounts} accounts, ${some.toFixed(0)}/s over ${THROUGHPUT.fewer}`,
        )
    }
  }
  const { before, reads, queries } = await duringAsOf(target, sequential, first, seconds, failures)
  tries += queries.length
  say(
    `during ${AS_OF.concurrent} as-of queries`,
    `${reads.toFixed(0)}/s of ${before.toFixed(0)}/s alone; ${(queries.length / seconds).toFixed(0)} queries/s at p50 ${quantile(queries, 0.5).toFixed(0)} ms`,
  )
  if (isJudged && reads < AS_OF.least * before)
    failures.push(`during ${AS_OF.concurrent} as-of queries, another account had ${reads.toFixed(1)}/s of ${before.toFixed(1)}/s alone`)
  return { tries, failures, figures }
}
