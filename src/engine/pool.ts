import { setTimeout as sleep } from 'node:timers/promises'
import { afterRunning, Refusal, shortage, type Words } from '../core/index.ts'
import type { Engine, Result, Session, Statement } from './engine.ts'
import { engineFault, storageFault } from './faults.ts'
import { yieldToCallers } from './priority.ts'
import { createTurns, type TurnOptions } from './turns.ts'
import type { Chunk, ResultSize } from './vectors.ts'

/** What runs reads. */
export interface Reads {
  /**
   * Runs a read on a free connection, waiting in a line of bounded time for one, and gives up the connection before it uses the rows.
   *
   * @param use takes what it needs out of the rows; their memory is freed once it is done, so they must not be kept
   * @param lane whose read it is: those who wait take turns, so that many reads of one do not hold up another's. All that name none share one
   * @throws Refusal overloaded when the line takes too long or memory is exhausted; query_timeout past the time budget; draining
   * once the pool closes. A storage fault (`isStorageFault`) when a file cannot be opened or decoded. Whatever `use` throws
   */
  read<T>(statement: Statement, use: (chunks: readonly Chunk[], size: ResultSize) => T | Promise<T>, lane?: string): Promise<T>
}

/** A fixed number of connections that reads share. */
export interface Pool extends Reads {
  /** Number of reads running and waiting. */
  readonly load: () => { readonly busy: number; readonly waiting: number }
  /**
   * Refuses waiting and new reads as draining, interrupts running ones and closes the connections. Resolves once they are closed, or
   * after a bounded time: a connection whose read has not ended by then closes when it does, and is interrupted until it has.
   */
  close(): Promise<void>
}

/** Bounds of a pool: connections, those who wait, and time. */
export interface PoolOptions extends TurnOptions {
  readonly connections: number
  /** Longest time one read may take on its connection, in milliseconds the process runs. */
  readonly budgetMs: number
  /** Told of each read that had a connection: milliseconds that it waited for one, and held it. */
  readonly measured?: (waited: number, held: number) => void
}

/** How long closing waits for interrupted reads. */
const CLOSING_MS = 2_000

/** Opens connections for concurrent reads: eight reads on one connection run slower than on four. */
export async function openPool(engine: Engine, options: PoolOptions): Promise<Pool> {
  const sessions = await Promise.all(Array.from({ length: options.connections }, () => engine.connect()))
  yieldToCallers()
  const turns = createTurns(sessions, options)
  const running = new Set<Promise<unknown>>()
  const ending = new AbortController()
  const run = async (statement: Statement, lane: string): Promise<Result> => {
    if (ending.signal.aborted) throw draining()
    const asked = performance.now()
    const free = turns.take(lane)
    const session = free ?? (await turns.wait(lane))
    const began = free ? asked : performance.now()
    const reading = withinBudget(session, statement, options.budgetMs, ending.signal)
    running.add(reading)
    try {
      return await reading
    } finally {
      running.delete(reading)
      const held = performance.now() - began
      turns.release(lane, session, held)
      options.measured?.(began - asked, held)
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
    load: turns.load,
    async close() {
      ending.abort()
      turns.close(draining())
      await Promise.race([Promise.allSettled(running), sleep(CLOSING_MS, undefined, { ref: false })])
    },
  }
}

const draining = (): Refusal => new Refusal('draining', { retry_after: 1 })

/** An interrupt sent while a statement is being prepared is lost, so it is repeated until the read ends. */
const INTERRUPT_AGAIN_MS = 10

const MEMORY: Words = {
  en: 'The read needs more memory than is free now; narrow it, or try again after retry_after seconds.',
  zh: '此讀取所需的記憶體超過目前可用量；請縮小範圍，或於 retry_after 秒後再試。',
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

/** The engine's error as callers are to see it. */
function translated(error: unknown, budgetMs: number, ending: AbortSignal): unknown {
  const fault = engineFault(error)
  if (fault === 'interrupted') return ending.aborted ? draining() : new Refusal('query_timeout', { budget_ms: budgetMs })
  // Memory is shared by all reads: this one may pass once others have ended.
  if (fault === 'out of memory') return new Refusal('overloaded', { retry_after: 1 }, MEMORY)
  if (fault === 'shortage') return shortage()
  return fault === 'storage' ? storageFault(error as Error) : error
}
