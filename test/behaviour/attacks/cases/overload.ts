import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../../../bench/table.ts'
import { asOfQueries, publishRestated } from '../as-of.ts'
import { type Asked, type Beside, openBeside } from '../beside.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { processorOf } from '../service.ts'
import { type Answer, type Attack, attacked, type Target } from '../target.ts'

/** Connections without a pause, and the accounts they are of. Two have used up their minute soon, and are refused then; eight have not. */
const LOADS = [
  { connections: 16, accounts: 2 },
  { connections: 64, accounts: 2 },
  { connections: 128, accounts: 2 },
  { connections: 256, accounts: 2 },
  { connections: 64, accounts: 8 },
  { connections: 256, accounts: 8 },
] as const
/** Answered from memory: the histories of keys are there. */
const cached = (index: number): string =>
  `/v2/datasets/institutional-positioning?symbol=${['2330', '2317', '6488'][index % 3]}&limit=${1 + (index % 50)}`
/** Asked of the engine: a day of all keys, of which no two are alike. */
const engine = (index: number): string =>
  `/v2/datasets/institutional-positioning/cross-section?date=2026-06-${1 + (index % 30) < 10 ? `0${1 + (index % 30)}` : 1 + (index % 30)}&limit=${1 + (index % 997)}`
const PATHS = { 'in memory': cached, 'of the engine': engine } as const
const REFUSED = new Set(['rate_limited', 'concurrency_limited', 'overloaded'])
/** Refusals that are tried again once the time they name is over. */
const TRIED_AGAIN = 5
/** Share of what is fair that the account beside gets at least. */
const FAIR = 0.5
/** Share of the answers a second of 64 connections that 256 of as many accounts have at least. */
const THROUGHPUT = { of: 256, beside: 64, least: 0.5 }
/** Queries as of a day of another release, at once, of one account, and the share of its reads that another keeps beside them. */
const AS_OF = { atOnce: 12, least: 0.1 }
/** Rest of the account beside between an answer and its next request, which keeps it below the requests a minute of its plan. */
const PAUSE_MS = 5
/** Answers of a service that has just begun, which are not what one takes alone. */
const WARM = 20
/** Paths that the account beside asks for in turn. */
const PATHS_BESIDE = 500

const KINDS = Object.keys(PATHS).length
/** Times of equal length: a load each, one alone for each kind of path, and one alone and one beside for queries as of a day. */
const TURNS = KINDS * (LOADS.length + 1) + 2
/** Accounts of which each calls in one of these times alone, so that none has used up its minute before. */
const ACCOUNTS = KINDS * (LOADS.reduce((sum, { accounts }) => sum + accounts + 1, 0) + 1) + 3

interface Load {
  readonly connections: number
  readonly accounts: number
}

/** What came of a load. */
interface Loaded extends Load {
  readonly answered: number
  readonly refused: number
  readonly seconds: number
  /** What the account beside got. */
  readonly polite: Asked
  /** Share of one processor that the service had, and that the callers had. */
  readonly processors: { readonly service: number; readonly callers: number }
}

/** Where one account asks for one thing after the other. */
interface Alone {
  readonly beside: Beside
  readonly key: string
  readonly path: (index: number) => string
  readonly seconds: number
}

const oneByOne = async ({ beside, key, path, seconds }: Alone, failures: string[]): Promise<Asked> => {
  const paths = Array.from({ length: PATHS_BESIDE }, (_, index) => path(index))
  const asked = await beside.ask({ key, paths, ms: seconds * 1_000, pauseMs: PAUSE_MS })
  for (const told of asked.refused.slice(0, TRIED_AGAIN)) failures.push(`the caller that asks for one thing after the other got ${told}`)
  return asked
}

/**
 * Answers a second that an account which asks for one thing after the other may expect beside greedy ones: each of its answers takes
 * as long as a turn of each account, which is the time it takes alone or, where that is longer, the time from one answer of all to the next.
 */
const fairRate = (aloneMs: number, { accounts, answered, polite, seconds }: Loaded): number => {
  const turnMs = Math.max(aloneMs, (seconds * 1_000) / (answered + polite.times.length))
  return 1_000 / ((accounts + 1) * turnMs + PAUSE_MS)
}

/** Checks a refusal: what it is, and that body and header name the same wait. */
function mistakeOf({ status, code, headers, body }: Answer): string | undefined {
  if (![429, 503].includes(status) || !REFUSED.has(code)) return `${status} ${code}: ${body.slice(0, 200)}`
  const after = headers['retry-after']
  if (!/^[1-9]\d*$/.test(String(after))) return `${code} with Retry-After ${after}`
  const { error } = JSON.parse(body)
  return error.retry_after === Number(after) ? undefined : `${code} with Retry-After ${after} and retry_after ${error.retry_after}`
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** All greedy connections at once, for some seconds, and the polite caller beside them. @param first of the callers whose load it is, none of whom called before */
async function load(
  target: Target,
  beside: Beside,
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
        else if (again.length < TRIED_AGAIN) {
          const due = performance.now() + Number(answer.headers['retry-after']) * 1_000
          again.push(async () => {
            await sleep(Math.max(0, due - performance.now()))
            // What came back in that time went to other connections of the account, which asked on; a refusal now is one of a caller alone.
            const alone = await target.send(attack)
            if (alone.status === 200) return
            const mistake = mistakeOf(alone)
            if (mistake !== undefined) return void failures.push(mistake)
            await sleep(Number(alone.headers['retry-after']) * 1_000)
            const { status, code } = await target.send(attack)
            if (status !== 200) failures.push(`after the wait that ${alone.code} named: ${status} ${code}`)
          })
        }
        // Whoever is refused and asks on at once measures the client.
        await sleep(20)
      }
    }
  }
  const key = target.callers[first + accounts]!.key
  const [polite] = await Promise.all([
    oneByOne({ beside, key, path, seconds }, failures),
    ...Array.from({ length: connections }, (_, connection) => greedy(connection)),
  ])
  const took = seconds + (performance.now() - end) / 1_000
  const { user, system } = process.cpuUsage(own)
  const processors = { service: (processorOf(target.pid) - used) / took, callers: (user + system) / 1e6 / took }
  for (const tried of again) await tried()
  return { connections, accounts, ...counts, polite, seconds, processors }
}

/** Reads of one account, alone and beside as many queries as of a day of another release as one account may have at once. */
async function besideAsOf(target: Target, beside: Beside, first: number, seconds: number, failures: string[]) {
  const [alone, shared, asking] = target.callers.slice(first)
  const before = await oneByOne({ beside, key: alone!.key, path: engine, seconds }, failures)
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
    oneByOne({ beside, key: shared!.key, path: engine, seconds }, failures),
    ...Array.from({ length: AS_OF.atOnce }, query),
  ])
  return { before: before.times.length / seconds, reads: reads.times.length / seconds, queries }
}

export const cases: readonly HostileCase[] = [
  {
    id: 'R3',
    tries:
      '16 to 256 connections of two and of eight accounts without a pause, for answers in memory and from the engine, 12 as-of queries at once, and one sequential account',
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
          const beside = await openBeside(target)
          try {
            return await overloaded(bounds, target, beside)
          } finally {
            await beside.close()
          }
        },
      )
    },
  },
]

async function overloaded(bounds: Bounds, target: Target, beside: Beside): Promise<Outcome> {
  const failures: string[] = []
  const figures: Record<string, string> = {}
  const seconds = bounds.seconds / TURNS
  // A few answers are too few to tell shares apart.
  const isJudged = bounds.scale >= 0.1
  let [tries, first] = [0, 0]
  const say = (what: string, figure: string): void => {
    figures[what] = figure
    bounds.say(`${what}: ${figure}`)
  }
  for (const [what, path] of Object.entries(PATHS)) {
    const alone = await oneByOne({ beside, key: target.callers[first++]!.key, path, seconds }, failures)
    const aloneMs = meanOf(alone.times.slice(WARM))
    const rates = new Map<string, number>()
    for (const one of LOADS.slice(0, scaled(bounds, LOADS.length))) {
      const loaded = await load(target, beside, first, one, seconds, path, failures)
      const { connections, accounts, answered, refused, polite, processors } = loaded
      first += accounts + 1
      tries += answered + refused + polite.times.length
      const [all, rate, fair] = [answered / loaded.seconds, polite.times.length / loaded.seconds, fairRate(aloneMs, loaded)]
      rates.set(`${connections} of ${accounts}`, all)
      const named = `${what}, ${connections} of ${accounts} accounts`
      say(
        named,
        `${Math.round(all)}/s, ${refused} refused, beside ${rate.toFixed(0)}/s of ${fair.toFixed(0)}/s at p50 ${quantile(polite.times, 0.5).toFixed(0)} ms, ${quantile(polite.inside, 0.5).toFixed(1)} of them as the service tells (alone ${aloneMs.toFixed(1)} ms on average), processors ${processors.service.toFixed(2)} and ${processors.callers.toFixed(2)} of the callers`,
      )
      if (isJudged && rate < FAIR * fair)
        failures.push(`${named}: the account beside got ${rate.toFixed(1)}/s where ${fair.toFixed(1)}/s are fair`)
      const { status } = await target.send({ path: '/healthz' })
      if (status !== 200) failures.push(`/healthz answers ${status}`)
    }
    for (const { accounts } of LOADS.filter(({ connections }) => connections === THROUGHPUT.of)) {
      const [most, some] = [THROUGHPUT.of, THROUGHPUT.beside].map(connections => rates.get(`${connections} of ${accounts}`))
      if (isJudged && most !== undefined && some !== undefined && most < THROUGHPUT.least * some)
        failures.push(
          `${what}: ${most.toFixed(0)}/s answered over ${THROUGHPUT.of} connections of ${accounts} accounts, ${some.toFixed(0)}/s over ${THROUGHPUT.beside}`,
        )
    }
  }
  const { before, reads, queries } = await besideAsOf(target, beside, first, seconds, failures)
  tries += queries.length
  say(
    `beside ${AS_OF.atOnce} queries as of a day`,
    `${reads.toFixed(0)}/s of ${before.toFixed(0)}/s alone; ${(queries.length / seconds).toFixed(0)} queries/s at p50 ${quantile(queries, 0.5).toFixed(0)} ms`,
  )
  if (isJudged && reads < AS_OF.least * before)
    failures.push(`beside ${AS_OF.atOnce} queries as of a day, another account had ${reads.toFixed(1)}/s of ${before.toFixed(1)}/s alone`)
  return { tries, failures, figures }
}
