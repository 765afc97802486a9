import { quantile } from '../../../../bench/table.ts'
import { workersOf } from '../../../fixtures/sql/worker-pids.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { BELIEVED, fromAddress } from '../documented.ts'
import { SQL_ATTEMPTS } from '../sql-attempts.ts'
import { attacked, inParallel, type Target } from '../target.ts'

/** Queries that succeed. Some of them use the whole time of a worker. */
const HEAVY = [
  'SELECT count(*) FROM range(300000000)',
  'SELECT ticker, sum(volume) FROM daily_prices GROUP BY ALL',
  'SELECT count(*) FROM range(1000000000000)',
  'SELECT count(*) FROM daily_prices a, daily_prices b, daily_prices c, range(100000) d',
]
/**
 * Attempts to query more than allowed. Leaves out those whose refusal repeats a word that no answer
 * may contain (`invariants.ts`).
 */
const ATTEMPTS = SQL_ATTEMPTS.filter(([text]) => !/read_parquet|sqlite_master/.test(text))
/** An inexpensive read of another account, answered from memory. */
const READ = '/v2/datasets/institutional-positioning?symbol=2330&limit=5'
/** Number of reads with, and without, concurrent SQL queries. */
const READS = 600
/** Maximum factor by which the 99th percentile may rise while SQL queries run. */
const SLOWER = 2
/** Milliseconds below which a slow answer counts as noise of the machine. */
const NOISE_MS = 20
const QUERIES_IN_PARALLEL = 50
const KILLS = 20
/**
 * Time limit in milliseconds. A query may wait 20 s to be parsed and 20 s for a process, and then
 * run for 15 s.
 */
const TIMEOUT_MS = 90_000

export const cases: readonly HostileCase[] = [
  {
    id: 'Q9',
    tries:
      'SQL queries that read files, settings, computed names, other plans or much memory, or never end; cancellation storms; kills of the workers; 50 queries in parallel',
    holds:
      'each attempt is refused by its name without a charge and without a path, the ledger has exactly the answers, and reads of another account stay fast',
    minutes: 20,
    run: (bounds: Bounds): Promise<Outcome> =>
      attacked(
        bounds,
        {
          plans: Array.from({ length: 12 }, () => 'max' as const),
          env: { ...BELIEVED, SQL: 'on' },
          meant: ['query_timeout', 'overloaded'],
        },
        async target => {
          const failures: string[] = []
          const count = Math.min(ATTEMPTS.length, scaled(bounds, 200 * ATTEMPTS.length))
          const tries = await inParallel(count, 4, bounds.seconds, async index => {
            const [text, refusal] = ATTEMPTS[index]!
            const { status, body, headers } = await post(target, index, text)
            const isBusy = status === 503 || status === 429
            if (!isBusy && !(status === 422 || (status === 504 && refusal === 'time limit')))
              failures.push(`${text.slice(0, 80)}: ${status} ${body.slice(0, 200)}`)
            if (Number(headers['x-credits-charged']) > 0) failures.push(`${text.slice(0, 80)} was charged`)
          })
          const alone = await readLatencies(target)
          const running = inParallel(scaled(bounds, 400), QUERIES_IN_PARALLEL, bounds.seconds, async index => {
            await post(target, index, HEAVY[index % HEAVY.length]!)
          })
          const storm = inParallel(scaled(bounds, 400), 8, bounds.seconds, index =>
            target.abandon(queryOf(target, index, HEAVY[index % HEAVY.length]!), 5 + (index % 200)),
          )
          const kills = killWorkers(target.pid, scaled(bounds, KILLS))
          const during = await readLatencies(target)
          await Promise.all([running, storm, kills])
          const [p99Alone, p99During] = [quantile(alone, 0.99), quantile(during, 0.99)]
          if (bounds.scale === 1 && p99During > SLOWER * Math.max(p99Alone, NOISE_MS))
            failures.push(`reads during SQL: p99 ${p99During.toFixed(1)} ms, alone ${p99Alone.toFixed(1)} ms`)
          const { status, body } = await post(target, 0, 'SELECT 1 AS works')
          if (status !== 200) failures.push(`a query after the attack: ${status} ${body.slice(0, 200)}`)
          return { tries, failures, figures: { 'p99 alone, ms': p99Alone.toFixed(1), 'p99 during SQL, ms': p99During.toFixed(1) } }
        },
      ),
  },
]

/** Keys of all accounts but the last. The last account only reads. */
const keyOf = ({ callers }: Target, index: number): string => callers[index % (callers.length - 1)]!.key

const queryOf = (target: Target, index: number, text: string) => ({
  method: 'POST',
  path: '/v2/sql',
  headers: { 'content-type': 'application/json', 'x-api-key': keyOf(target, index), ...fromAddress(index) },
  body: JSON.stringify({ q: text }),
  timeoutMs: TIMEOUT_MS,
})

const post = (target: Target, index: number, text: string) => target.send(queryOf(target, index, text))

async function readLatencies(target: Target): Promise<readonly number[]> {
  const { key } = target.callers.at(-1)!
  const latencies: number[] = []
  for (let index = 0; index < READS; index++) {
    const began = performance.now()
    const { status } = await target.send({ path: READ, headers: { 'x-api-key': key, ...fromAddress(1_000_000) } })
    if (status === 200) latencies.push(performance.now() - began)
  }
  return latencies
}

/** Kills SQL workers of a service, one after the other. Linux only. */
async function killWorkers(servicePid: number, count: number): Promise<void> {
  for (let killed = 0; killed < count; ) {
    for (const pid of workersOf(servicePid)) {
      process.kill(pid, 'SIGKILL')
      killed++
    }
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}
