import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../../bench/table.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { type Answer, type Attack, attacked, type Target } from '../target.ts'

const CONNECTIONS = [16, 64, 128, 256]
/** Answered from memory: the histories of keys are there. */
const cached = (index: number): string =>
  `/v2/datasets/institutional-positioning?symbol=${['2330', '2317', '6488'][index % 3]}&limit=${1 + (index % 50)}`
/** Asked of the engine: a day of all keys, of which no two are alike. */
const engine = (index: number): string =>
  `/v2/datasets/institutional-positioning/cross-section?date=2026-06-${1 + (index % 30) < 10 ? `0${1 + (index % 30)}` : 1 + (index % 30)}&limit=${1 + (index % 997)}`
const PATHS = { 'in memory': cached, 'of the engine': engine } as const
/** Accounts that ask for too much together, and one that asks for one thing after the other. */
const [GREEDY, POLITE] = [2, 1]
const REFUSED = new Set(['rate_limited', 'concurrency_limited', 'overloaded'])
/** Refusals that are tried again once the time they name is over. */
const TRIED_AGAIN = 5
/** A caller alone gets at least this share of what a connection of the greedy ones gets; less would be a turn that comes too late. */
const FAIR = 0.5

const LOADS = Object.keys(PATHS).length * CONNECTIONS.length

interface Load {
  readonly answered: number
  readonly refused: number
  readonly polite: readonly number[]
  readonly seconds: number
}

/** Checks a refusal: what it is, and that body and header name the same wait. */
function mistakeOf({ status, code, headers, body }: Answer): string | undefined {
  if (![429, 503].includes(status) || !REFUSED.has(code)) return `${status} ${code}: ${body.slice(0, 200)}`
  const after = headers['retry-after']
  if (!/^[1-9]\d*$/.test(String(after))) return `${code} with Retry-After ${after}`
  const { error } = JSON.parse(body)
  return error.retry_after === Number(after) ? undefined : `${code} with Retry-After ${after} and retry_after ${error.retry_after}`
}

/** All greedy connections at once, for some seconds, and the polite caller beside them. @param first of the callers whose load it is, none of whom called before */
async function load(
  target: Target,
  first: number,
  connections: number,
  seconds: number,
  path: (index: number) => string,
  failures: string[],
): Promise<Load> {
  const end = performance.now() + seconds * 1_000
  const counts = { answered: 0, refused: 0 }
  const again: (() => Promise<void>)[] = []
  const polite: number[] = []
  let next = 0
  const asks = (caller: number, index: number): Attack => ({
    path: path(index),
    headers: { 'x-api-key': target.callers[first + caller]!.key },
  })
  const greedy = async (connection: number): Promise<void> => {
    while (performance.now() < end) {
      const attack = asks(connection % GREEDY, next++)
      const answer = await target.send(attack)
      if (answer.status === 200) counts.answered++
      else {
        counts.refused++
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
  const alone = async (): Promise<void> => {
    for (let index = 0; performance.now() < end; index++) {
      const began = performance.now()
      const { status, code } = await target.send(asks(GREEDY, index))
      polite.push(performance.now() - began)
      // Below the requests a minute of its plan.
      await sleep(5)
      if (status !== 200) failures.push(`the caller that asks for one thing after the other got ${status} ${code}`)
    }
  }
  await Promise.all([...Array.from({ length: connections }, (_, connection) => greedy(connection)), alone()])
  for (const tried of again) await tried()
  return { ...counts, polite, seconds }
}

export const cases: readonly HostileCase[] = [
  {
    id: 'R3',
    tries:
      '16, 64, 128 and 256 connections of two accounts that ask without a pause, for what is in memory and of the engine; one account beside them that asks for one thing after the other',
    holds:
      'each is answered, or refused with a Retry-After that is true; the account beside is never refused and gets its turn as often as a connection of the others; health is answered',
    run: (bounds: Bounds): Promise<Outcome> =>
      attacked(
        bounds,
        {
          plans: Array.from({ length: LOADS * (GREEDY + POLITE) }, () => 'max' as const),
          env: { ANSWER_BYTES: '0' },
          meant: ['overloaded'],
          connections: 300,
        },
        async target => {
          const failures: string[] = []
          const figures: Record<string, string> = {}
          let tries = 0
          let first = 0
          for (const [what, path] of Object.entries(PATHS))
            for (const connections of CONNECTIONS.slice(0, scaled(bounds, CONNECTIONS.length))) {
              const { answered, refused, polite, seconds } = await load(target, first, connections, bounds.seconds / LOADS, path, failures)
              first += GREEDY + POLITE
              tries += answered + refused + polite.length
              const share = polite.length / Math.max(1, answered / connections)
              // A few answers are too few to tell shares apart.
              if (bounds.scale >= 0.1 && share < FAIR)
                failures.push(
                  `${what}, ${connections} connections: the account beside got ${share.toFixed(1)} times one of their connections`,
                )
              const { status } = await target.send({ path: '/healthz' })
              if (status !== 200) failures.push(`/healthz answers ${status}`)
              figures[`${what}, ${connections}`] =
                `${Math.round(answered / seconds)}/s, ${refused} refused, beside ${Math.round(polite.length / seconds)}/s at p50 ${quantile(polite, 0.5).toFixed(0)} ms`
              bounds.say(`${what}, ${connections} connections: ${figures[`${what}, ${connections}`]}`)
            }
          return { tries, failures, figures }
        },
      ),
  },
]
