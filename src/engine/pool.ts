import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../core/index.ts'
import type { Chunk } from './chunk.ts'
import type { Engine, Session, Statement } from './duck.ts'

export interface Pool {
  /**
   * Runs a read on a free connection, waiting in a bounded queue for one.
   *
   * @throws Refusal overloaded when the queue is full, the wait too long or the memory used up, query_timeout past the time budget
   */
  read(statement: Statement): Promise<readonly Chunk[]>
  /** Reads running and waiting. */
  readonly load: () => { readonly busy: number; readonly waiting: number }
  /**
   * Refuses whoever waits and whoever comes as draining, stops what runs, and closes its connections. Resolves once they are closed, or
   * after a bounded time: a connection that is read from until then closes when its read has ended, and is told to stop until it has.
   */
  close(): Promise<void>
}

export interface PoolOptions {
  readonly connections: number
  readonly queue: number
  readonly waitMs: number
  readonly budgetMs: number
}

interface Waiter {
  readonly turn: (session: Session) => void
  readonly sendAway: (refusal: Refusal) => void
}

/** How long the pool waits, as it closes, for reads that were told to stop. */
const CLOSING_MS = 2_000

/** A handful of connections beats one: eight reads on one connection run slower than on four. */
export async function openPool(engine: Engine, options: PoolOptions): Promise<Pool> {
  const sessions = await Promise.all(Array.from({ length: options.connections }, () => engine.connect()))
  const connections = openConnections(sessions, options)
  const running = new Set<Promise<unknown>>()
  const ending = new AbortController()
  return {
    async read(statement) {
      if (ending.signal.aborted) throw draining()
      const session = connections.free() ?? (await connections.next())
      const reading = withinBudget(session, statement, options.budgetMs, ending.signal)
      running.add(reading)
      try {
        return await reading
      } finally {
        running.delete(reading)
        connections.handBack(session)
      }
    },
    load: connections.load,
    async close() {
      ending.abort()
      connections.close()
      await Promise.race([Promise.allSettled(running), sleep(CLOSING_MS, undefined, { ref: false })])
    },
  }
}

/** Connections nobody reads on, and those who wait for one. */
function openConnections(sessions: readonly Session[], options: PoolOptions) {
  const free = [...sessions]
  const waiting: Waiter[] = []
  let closed = false
  return {
    free: (): Session | undefined => free.pop(),
    /** The next one that is handed back and nobody waited for before. @throws Refusal overloaded */
    next: (): Promise<Session> => line(waiting, options),
    handBack(session: Session): void {
      if (closed) return session.close()
      const next = waiting.shift()
      if (next) next.turn(session)
      else free.push(session)
    },
    load: () => ({ busy: sessions.length - free.length, waiting: waiting.length }),
    /** Closes what is free, and from here on what is handed back; sends away whoever waits. */
    close(): void {
      closed = true
      for (const { sendAway } of waiting.splice(0)) sendAway(draining())
      for (const session of free) session.close()
    },
  }
}

const draining = (): Refusal => new Refusal('draining', { retry_after: 1 })

function line(waiting: Waiter[], { queue, waitMs }: PoolOptions): Promise<Session> {
  if (waiting.length >= queue) throw new Refusal('overloaded', { retry_after: 1 })
  const { promise, resolve, reject } = Promise.withResolvers<Session>()
  const waiter: Waiter = { turn: resolve, sendAway: reject }
  const timer = setTimeout(() => {
    waiting.splice(waiting.indexOf(waiter), 1)
    reject(new Refusal('overloaded', { retry_after: 1 }))
  }, waitMs)
  waiting.push(waiter)
  return promise.finally(() => clearTimeout(timer))
}

/** An interrupt that meets a statement still being prepared is lost, so it is repeated until the read ends. */
const INTERRUPT_AGAIN_MS = 10

const MEMORY = 'The read needs more memory than is free now; narrow it, or try again after retry_after seconds.'

async function withinBudget(session: Session, statement: Statement, budgetMs: number, ending: AbortSignal): Promise<readonly Chunk[]> {
  const stop = (): void => {
    clearTimeout(timer)
    session.interrupt()
    timer = setTimeout(stop, INTERRUPT_AGAIN_MS)
  }
  let timer = setTimeout(stop, ending.aborted ? 0 : budgetMs)
  ending.addEventListener('abort', stop)
  try {
    return await session.read(statement)
  } catch (error) {
    const said = error instanceof Error ? error.message : ''
    if (said.startsWith('INTERRUPT') && ending.aborted) throw draining()
    if (said.startsWith('INTERRUPT')) throw new Refusal('query_timeout', { budget_ms: budgetMs })
    // Memory is shared by all reads: this one may well pass once others have ended.
    if (said.startsWith('Out of Memory')) throw new Refusal('overloaded', { retry_after: 1 }, MEMORY)
    throw error
  } finally {
    clearTimeout(timer)
    ending.removeEventListener('abort', stop)
  }
}
