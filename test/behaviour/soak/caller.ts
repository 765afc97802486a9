import { Agent, request } from 'node:http'
import type { Answered, Call, Kind } from './calls.ts'
import type { Life } from './running.ts'

/** The outcome of one request. */
export interface Outcome {
  readonly kind: string
  /** Milliseconds from sending the request to the last byte; only for answers. */
  readonly ms: number
  /** The fault in a few words; null if there was none. */
  readonly fault: string | null
  /**
   * True if the service was stopping, killed or not running before the answer was complete. Such
   * requests are not faults.
   */
  readonly cut: boolean
  /**
   * True if the service refused the request as `overloaded`. The load then exceeds the capacity of
   * this machine.
   */
  readonly shed: boolean
}

export interface CallerDeps {
  readonly kinds: Readonly<Record<string, Kind>>
  /** Requests per second, sent even if earlier ones are not answered. */
  readonly rate: number
  /** The running service. Null while no service runs. */
  readonly life: () => Life | null
  /** True while the service is being stopped. */
  readonly ending: () => boolean
  readonly record: (outcome: Outcome) => void
  /**
   * Called for each request that was due but not sent, because too many requests were in progress.
   */
  readonly unsent: () => void
  /**
   * Time limit for a whole answer in milliseconds. Slower answers are aborted and count as faults.
   */
  readonly patienceMs: number
  /** Called with the charge of an answer, before the answer is checked. */
  readonly charged: (requestId: string, key: string | undefined, credits: number) => void
}

/**
 * Maximum number of requests in progress, so that a service without answers does not exhaust the
 * machine.
 */
export const MOST_UNDER_WAY = 256
const TICK_MS = 10
/**
 * Milliseconds after which idle connections are closed here. The service closes them after a minute
 * or more, and a request sent at that moment would fail without a fault of the service.
 */
const IDLE_MS = 20_000
const openAgent = (): Agent => new Agent({ keepAlive: true, timeout: IDLE_MS })

export interface Caller {
  /**
   * Sends requests of all kinds until `stop`, which waits for requests in progress, at most
   * `patienceMs`.
   */
  start(): void
  stop(): Promise<void>
  /** Sends one request in addition to those of the schedule. */
  ask(kind: string, call: Call): Promise<Answered | null>
}

/** Idle until started. Agent errors, which have status 200, count as refusals. */
export function createCaller({ kinds, rate, life, ending, record, unsent, patienceMs, charged }: CallerDeps): Caller {
  let agent = openAgent()
  let requestedLife: Life | null = null
  let timer: NodeJS.Timeout | undefined
  const underWay = new Set<Promise<unknown>>()

  async function ask(kind: string, call: Call): Promise<Answered | null> {
    const currentLife = life()
    if (currentLife === null) return null
    if (currentLife !== requestedLife) {
      agent.destroy()
      agent = openAgent()
      requestedLife = currentLife
    }
    const began = performance.now()
    const isCut = (): boolean => ending() || life() !== currentLife
    try {
      const answered = await send(agent, currentLife.url, call, patienceMs)
      const ms = performance.now() - began
      const { status, headers } = answered
      if (headers['x-credits-charged'] !== undefined)
        charged(String(headers['x-request-id']), call.headers?.['x-api-key'], Number(headers['x-credits-charged']))
      const code = refusalOf(call, answered)
      if (!(call.expected ?? [200]).includes(status) || (status === 200 && code !== null)) {
        const [cut, shed] = [status === 503 && isCut(), code === 'overloaded']
        record({ kind, ms, cut, shed: shed && !cut, fault: cut || shed ? null : `${status} ${code ?? ''}` })
        return answered
      }
      const fault = await faultOf(call, answered)
      if (fault !== null) console.error(`wrong: ${kind} ${call.path}: ${fault}`)
      record({ kind, ms, cut: false, shed: false, fault: fault && `wrong: ${fault}` })
      return answered
    } catch (error) {
      const cut = isCut()
      record({
        kind,
        ms: performance.now() - began,
        cut,
        shed: false,
        fault: cut ? null : `no answer: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`,
      })
      return null
    }
  }

  return {
    ask,
    start() {
      const [began, names] = [performance.now(), Object.entries(kinds)]
      let sent = 0
      timer = setInterval(() => {
        const due = ((performance.now() - began) / 1_000) * rate
        for (; sent < due; sent++) {
          if (life() === null) continue
          if (underWay.size >= MOST_UNDER_WAY) {
            unsent()
            continue
          }
          const [name, { make }] = chosen(names)
          const asking = ask(name, make()).finally(() => underWay.delete(asking))
          underWay.add(asking)
        }
      }, TICK_MS)
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      agent.destroy()
    },
  }
}

function chosen(kinds: readonly (readonly [string, Kind])[]): readonly [string, Kind] {
  let chance = Math.random() * kinds.reduce((sum, [, { share }]) => sum + share, 0)
  for (const kind of kinds) {
    chance -= kind[1].share
    if (chance < 0) return kind
  }
  return kinds[0]!
}

async function faultOf({ check }: Call, answered: Answered): Promise<string | null> {
  try {
    return (await check?.(answered)) ?? null
  } catch (error) {
    return `it cannot be read: ${(error as Error).message.slice(0, 100)}`
  }
}

/** Error code of a refusal, including agent errors with status 200; null for other answers. */
function refusalOf({ path }: Call, { status, body }: Answered): string | null {
  if (status === 304 || (status === 200 && path !== '/mcp')) return null
  try {
    const { error, result } = JSON.parse(String(body))
    return status === 200 ? (result.isError === true ? result.structuredContent.error.error_code : null) : error.error_code
  } catch {
    return 'without a code'
  }
}

const send = (agent: Agent, url: string, { path, method = 'GET', headers = {}, body }: Call, patienceMs: number): Promise<Answered> =>
  new Promise<Answered>((resolve, reject) => {
    const sent = request(`${url}${path}`, { agent, method, headers }, answer => {
      const pieces: Buffer[] = []
      answer.on('data', piece => pieces.push(piece)).on('error', reject)
      answer.on('aborted', () => reject(new Error('cut')))
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(pieces) }))
    })
    const timer = setTimeout(() => {
      reject(new Error(`not whole within ${patienceMs / 1_000} s`))
      sent.destroy()
    }, patienceMs)
    sent
      .on('error', error => reject(sent.reusedSocket ? new Error(`${error.message} on a connection that was used before`) : error))
      .on('close', () => clearTimeout(timer))
    sent.end(body)
  })
