import { createWaitQueue, type Log, Refusal, type WaitQueue } from '../core/index.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'

export interface SqlWorkers {
  /**
   * Calls `use` with the process that parses queries.
   *
   * @throws Refusal overloaded if too many queries wait
   * @throws errors of `use`
   */
  parser<T>(account: string, use: (worker: WorkerProcess) => Promise<T>): Promise<T>
  /**
   * Calls `use` with a process that runs queries. Accounts are served in rotation.
   *
   * @throws Refusal overloaded if the queue is full or the wait is too long
   * @throws errors of `use`
   */
  runner<T>(account: string, use: (worker: WorkerProcess) => Promise<T>): Promise<T>
  close(): void
}

export interface SqlWorkersOptions {
  readonly runners: number
  readonly memoryMb: number
  readonly log: Log
}

const PARSER_MB = 256
export const MAX_ANSWER_BYTES = 64 * 2 ** 20
const MAX_REPLY_BYTES = MAX_ANSWER_BYTES + 2 ** 20
const MAX_TREE_BYTES = 8 * 2 ** 20
const MAX_WAITING = 32
const WAIT_MS = 20_000
/** A process is replaced after 1,000 jobs, because memory may leak. */
const MAX_USES = 1_000
/** An idle process ends after one minute. */
const IDLE_MS = 60_000

export function createSqlWorkers({ runners, memoryMb, log }: SqlWorkersOptions): SqlWorkers {
  let warned = false
  const onReady = (limited: boolean): void => {
    if (limited || warned) return
    warned = true
    log('failed', { during: 'limiting SQL workers', error: 'The system has no prlimit or chrt, so only their memory is checked.' })
  }
  const parsers = createProcesses(1, () => startWorker(PARSER_MB, MAX_TREE_BYTES, onReady))
  const running = createProcesses(runners, () => startWorker(memoryMb, MAX_REPLY_BYTES, onReady))
  return {
    parser: parsers.lease,
    runner: running.lease,
    close() {
      parsers.close()
      running.close()
    },
  }
}

function createProcesses(count: number, start: () => WorkerProcess) {
  const idle: WorkerProcess[] = []
  const all = new Set<WorkerProcess>()
  const queues = new Map<string, WaitQueue<void>>()
  let free = count
  let idleTimer: NodeJS.Timeout | undefined
  const close = (): void => {
    clearTimeout(idleTimer)
    for (const worker of all) worker.kill()
    all.clear()
    idle.length = 0
  }
  const endIdle = (): void => {
    for (const worker of idle.splice(0)) {
      worker.kill()
      all.delete(worker)
    }
  }
  const queueOf = (lane: string): WaitQueue<void> => {
    const queue = queues.get(lane) ?? createWaitQueue<void>({ limit: MAX_WAITING, waitMs: WAIT_MS, refusal: busy })
    queues.set(lane, queue)
    return queue
  }
  const release = (): void => {
    for (const [lane, queue] of queues) {
      queues.delete(lane)
      const admitted = queue.resolveFirst()
      if (queue.length > 0) queues.set(lane, queue)
      if (admitted) return
    }
    free++
  }
  const take = (): WorkerProcess => {
    const worker = idle.pop()
    if (worker?.isRunning()) return worker
    if (worker) all.delete(worker)
    const started = start()
    all.add(started)
    return started
  }
  const put = (worker: WorkerProcess): void => {
    if (worker.isRunning() && worker.uses() < MAX_USES && all.has(worker)) idle.push(worker)
    else {
      worker.kill()
      all.delete(worker)
    }
    clearTimeout(idleTimer)
    idleTimer = setTimeout(endIdle, IDLE_MS).unref()
  }
  return {
    close,
    async lease<T>(lane: string, use: (worker: WorkerProcess) => Promise<T>): Promise<T> {
      if (free > 0) free--
      else await queueOf(lane).wait()
      try {
        const worker = take()
        try {
          return await use(worker)
        } finally {
          put(worker)
        }
      } finally {
        release()
      }
    },
  }
}

const busy = (): Refusal =>
  new Refusal(
    'overloaded',
    { retry_after: 2 },
    {
      en: 'Too many SQL queries are waiting. Try again after retry_after seconds.',
      zh: '等候執行的 SQL 查詢過多。請於 retry_after 秒後再試。',
    },
  )
