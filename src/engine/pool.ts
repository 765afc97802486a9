import { setTimeout as sleep } from 'node:timers/promises'
import { afterRunning, Refusal, shortage, type Words, yieldToCallers } from '../core/index.ts'
import type { Engine, Result, Session, Statement } from './engine.ts'
import { engineFault, storageFault } from './faults.ts'
import { createScheduler, type SchedulerOptions } from './scheduler.ts'
import type { Chunk, ResultSize } from './vectors.ts'

export interface Reads {
  /**
   * Runs a read when a connection is free.
   *
   * @param use receives rows that are valid until `use` ends
   * @param lane key of the queue. Queues are served in rotation
   * @throws Refusal overloaded if the queue is full or memory is exhausted; query_timeout; draining
   * if the pool is closed
   * @throws Error that `isStorageFault` recognizes if a file cannot be decoded
   */
  read<T>(statement: Statement, use: (chunks: readonly Chunk[], size: ResultSize) => T | Promise<T>, lane?: string): Promise<T>
}

export interface Pool extends Reads {
  readonly load: () => { readonly busy: number; readonly waiting: number }
  /** Interrupts running reads and refuses new reads. Resolves after a limited time. */
  close(): Promise<void>
}

export interface PoolOptions extends SchedulerOptions {
  readonly connections: number
  /** Maximum duration of a read in ms. Excludes time in which the process is suspended. */
  readonly budgetMs: number
  /**
   * Called after each read. `waitedMs` is the time in the queue, `usedMs` the time on the
   * connection.
   */
  readonly measured?: (waitedMs: number, usedMs: number) => void
}

/** `close` waits at most this long for interrupted reads. */
const CLOSING_MS = 2_000

/** Several connections run reads faster than one connection. */
export async function openPool(engine: Engine, options: PoolOptions): Promise<Pool> {
  const sessions = await Promise.all(Array.from({ length: options.connections }, () => engine.connect()))
  yieldToCallers()
  const scheduler = createScheduler(sessions, options)
  const running = new Set<Promise<unknown>>()
  const ending = new AbortController()
  const run = async (statement: Statement, lane: string): Promise<Result> => {
    if (ending.signal.aborted) throw draining()
    const requested = performance.now()
    const free = scheduler.tryAcquire(lane)
    const session = free ?? (await scheduler.acquire(lane))
    const began = free ? requested : performance.now()
    const reading = withinBudget(session, statement, options.budgetMs, ending.signal)
    running.add(reading)
    try {
      return await reading
    } finally {
      running.delete(reading)
      const usedMs = performance.now() - began
      scheduler.release(lane, session, usedMs)
      options.measured?.(began - requested, usedMs)
    }
  }
  return {
    async read(statement, use, lane = '') {
      const result = await run(statement, lane)
      try {
        return await use(result.chunks, result)
      } finally {
        result.free()
      }
    },
    load: scheduler.load,
    async close() {
      ending.abort()
      scheduler.close(draining())
      await Promise.race([Promise.allSettled(running), sleep(CLOSING_MS, undefined, { ref: false })])
    },
  }
}

const draining = (): Refusal => new Refusal('draining', { retry_after: 1 })

/** DuckDB ignores interrupts while preparing a statement, so interrupts are repeated. */
const INTERRUPT_AGAIN_MS = 10

const MEMORY: Words = {
  en: 'The read exceeds the memory currently available. Narrow it, or try again after retry_after seconds.',
  zh: '此次讀取所需的記憶體超過目前可用量。請縮小範圍，或於 retry_after 秒後再試。',
}

async function withinBudget(session: Session, statement: Statement, budgetMs: number, ending: AbortSignal): Promise<Result> {
  const stop = (): void => {
    cancel()
    session.interrupt()
    cancel = afterRunning(INTERRUPT_AGAIN_MS, stop)
  }
  let cancel = afterRunning(ending.aborted ? 0 : budgetMs, stop)
  ending.addEventListener('abort', stop)
  try {
    return await session.read(statement)
  } catch (error) {
    throw translated(error, budgetMs, ending)
  } finally {
    cancel()
    ending.removeEventListener('abort', stop)
  }
}

function translated(error: unknown, budgetMs: number, ending: AbortSignal): unknown {
  const fault = engineFault(error)
  if (fault === 'interrupted') return ending.aborted ? draining() : new Refusal('query_timeout', { budget_ms: budgetMs })
  // All reads share the memory, so a retry may succeed after other reads end.
  if (fault === 'out of memory') return new Refusal('overloaded', { retry_after: 1 }, MEMORY)
  if (fault === 'shortage') return shortage()
  return fault === 'storage' ? storageFault(error as Error) : error
}
