import { Refusal } from '../core/errors.ts'
import type { Chunk } from './chunk.ts'
import type { Duck, Session, Statement } from './duck.ts'

export interface Pool {
  /**
   * Runs a read on a free connection, waiting in a bounded queue for one.
   *
   * @throws Refusal overloaded when the queue is full, the wait too long or the memory used up, query_timeout past the time budget
   */
  read(statement: Statement): Promise<readonly Chunk[]>
  /** Reads running and waiting. */
  readonly load: () => { readonly busy: number; readonly waiting: number }
  close(): void
}

export interface PoolOptions {
  readonly connections: number
  readonly queue: number
  readonly waitMs: number
  readonly budgetMs: number
}

/** A handful of connections beats one: eight reads on one connection run slower than on four. */
export async function openPool(duck: Duck, options: PoolOptions): Promise<Pool> {
  const sessions = await Promise.all(Array.from({ length: options.connections }, () => duck.connect()))
  const free = [...sessions]
  const waiting: ((session: Session) => void)[] = []
  const handBack = (session: Session): void => {
    const next = waiting.shift()
    if (next) next(session)
    else free.push(session)
  }
  return {
    async read(statement) {
      const session = free.pop() ?? (await line(waiting, options))
      try {
        return await withinBudget(session, statement, options.budgetMs)
      } finally {
        handBack(session)
      }
    },
    load: () => ({ busy: sessions.length - free.length, waiting: waiting.length }),
    close() {
      for (const session of sessions) session.close()
    },
  }
}

function line(waiting: ((session: Session) => void)[], { queue, waitMs }: PoolOptions): Promise<Session> {
  if (waiting.length >= queue) throw new Refusal('overloaded', { retry_after: 1 })
  return new Promise((resolve, reject) => {
    const turn = (session: Session): void => {
      clearTimeout(timer)
      resolve(session)
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(turn), 1)
      reject(new Refusal('overloaded', { retry_after: 1 }))
    }, waitMs)
    waiting.push(turn)
  })
}

/** An interrupt that meets a statement still being prepared is lost, so it is repeated until the read ends. */
const INTERRUPT_AGAIN_MS = 10

const MEMORY = 'The read needs more memory than is free now; narrow it, or try again after retry_after seconds.'

async function withinBudget(session: Session, statement: Statement, budgetMs: number): Promise<readonly Chunk[]> {
  const stop = (): void => {
    session.interrupt()
    timer = setTimeout(stop, INTERRUPT_AGAIN_MS)
  }
  let timer = setTimeout(stop, budgetMs)
  try {
    return await session.read(statement)
  } catch (error) {
    const said = error instanceof Error ? error.message : ''
    if (said.startsWith('INTERRUPT')) throw new Refusal('query_timeout', { budget_ms: budgetMs })
    // Memory is shared by all reads: this one may well pass once others have ended.
    if (said.startsWith('Out of Memory')) throw new Refusal('overloaded', { retry_after: 1 }, MEMORY)
    throw error
  } finally {
    clearTimeout(timer)
  }
}
